// The transport over libcurl in simulated time: when it reads certificate files again, and what
// happens to its connections.

#include <chrono>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "network/client_calls.h"
#include "network/served_network.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;

constexpr char kChanged[] = "https://127.0.0.1:6443: closed, the client certificate changed";

class ReloadedFiles : public ServedNetwork {
 protected:
  ReloadedFiles() { Write("first"); }
  ~ReloadedFiles() override {
    std::remove(cert_.c_str());
    std::remove(key_.c_str());
  }
  void Write(const std::string& name) const {
    const Credentials made = SocketScene::ClientCertificate(name);
    std::ofstream(cert_) << made.cert_pem;
    std::ofstream(key_) << made.key_pem;
  }
  static void Append(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::app) << text;
  }
  [[nodiscard]] HttpTransportOptions Options() const {
    return {.tls = {.cert_file = cert_, .key_file = key_}, .reload_period = 10s};
  }

  const std::string base_ = ::testing::TempDir() + "kinformer-files-" + std::to_string(getpid());
  const std::string cert_ = base_ + ".crt";
  const std::string key_ = base_ + ".key";
};

// A request begins the reading, which takes no time here; the period begins when it has ended.
TEST_F(ReloadedFiles, Request_ReadsFilesAgainAfterThePeriod) {
  ClientCalls calls(scene_, Options());
  Mark();
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    ClientCall& watch = calls.Start("/watch", kWatches);
    RunFor(10ms);
    Write("next");
    RunTo(round * 10s + 9999ms);
    ASSERT_TRUE(calls.Try("/x").ok());
    RunTo(round * 10s + 10s);
    EXPECT_FALSE(watch.done()) << "no request, no reading";
    ASSERT_TRUE(calls.Try("/x").ok());
    RunFor(1ms);
    EXPECT_EQ(watch.error(), kChanged);
    EXPECT_EQ(calls.Stats().connections_opened, 2 * static_cast<std::size_t>(round + 1));
  }
}

// As in client-go, whose period is the same.
TEST_F(ReloadedFiles, WatchAlone_EndsWithin5MinutesOfTheChange_TR10) {
  ClientCalls calls(scene_, Options());
  Mark();
  ClientCall& watch = calls.Start("/watch", kWatches);
  RunTo(10s);
  Write("next");
  RunTo(299s);
  EXPECT_FALSE(watch.done());
  RunTo(306s);
  EXPECT_EQ(watch.error(), kChanged);
  ClientCall& resumed = calls.Start("/watch", kWatches);
  RunTo(700s);
  EXPECT_FALSE(resumed.done()) << "unchanged files";
  EXPECT_EQ(calls.Stats().connections_opened, 2U);
}

TEST_F(ReloadedFiles, UnchangedFiles_KeepTheConnection) {
  ClientCalls calls(scene_, Options());
  ClientCall& watch = calls.Start("/watch", kWatches);
  for (int i = 0; i < 4; ++i) {
    RunFor(10s);
    ASSERT_TRUE(calls.Try("/x", kWatches).ok());
  }
  RunFor(1s);
  EXPECT_FALSE(watch.done());
  EXPECT_EQ(calls.Stats().connections_opened, 1U);
}

// Either file counts. Watches end, other requests run to their end on their old connection.
TEST_F(ReloadedFiles, ChangeOfEitherFile_EndsWatchesOnly) {
  struct Row {
    const char* cert;
    const char* key;
  };
  for (const Row& row : std::vector<Row>{{"", ""}, {"\n", ""}, {"", "\n"}, {"\n", "\n"}}) {
    SCOPED_TRACE(std::to_string(row.cert[0]) + " " + std::to_string(row.key[0]));
    const bool changed = row.cert[0] != '\0' || row.key[0] != '\0';
    Write("first");
    ClientCalls calls(scene_, Options());
    ClientCall& watch = calls.Start("/watch", kWatches);
    ClientCall& other = calls.Start("/watch", kWatches);
    RunFor(9s);
    ClientCall& slow = calls.Start("/slow/3");
    ClientCall& list = calls.Start("/slow/4", ConnectionPool::kList);
    Append(cert_, row.cert);
    Append(key_, row.key);
    RunFor(1s);
    EXPECT_TRUE(calls.Try("/x").ok());
    RunFor(1ms);
    EXPECT_EQ(watch.error(), changed ? kChanged : "");
    EXPECT_EQ(other.error(), changed ? kChanged : "");
    EXPECT_EQ(calls.Stats().connections_opened, 3U);
    EXPECT_TRUE(calls.Try("/x").ok());
    EXPECT_EQ(calls.Stats().connections_opened, changed ? 4U : 3U);
    EXPECT_TRUE(calls.Try("/x", kWatches).ok());
    EXPECT_EQ(calls.Stats().connections_opened, changed ? 5U : 3U);
    RunFor(5s);
    EXPECT_TRUE(slow.ok()) << slow.error();
    EXPECT_TRUE(list.ok()) << list.error();
  }
}

TEST_F(ReloadedFiles, FilesThatCannotBeRead_KeepTheOldOnesForAPeriod) {
  ClientCalls calls(scene_, Options());
  Mark();
  ClientCall& watch = calls.Start("/watch", kWatches);
  RunTo(5s);
  std::ofstream(cert_) << "garbage";
  RunTo(10s);
  ASSERT_TRUE(calls.Try("/x").ok());
  RunTo(11s);
  Write("next");
  RunTo(19999ms);
  ASSERT_TRUE(calls.Try("/x").ok());
  RunTo(20s);
  EXPECT_FALSE(watch.done());
  EXPECT_EQ(calls.Stats().connections_opened, 2U);
  ASSERT_TRUE(calls.Try("/x").ok());
  RunFor(1ms);
  EXPECT_EQ(watch.error(), kChanged);
  ASSERT_TRUE(calls.Try("/x").ok());
  EXPECT_EQ(calls.Stats().connections_opened, 3U);
}

}  // namespace
}  // namespace kinformer::testing
