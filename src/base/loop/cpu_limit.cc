#include "base/loop/cpu_limit.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sched.h>
#include <string>
#include <thread>

namespace kinformer::internal::base {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::optional<std::size_t> Processors(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<std::size_t>((quota + period - 1) / period);
}

std::optional<long long> Number(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// Returns the path of the process's cgroup below the mount.
std::string CgroupPath(const std::string& cgroups) {
  std::ifstream file(cgroups);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "/";
}

}  // namespace

std::optional<std::size_t> ParseCpuMax(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto quota = Number(text.substr(0, space));
  const auto period = Number(text.substr(space + 1));
  if (!quota || !period) return std::nullopt;
  return Processors(*quota, *period);
}

std::optional<std::size_t> CgroupLimit(const std::string& cgroups, const std::string& mount) {
  std::optional<std::size_t> limit;
  std::string path = CgroupPath(cgroups);
  while (true) {
    const std::optional<std::size_t> here = ParseCpuMax(FirstLine(mount + path + "/cpu.max"));
    if (here && (!limit || *here < *limit)) limit = here;
    if (path.size() <= 1) break;
    path.resize(std::max<std::size_t>(path.rfind('/'), 1));
  }
  if (limit) return limit;
  const auto quota = Number(FirstLine(mount + "/cpu/cpu.cfs_quota_us"));
  const auto period = Number(FirstLine(mount + "/cpu/cpu.cfs_period_us"));
  if (quota && period) return Processors(*quota, *period);
  return std::nullopt;
}

std::size_t CpuLimit() {
  cpu_set_t set{};
  const std::size_t count = sched_getaffinity(0, sizeof(set), &set) == 0
                                ? static_cast<std::size_t>(CPU_COUNT(&set))
                                : std::max(1U, std::thread::hardware_concurrency());
  return std::min(count, CgroupLimit("/proc/self/cgroup", "/sys/fs/cgroup").value_or(count));
}

}  // namespace kinformer::internal::base
