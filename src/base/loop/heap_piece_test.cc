// Pieces of a heap for which huge pages are requested: from which size on, and what is left alone.

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/loop/heap_pages.h"
#include "base/loop/testing/huge_pages.h"

namespace kinformer::internal::base {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kPiece = 64 * kMiB;
constexpr std::size_t kSmall = 8 * kMiB;

// Bytes of some pages that are writable, and of those with a request for huge pages.
struct Pages {
  std::size_t writable = 0;
  std::size_t huge = 0;
};

Pages PagesIn(std::uintptr_t first, std::uintptr_t last) {
  std::ifstream maps("/proc/self/smaps");
  Pages pages;
  std::size_t inside = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, rights) == 3) {
      // The kernel joins neighbours that are alike.
      begin = std::max(begin, first);
      end = std::min(end, last);
      inside = begin < end ? end - begin : 0;
      if (rights[1] == 'w') pages.writable += inside;
    } else if (line.starts_with("VmFlags:") && line.find(" hg") != std::string::npos) {
      pages.huge += inside;
    }
  }
  return pages;
}

// Three pieces of reserved addresses, each with a writable page at its start, like heaps of glibc
// that have begun to grow.
class Heaps {
 public:
  Heaps()
      : base_(static_cast<char*>(::mmap(nullptr, 4 * kPiece, PROT_NONE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    const auto address = reinterpret_cast<std::uintptr_t>(base_);
    first_ = base_ + (kPiece - address % kPiece) % kPiece;
    for (std::size_t i = 0; i < 3; ++i) Allow(i, 0, kMiB, PROT_READ | PROT_WRITE);
  }
  ~Heaps() { ::munmap(base_, 4 * kPiece); }
  Heaps(const Heaps&) = delete;
  Heaps& operator=(const Heaps&) = delete;

  [[nodiscard]] char* At(std::size_t piece, std::size_t offset) const {
    return first_ + piece * kPiece + offset;
  }
  void Allow(std::size_t piece, std::size_t begin, std::size_t end, int rights) {
    EXPECT_EQ(::mprotect(At(piece, begin), end - begin, rights), 0);
  }
  [[nodiscard]] Pages Of(std::size_t piece) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(At(piece, 0));
    return PagesIn(begin, begin + kPiece);
  }

 private:
  char* const base_;
  char* first_;
};

class HeapPieces : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HasHugePages())
      GTEST_SKIP() << "another heap than glibc's, or a kernel without huge pages";
    SetHugePages(true);
  }
  ~HeapPieces() override { SetHugePages(wanted_); }
  // Reports memory at these places, on a thread that keeps much.
  void Use(const std::vector<void*>& places) {
    std::thread([&] {
      UseHugePagesFor(heaps_.At(0, 0), kSmall);
      for (void* const place : places) UseHugePagesFor(place, 1);
    }).join();
  }
  const bool wanted_ = HugePagesWanted();
  Heaps heaps_;
};

TEST_F(HeapPieces, EightMegabytes_AreKeptInSmallPages) {
  std::thread([&] {
    UseHugePagesFor(heaps_.At(0, 0), kSmall - 1);
    EXPECT_EQ(heaps_.Of(0).huge, 0U);
    UseHugePagesFor(heaps_.At(0, 0), 1);
    EXPECT_EQ(heaps_.Of(0).huge, 0U);
    UseHugePagesFor(heaps_.At(0, 0), 1);
    EXPECT_EQ(heaps_.Of(0).huge, kPiece);
  }).join();
  // Each thread has its own count.
  std::thread([&] {
    UseHugePagesFor(heaps_.At(1, 0), kSmall - 1);
    UseHugePagesFor(heaps_.At(1, 0), 1);
    EXPECT_EQ(heaps_.Of(1).huge, 0U);
  }).join();
}

TEST_F(HeapPieces, Piece_IsOpenedWholeAndAlone) {
  Use({heaps_.At(1, kMiB / 2)});
  EXPECT_EQ(heaps_.Of(1).writable, kPiece);
  EXPECT_EQ(heaps_.Of(1).huge, kPiece);
  for (const std::size_t other : {0U, 2U}) {
    EXPECT_EQ(heaps_.Of(other).writable, kMiB);
    EXPECT_EQ(heaps_.Of(other).huge, 0U);
  }
  // Its bytes can be used now.
  *heaps_.At(1, kPiece - 1) = 'x';
  EXPECT_EQ(*heaps_.At(1, kPiece - 1), 'x');
}

