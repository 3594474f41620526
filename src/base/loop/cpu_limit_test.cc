#include "base/loop/cpu_limit.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <sched.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kinformer::internal::base {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

TEST(ParseCpuMax, QuotasAndPeriods_AreProcessorsRoundedUp) {
  const std::pair<const char*, std::optional<std::size_t>> rows[] = {
      {"", std::nullopt},
      {" ", std::nullopt},
      {"max", std::nullopt},
      {"max 100000", std::nullopt},
      {"100000", std::nullopt},
      {"100000 ", std::nullopt},
      {"100000 max", std::nullopt},
      {" 100000", std::nullopt},
      {"x 100000", std::nullopt},
      {"0 100000", std::nullopt},
      {"-1 100000", std::nullopt},
      {"100000 0", std::nullopt},
      {"100000 -1", std::nullopt},
      {"-1 -1", std::nullopt},
      {"99999999999999999999 1", std::nullopt},
      {"1 1", 1},
      {"2 1", 2},
      {"7 1", 7},
      {"1 2", 1},
      {"1 100000", 1},
      {"10000 100000", 1},
      {"99999 100000", 1},
      {"100000 100000", 1},
      {"100001 100000", 2},
      {"150000 100000", 2},
      {"200000 100000", 2},
      {"200001 100000", 3},
      {"1200000 100000", 12},
      {"50000 20000", 3},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(ParseCpuMax(text), want) << text;
}

class CgroupLimitTest : public ::testing::Test {
 protected:
  ~CgroupLimitTest() override { std::filesystem::remove_all(dir_); }

  // Returns the limit of a process whose list of cgroups is `cgroups`, with these files mounted.
  std::optional<std::size_t> Limit(const std::string& cgroups, const Files& files) {
    std::filesystem::remove_all(dir_ + "/mount");
    for (const auto& [name, text] : files) {
      const std::filesystem::path path = dir_ + "/mount" + name;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << text;
    }
    std::ofstream(dir_ + "/cgroups") << cgroups;
    return CgroupLimit(dir_ + "/cgroups", dir_ + "/mount");
  }

  const std::string dir_ = [] {
    std::string path = ::testing::TempDir() + "kinformer-cgroup-XXXXXX";
    return std::string(mkdtemp(path.data()));
  }();
};

TEST_F(CgroupLimitTest, SmallestBetweenTheProcessAndTheRoot_Counts) {
  struct Row {
    std::string cgroups;
    Files files;
    std::optional<std::size_t> want;
  };
  const std::string v2 = "0::/pods/pod/c\n";
  const std::string mixed = "12:memory:/m\n1:cpu,cpuacct:/other\n0::/a\n";
  const Row rows[] = {
      {v2, {}, std::nullopt},
      {v2, {{"/pods/pod/c/cpu.max", "max 100000\n"}}, std::nullopt},
      {v2, {{"/pods/pod/c/cpu.max", "300000 100000\n"}}, 3},
      {v2, {{"/pods/pod/cpu.max", "300000 100000\n"}}, 3},
      {v2, {{"/pods/cpu.max", "300000 100000\n"}}, 3},
      {v2, {{"/cpu.max", "300000 100000\n"}}, 3},
      {v2, {{"/pods/pod/c/d/cpu.max", "300000 100000\n"}}, std::nullopt},
      {v2, {{"/pods/pod/c/cpu.max", "5 1\n"}, {"/pods/cpu.max", "2 1\n"}}, 2},
      {v2, {{"/pods/pod/c/cpu.max", "2 1\n"}, {"/pods/cpu.max", "5 1\n"}}, 2},
      {v2, {{"/pods/pod/c/cpu.max", "max 1\n"}, {"/pods/cpu.max", "5 1\n"}}, 5},
      {v2, {{"/pods/pod/c/cpu.max", "5 1\n"}, {"/pods/cpu.max", "max 1\n"}}, 5},
      {"0::/\n", {{"/cpu.max", "4 1\n"}}, 4},
      {"0::/a\n", {{"/a/cpu.max", "4 1\n"}}, 4},
      {"0::/a\n", {{"/cpu.max", "4 1\n"}}, 4},
      {"", {{"/cpu.max", "4 1\n"}}, 4},
      {"1:cpu:/a\n", {{"/a/cpu.max", "4 1\n"}}, std::nullopt},
      {"10::/a\n", {{"/a/cpu.max", "4 1\n"}}, std::nullopt},
      {mixed, {{"/a/cpu.max", "4 1\n"}, {"/other/cpu.max", "1 1\n"}, {"/m/cpu.max", "1 1\n"}}, 4},
      // Only the first line counts.
      {v2, {{"/cpu.max", "max 1\n4 1\n"}}, std::nullopt},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Limit(row.cgroups, row.files), row.want)
        << row.cgroups << (row.files.empty() ? "" : row.files[0].first + row.files[0].second);
  }
}

TEST_F(CgroupLimitTest, VersionOne_CountsWhereVersionTwoHasNoLimit) {
  const std::string quota = "/cpu/cpu.cfs_quota_us";
  const std::string period = "/cpu/cpu.cfs_period_us";
  const std::pair<Files, std::optional<std::size_t>> rows[] = {
      {{{quota, "250000\n"}, {period, "100000\n"}}, 3},
      {{{quota, "-1\n"}, {period, "100000\n"}}, std::nullopt},
      {{{quota, "0\n"}, {period, "100000\n"}}, std::nullopt},
      {{{quota, "250000\n"}, {period, "0\n"}}, std::nullopt},
      {{{quota, "250000\n"}}, std::nullopt},
      {{{period, "100000\n"}}, std::nullopt},
      {{{quota, "250000\n"}, {period, "100000\n"}, {"/cpu.max", "max 100000\n"}}, 3},
      {{{quota, "250000\n"}, {period, "100000\n"}, {"/cpu.max", "700000 100000\n"}}, 7},
  };
  for (const auto& [files, want] : rows) {
    EXPECT_EQ(Limit("3:cpu:/\n0::/\n", files), want) << files[0].second;
  }
}

// Processors that the calling thread may use.
std::size_t Allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set))
                                                      : 0;
}

TEST(CpuLimit, IsTheAffinityUnlessTheQuotaIsLess) {
  const std::optional<std::size_t> quota = CgroupLimit("/proc/self/cgroup", "/sys/fs/cgroup");
  const std::size_t allowed = Allowed();
  ASSERT_GE(allowed, 1U);
  EXPECT_EQ(CpuLimit(), quota ? std::min(*quota, allowed) : allowed);
  std::thread([] {
    cpu_set_t all;
    CPU_ZERO(&all);
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(CpuLimit(), 1U);
  }).join();
}

}  // namespace
}  // namespace kinformer::internal::base
