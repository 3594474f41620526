// base/loop/cpu_limit.h
//
// Number of processors that this process may use.

#ifndef KINFORMER_BASE_LOOP_CPU_LIMIT_H_
#define KINFORMER_BASE_LOOP_CPU_LIMIT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::internal::base {

// Returns the number of processors in the affinity mask, or the cgroup's CPU quota, rounded up, if
// that is less. At least 1.
[[nodiscard]] std::size_t CpuLimit();

// Parses cgroup v2's cpu.max ("200000 100000", "max 100000") to a number of processors, rounded up;
// nullopt if there is no limit.
[[nodiscard]] std::optional<std::size_t> ParseCpuMax(std::string_view text);

// Returns the smallest quota between the cgroup that the file `cgroups` names (its line "0::/path",
// of v2) and the root, or else the quota of v1 at the root. `mount`: where the cgroups are mounted.
[[nodiscard]] std::optional<std::size_t> CgroupLimit(const std::string& cgroups,
                                                     const std::string& mount);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_CPU_LIMIT_H_
