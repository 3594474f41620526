// SnapshotFeed: sinks that are slower than the changes.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "sinks/feed/testing/feed_fixture.h"

namespace kinformer {
namespace {

using std::chrono::minutes;

class FeedOverflowTest : public FeedTest {
 protected:
  // Starts with one object, and closes the gate behind the list.
  void StartWith(OverflowPolicy policy) {
    server_.Put("a");
    SnapshotFeedOptions options = AtOnce();
    options.overflow = policy;
    options.max_events = 4;
    Start(std::move(options));
    sink_->on_commit = [this] {
      MonitorLock lock(*gate_);
      while (!open_) lock.Wait();
    };
  }
  void Open() {
    {
      const MonitorLock lock(*gate_);
      open_ = true;
      gate_->NotifyAll();
    }
    sim_.RunFor(minutes(1));
  }
  // Changes the object n times, each in a piece of data of its own.
  void Change(const std::string& name, int n) {
    for (int i = 0; i < n; ++i) {
      server_.Put(name);
      sim_.RunReady();
    }
  }

  const std::unique_ptr<Monitor> gate_ = sim_.env().NewMonitor();
  bool open_ = false;
};

TEST_F(FeedOverflowTest, Block_ClosesTheWatchAndSkipsNothing) {
  StartWith(OverflowPolicy::kBlock);
  Change("a", 8);
  EXPECT_EQ(server_.open_watches(), 0U);
  Open();
  EXPECT_EQ(server_.open_watches(), 1U);
  EXPECT_EQ(server_.requests.back(), "WATCH rv=6 bookmarks");
  EXPECT_EQ(sink_->words[2], "2>6 +a +a +a +a");
  std::ptrdiff_t changes = 0;
  for (const std::string& word : sink_->words) changes += std::count(word.begin(), word.end(), '+');
  EXPECT_EQ(changes, 9);
  EXPECT_EQ(Mirrored(), OnServer());
}

TEST_F(FeedOverflowTest, Coalesce_KeepsTheNewestChangeOfEachObject) {
  StartWith(OverflowPolicy::kCoalesce);
  Change("a", 4);
  server_.Delete("a");
  sim_.RunReady();
  Change("b", 20);
  EXPECT_EQ(server_.open_watches(), 1U);
  Open();
  EXPECT_EQ(sink_->words[2].substr(0, 9), "2>26 -a +");
  EXPECT_LE(sink_->words[2].size(), std::string("2>26 -a +b +b +b +b +b").size());
  EXPECT_EQ(Mirrored(), OnServer());
}

TEST_F(FeedOverflowTest, DropAndResync_ListsAgainAndCommitsTheDifference) {
  StartWith(OverflowPolicy::kDropAndResync);
  Change("a", 1);
  Change("b", 8);
  server_.Delete("b");
  server_.Put("c");
  sim_.RunFor(minutes(1));
  Open();
  EXPECT_EQ(sink_->words.back(), "2>12 +c");
  EXPECT_EQ(Mirrored(), OnServer());
}

}  // namespace
}  // namespace kinformer
