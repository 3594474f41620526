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

// Returns this process's path below the cgroup mount: the line "0::/path" of v2.
std::string CgroupPath() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "/";
}

// Returns the smallest quota between this process's cgroup and the root.
std::optional<std::size_t> CgroupLimit() {
  const std::string root = "/sys/fs/cgroup";
  std::optional<std::size_t> limit;
  std::string path = CgroupPath();
  while (true) {
    const std::optional<std::size_t> here =
        ParseCpuMax(FirstLine(root + (path == "/" ? "" : path) + "/cpu.max"));
    if (here && (!limit || *here < *limit)) limit = here;
    if (path.size() <= 1) break;
    path.resize(std::max<std::size_t>(path.rfind('/'), 1));
  }
  if (limit) return limit;
  const auto quota = Number(FirstLine(root + "/cpu/cpu.cfs_quota_us"));
  const auto period = Number(FirstLine(root + "/cpu/cpu.cfs_period_us"));
  if (quota && period) return Processors(*quota, *period);
  return std::nullopt;
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

std::size_t CpuLimit() {
  std::size_t count = std::max(1U, std::thread::hardware_concurrency());
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    count = std::max<std::size_t>(1, static_cast<std::size_t>(CPU_COUNT(&set)));
  }
  if (const auto limit = CgroupLimit()) count = std::clamp<std::size_t>(*limit, 1, count);
  return count;
}

}  // namespace kinformer::internal::base
