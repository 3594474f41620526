// cel/semver.h
//
// Semver: a semantic version, "1.2.3-alpha.1+build".

#ifndef KINFORMER_CEL_SEMVER_H_
#define KINFORMER_CEL_SEMVER_H_

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::internal::cel {

struct Semver {
  std::array<std::uint64_t, 3> numbers{};  // major, minor, patch
  std::vector<std::string> prerelease{};
  std::vector<std::string> build{};  // has no part in the order
};

// Errors are those of the library that kube-apiserver uses, blang/semver.
Result<Semver> ParseSemver(std::string_view text);

// Returns "1.2.3" for "v1.2.3", "1.2.0" for "1.2", and "1.2.3" for "01.02.03"; an error for "1-a".
Result<std::string> NormalSemver(std::string_view text);

std::weak_ordering CompareSemvers(const Semver& a, const Semver& b);
std::string SemverText(const Semver& version);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_SEMVER_H_