TEST_F(HeapPieces, FirstAndLastByte_BelongToThePiece) {
  Use({heaps_.At(0, kPiece - 1), heaps_.At(1, 1)});
  EXPECT_EQ(heaps_.Of(0).writable, kPiece);
  EXPECT_EQ(heaps_.Of(1).writable, kPiece);
  EXPECT_EQ(heaps_.Of(2).writable, kMiB);
}

// Mappings that do not look like a heap of glibc keep their rights.
TEST_F(HeapPieces, OtherMappings_KeepTheirRights) {
  struct Row {
    const char* what;
    std::size_t begin;
    std::size_t end;
    int rights;
    std::size_t writable;
  };
  const Row rows[] = {
      {"the rest ends before the piece", 32 * kMiB, kPiece, PROT_READ, kMiB},
      {"the rest ends in writable pages", 63 * kMiB, kPiece, PROT_READ | PROT_WRITE, 2 * kMiB},
      {"the rest can be read", kMiB, kPiece, PROT_READ, kMiB},
      {"the start cannot be written", 0, kMiB, PROT_READ, 0},
      {"the start can be executed", 0, kMiB, PROT_READ | PROT_EXEC, 0},
      {"pages between cannot be written", kMiB, 2 * kMiB, PROT_READ, kMiB},
      {"the start has no rights", 0, kMiB / 2, PROT_NONE, kMiB / 2},
      {"it is all writable", kMiB, kPiece, PROT_READ | PROT_WRITE, kPiece},
  };
  for (const Row& row : rows) {
    Heaps heaps;
    heaps.Allow(1, row.begin, row.end, row.rights);
    EXPECT_EQ(heaps.Of(1).writable, row.writable) << row.what;
    Use({heaps.At(1, 0)});
    EXPECT_EQ(heaps.Of(1).writable, row.writable) << row.what;
    EXPECT_EQ(heaps.Of(0).writable, kMiB) << row.what;
    EXPECT_EQ(heaps.Of(2).writable, kMiB) << row.what;
  }
}

TEST_F(HeapPieces, FilesAndHoles_KeepTheirRights) {
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  for (const bool at_start : {true, false}) {
    Heaps heaps;
    char* const at = heaps.At(1, at_start ? 0 : kMiB);
    const std::size_t size = at_start ? kMiB : kPiece - kMiB;
    const int rights = at_start ? PROT_READ | PROT_WRITE : PROT_NONE;
    ASSERT_EQ(::mmap(at, size, rights, MAP_PRIVATE | MAP_FIXED, file, 0), at);
    Use({heaps.At(1, 0)});
    EXPECT_EQ(heaps.Of(1).writable, kMiB) << at_start;
  }
  ::close(file);
  Heaps heaps;
  ::munmap(heaps.At(1, kMiB), kMiB);
  Use({heaps.At(1, 0)});
  EXPECT_EQ(heaps.Of(1).writable, kMiB);
}

TEST_F(HeapPieces, GivenBackPiece_IsNotAskedForAgain) {
  std::thread([&] {
    UseHugePagesFor(heaps_.At(0, 0), kSmall);
    for (const std::size_t piece : {2U, 0U, 1U, 0U}) UseHugePagesFor(heaps_.At(piece, 0), 1);
    for (const std::size_t piece : {0U, 1U, 2U}) EXPECT_EQ(heaps_.Of(piece).huge, kPiece);
    GiveBackFreeMemory();
    for (const std::size_t piece : {0U, 1U, 2U}) EXPECT_EQ(heaps_.Of(piece).huge, 0U) << piece;
    for (const std::size_t piece : {0U, 2U, 1U}) UseHugePagesFor(heaps_.At(piece, 0), 1);
    for (const std::size_t piece : {0U, 1U, 2U}) EXPECT_EQ(heaps_.Of(piece).huge, 0U) << piece;
  }).join();
}

TEST_F(HeapPieces, TurnedOff_NothingIsAskedFor) {
  SetHugePages(false);
  Use({heaps_.At(1, 0)});
  EXPECT_EQ(heaps_.Of(1).huge, 0U);
  EXPECT_EQ(heaps_.Of(1).writable, kMiB);
}

}  // namespace
}  // namespace kinformer::internal::base
