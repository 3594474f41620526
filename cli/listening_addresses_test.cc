#include "cli/listening_addresses.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ListeningAddressesTest : public testing::Test {
 protected:
  ListeningAddressesTest() {
    fs::remove_all(proc_);
    fs::create_directories(proc_ / "12" / "fd");
    fs::create_directories(proc_ / "12" / "net");
  }
  ~ListeningAddressesTest() override { fs::remove_all(proc_); }
  void Socket(const std::string& number, const std::string& inode) const {
    fs::create_symlink("socket:[" + inode + "]", proc_ / "12" / "fd" / number);
  }
  void Table(const std::string& name, const std::string& lines) const {
    std::ofstream(proc_ / "12" / "net" / name) << "  sl  local_address rem_address st\n" << lines;
  }
  static std::string Line(const std::string& local, const std::string& state,
                          const std::string& inode) {
    return "   0: " + local + " 00000000:0000 " + state +
           " 00000000:00000000 00:00000000 00000000  1000        0 " + inode + " 1 0 100\n";
  }
  Result<std::vector<std::string>> Addresses() const {
    return ListeningAddresses("12", proc_.string());
  }
  const fs::path proc_ = fs::path(testing::TempDir()) / "listening_addresses_test";
};

TEST_F(ListeningAddressesTest, SocketsOfTheProcess_AreInTheOrderOfTheirPorts) {
  Socket("3", "100");
  Socket("4", "101");
  Socket("5", "102");
  Socket("6", "103");
  fs::create_symlink("/dev/null", proc_ / "12" / "fd" / "0");
  Table("tcp", Line("0100007F:1F90", "0A", "100") + Line("00000000:0050", "0A", "101") +
                   Line("0100007F:1F91", "01", "102") + Line("0100007F:1F92", "0A", "999"));
  Table("tcp6", Line("00000000000000000000000000000000:2378", "0A", "102") +
                    Line("00000000000000000000000001000000:0051", "0A", "103") + "broken line\n");
  const auto addresses = Addresses();
  ASSERT_TRUE(addresses.ok()) << addresses.error().ToString();
  EXPECT_THAT(*addresses, ElementsAre("127.0.0.1:80", "[::1]:81", "127.0.0.1:8080", "[::1]:9080"));
}

TEST_F(ListeningAddressesTest, WithoutSockets_ThereIsNone) {
  const auto addresses = Addresses();
  ASSERT_TRUE(addresses.ok());
  EXPECT_THAT(*addresses, IsEmpty());
}

TEST_F(ListeningAddressesTest, NoProcessAndNoNumberAreErrors) {
  EXPECT_EQ(ListeningAddresses("13", proc_.string()).error().message(), "there is no process 13");
  EXPECT_THAT(ListeningAddresses("1/2", proc_.string()).error().message(),
              HasSubstr("--pid takes a number"));
}

}  // namespace
}  // namespace kinformer::cli
