#include "cli/listening_ports.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// A folder like /proc, with a process 42.
class ListeningAddressesTest : public ::testing::Test {
 protected:
  ListeningAddressesTest() {
    for (const char* const folder : {"42/fd", "42/net", "42/ns", "self/ns"}) {
      fs::create_directories(proc_ / folder);
    }
    fs::create_symlink("net:[1]", proc_ / "self/ns/net");
    SetNetwork("net:[1]");
    Write("tcp", "");
    Write("tcp6", "");
  }
  ~ListeningAddressesTest() override { fs::remove_all(proc_); }

  void SetNetwork(const std::string& network) {
    fs::remove(proc_ / "42/ns/net");
    fs::create_symlink(network, proc_ / "42/ns/net");
  }
  void HasSocket(int descriptor, const std::string& inode) {
    fs::create_symlink("socket:[" + inode + "]", proc_ / "42/fd" / std::to_string(descriptor));
  }
  void Write(const std::string& file, const std::string& lines) {
    std::ofstream(proc_ / "42/net" / file) << "  sl  local_address rem_address   st\n" << lines;
  }
  static std::string Line(const std::string& local, const std::string& state,
                          const std::string& inode) {
    return "   0: " + local + " 00000000:0000 " + state +
           " 00000000:00000000 00:00000000 00000000     0        0 " + inode + " 1 0 100 0 0 10\n";
  }
  Result<std::vector<std::string>> Addresses(std::int64_t pid = 42) {
    return ListeningAddressesOf(pid, proc_.string());
  }

  const fs::path proc_ =
      fs::path(testing::TempDir()) / ("kinformer-proc-" + std::to_string(getpid()));
};

TEST_F(ListeningAddressesTest, PortsOfTheProcess_AreFoundInBothTables) {
  HasSocket(3, "100");
  HasSocket(4, "101");
  HasSocket(5, "102");
  HasSocket(6, "103");
  Write("tcp", Line("0100007F:1F90", "0A", "100") +                           // 127.0.0.1:8080
                   Line("00000000:0050", "0A", "999"));                       // of another process
  Write("tcp6", Line("00000000000000000000000000000000:1F91", "0A", "101") +  // [::]:8081
                    Line("00000000000000000000000001000000:1F92", "0A", "102") +  // [::1]:8082
                    Line("0000000000000000FFFF00000100000A:1F93", "0A", "103"));  // 10.0.0.1
  EXPECT_THAT(Addresses().OrExit(),
              ElementsAre("127.0.0.1:8080", "127.0.0.1:8081", "[::1]:8082", "10.0.0.1:8083"));
}

TEST_F(ListeningAddressesTest, ConnectionsAreNoPorts) {
  HasSocket(3, "100");
  Write("tcp", Line("0100007F:1F90", "01", "100"));
  EXPECT_EQ(Addresses().error().reason(), Reason::kNotFound);
  EXPECT_THAT(Addresses().error().message(), HasSubstr("process 42 listens on no TCP port"));
}

TEST_F(ListeningAddressesTest, LinesThatNobodyWrites_AreLeftOut) {
  HasSocket(3, "100");
  Write("tcp", "\n   0: \n" + Line("0100007F", "0A", "100") + Line("xy00007F:1F90", "0A", "100") +
                   Line("0100007F:zz", "0A", "100") + Line(":1F90", "0A", "100"));
  EXPECT_EQ(Addresses().error().reason(), Reason::kNotFound);
}

TEST_F(ListeningAddressesTest, UnknownProcess_IsNotFound) {
  EXPECT_EQ(Addresses(43).error().message(), "process 43 does not exist");
}

TEST_F(ListeningAddressesTest, ProcessInAContainer_TellsHowToGetThere) {
  HasSocket(3, "100");
  Write("tcp", Line("0100007F:1F90", "0A", "100"));
  SetNetwork("net:[2]");
  EXPECT_EQ(Addresses().error().reason(), Reason::kForbidden);
  EXPECT_THAT(Addresses().error().message(), HasSubstr("nsenter --net --target 42"));
}

}  // namespace
}  // namespace kinformer::cli
