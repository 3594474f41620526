#include "base/text/regular_file.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/host_name.h"

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

TEST_F(RegularFile, ReadThatFails_IsReported) {
  // A file of the system whose first page cannot be read.
  EXPECT_EQ(MessageOf("/proc/self/mem"), "Input/output error");
  errno = EINTR;
  EXPECT_EQ(MessageOf(Write("f", "x")), "read: x")
      << "an earlier interruption is none of this read";
}

TEST_F(RegularFile, Descriptor0_IsReadAndClosed) {
  const std::string path = Write("f", "x");
  const int before = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  const std::string got = MessageOf(path);
  const int left = fcntl(STDIN_FILENO, F_GETFD);
  dup2(before, STDIN_FILENO);
  close(before);
  EXPECT_EQ(got, "read: x");
  EXPECT_EQ(left, -1);
}

TEST(HostName, IsThatOfTheSystem) {
  char host[HOST_NAME_MAX + 1] = {};
  ASSERT_EQ(gethostname(host, sizeof(host)), 0);
  EXPECT_EQ(HostName(), host);
}

}  // namespace
}  // namespace kinformer::internal::base
