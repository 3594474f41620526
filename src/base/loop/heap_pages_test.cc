#include "base/loop/heap_pages.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "kinformer/base/runtime.h"

#include "base/loop/testing/huge_pages.h"

namespace kinformer::internal::base {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
constexpr std::size_t kBlocks = 512;  // 32 MiB

// Number of mappings of this process for which huge pages were requested.
std::size_t AdvisedMappings() {
  std::ifstream maps("/proc/self/smaps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos) ++count;
  }
  return count;
}

// How many such mappings are added when a thread allocates many blocks.
std::size_t AdvisedByAThread() {
  std::size_t more = 0;
  std::thread([&] {
    const std::size_t before = AdvisedMappings();
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks.push_back(std::malloc(kBlock));
      UseHugePagesFor(blocks.back(), kBlock);
    }
    more = AdvisedMappings() - before;
    for (void* const block : blocks) std::free(block);
  }).join();
  return more;
}

std::size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

class HeapPages : public ::testing::Test {
 protected:
  ~HeapPages() override { SetHugePages(wanted_); }
  const bool wanted_ = HugePagesWanted();
};

TEST_F(HeapPages, RuntimeOption_TurnsHugePagesOff) {
  SetHugePages(true);
  {
    const Runtime runtime;
  }
  EXPECT_TRUE(HugePagesWanted());
  {
    const Runtime runtime({.huge_pages = false});
  }
  EXPECT_FALSE(HugePagesWanted());
  EXPECT_EQ(AdvisedByAThread(), 0U);
}

TEST_F(HeapPages, HugePages_AskedForWhereThreadKeepsMuch) {
  if (!HasHugePages()) GTEST_SKIP() << "another heap than glibc's, or a kernel without huge pages";
  SetHugePages(true);
  EXPECT_GT(AdvisedByAThread(), 0U);
}

TEST_F(HeapPages, FreePagesBetweenUsedOnes_ReturnToSystem) {
  if (HasOtherHeap()) GTEST_SKIP() << "another heap than glibc's";
  constexpr std::size_t kObject = 2000;
  constexpr std::size_t kObjects = 50'000;
  constexpr std::size_t kStays = 100;  // one of this number
  SetHugePages(true);
  const std::size_t advised = AdvisedMappings();
  // The pages belong to the thread's heap, which exists longer than the thread.
  std::vector<void*> left;
  std::thread([&left] {
    std::vector<void*> objects;
    for (std::size_t i = 0; i < kObjects; ++i) {
      objects.push_back(std::memset(std::malloc(kObject), 1, kObject));
      UseHugePagesFor(objects.back(), kObject);
    }
    for (std::size_t i = 0; i < kObjects; ++i) {
      i % kStays == 0 ? left.push_back(objects[i]) : std::free(objects[i]);
    }
  }).join();
  const std::size_t before = ResidentBytes();
  GiveBackFreeMemory();
  EXPECT_LT(ResidentBytes() + (kObjects * kObject * 3 / 4), before);
  // Otherwise the kernel would fill the gaps again.
  EXPECT_LE(AdvisedMappings(), advised);
  for (void* const object : left) std::free(object);
}

}  // namespace
}  // namespace kinformer::internal::base
