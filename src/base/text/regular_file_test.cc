#include "base/text/regular_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "kinformer/simulation.h"

#include "base/text/host_name.h"
#include "base/text/uuid.h"

namespace kinformer::internal::base {
namespace {

class RegularFile : public ::testing::Test {
 protected:
  RegularFile() { std::filesystem::create_directories(folder_); }
  ~RegularFile() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  static std::string MessageOf(const std::string& path, std::size_t limit = 100) {
    const auto got = ReadRegularFile(path, limit);
    if (got) return "read: " + *got;
    EXPECT_EQ(got.error().reason(), Reason::kConfig);
    return got.error().message();
  }

  const std::string folder_ =
      ::testing::TempDir() + "kinformer-regular-file-" + std::to_string(getpid());
};

TEST_F(RegularFile, IsReadUpToTheLimit) {
  const std::string bytes("a\0b\n\xff", 5);
  EXPECT_EQ(*ReadRegularFile(Write("bytes", bytes), 5), bytes);
  EXPECT_EQ(MessageOf(Write("bytes", bytes), 4), "it is larger than 0 MiB");
  EXPECT_EQ(MessageOf(Write("empty", ""), 0), "read: ");
  EXPECT_EQ(MessageOf("/dev/null"), "read: ");
  const std::size_t limit = std::size_t{3} << 20;
  std::string large;
  for (int i = 0; large.size() < limit; ++i) large += std::to_string(i) + ' ';
  large.resize(limit);
  EXPECT_EQ(*ReadRegularFile(Write("large", large), limit), large);
  EXPECT_EQ(MessageOf(Write("large", large + "x"), limit), "it is larger than 3 MiB");
}

TEST_F(RegularFile, OtherKinds_AreNamed) {
  EXPECT_EQ(MessageOf(folder_), "it is a directory, not a regular file");
  EXPECT_EQ(MessageOf("/dev/zero"), "it is a device, not a regular file");
  EXPECT_EQ(MessageOf(folder_ + "/none"), "No such file or directory");
  EXPECT_EQ(MessageOf(Write("f", "") + "/x"), "Not a directory");
  EXPECT_EQ(MessageOf(folder_ + std::string("/f\0", 3)), "its name has a NUL in it");
  const std::string fifo = folder_ + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(MessageOf(fifo), "it is a FIFO, not a regular file");
  const std::string link = folder_ + "/link";
  std::filesystem::create_symlink(Write("target", "t"), link);
  EXPECT_EQ(MessageOf(link), "read: t");
  std::filesystem::create_symlink(folder_, folder_ + "/folder");
  EXPECT_EQ(MessageOf(folder_ + "/folder"), "it is a directory, not a regular file");
}

TEST_F(RegularFile, LeavesNoDescriptorOpen) {
  const auto open = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const std::ptrdiff_t before = open();
  static_cast<void>(MessageOf(Write("f", "x")));
  static_cast<void>(MessageOf(Write("f", "x"), 0));
  static_cast<void>(MessageOf(folder_));
  static_cast<void>(MessageOf(folder_ + "/none"));
  EXPECT_EQ(open(), before);
}

TEST(HostName, IsThatOfTheSystem) {
  char host[HOST_NAME_MAX + 1] = {};
  ASSERT_EQ(gethostname(host, sizeof(host)), 0);
  EXPECT_EQ(HostName(), host);
}

TEST(Uuid, IsRandomOfVersion4) {
  Simulation sim;
  std::vector<std::string> made;
  // Digits that have been seen at each place.
  std::vector<std::string> seen(36);
  for (int i = 0; i < 500; ++i) {
    const std::string text = NewUuid(sim.env());
    ASSERT_EQ(text.size(), 36U);
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (seen[at].find(text[at]) == std::string::npos) seen[at] += text[at];
    }
    made.push_back(text);
  }
  std::sort(made.begin(), made.end());
  EXPECT_EQ(std::unique(made.begin(), made.end()), made.end());
  for (std::size_t at = 0; at < seen.size(); ++at) {
    std::sort(seen[at].begin(), seen[at].end());
    const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
    EXPECT_EQ(seen[at], dash ? "-" : at == 14 ? "4" : at == 19 ? "89ab" : "0123456789abcdef") << at;
  }
}

// Two calls for 30 random digits and two further bits.
TEST(Uuid, UsesEachRandomBitOnce) {
  Simulation sim;
  Simulation same;
  const std::string text = NewUuid(sim.env());
  std::vector<std::uint64_t> numbers = {same.env().Random(), same.env().Random()};
  std::size_t number = 0;
  unsigned used = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '-' || at == 14) continue;
    if (used == 16) {
      ++number;
      used = 0;
    }
    const std::uint64_t bits = numbers[number] >> (4 * used++) & 15;
    EXPECT_EQ(text[at], "0123456789abcdef"[at == 19 ? 8 | (bits & 3) : bits]);
  }
  EXPECT_EQ(number, 1U);
}

}  // namespace
}  // namespace kinformer::internal::base
