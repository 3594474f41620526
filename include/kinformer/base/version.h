// kinformer/base/version.h
//
// The version of kinformer.

#ifndef KINFORMER_BASE_VERSION_H_
#define KINFORMER_BASE_VERSION_H_

namespace kinformer {

// Semantic version: major.minor.patch.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace kinformer

#endif  // KINFORMER_BASE_VERSION_H_
