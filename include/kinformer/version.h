// kinformer/version.h
//
// The version of kinformer.

#ifndef KINFORMER_VERSION_H_
#define KINFORMER_VERSION_H_

namespace kinformer {

// Semantic version: major.minor.patch.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace kinformer

#endif  // KINFORMER_VERSION_H_
