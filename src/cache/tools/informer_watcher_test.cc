#include "kinformer/cache/informer_watcher.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cache/informer/testing/informer_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class InformerWatcherTest : public InformerTest {
 protected:
  void Open(InformerOptions<Pod> options = {}) {
    made_ =
        NewIndexerInformerWatcher<Pod>(sim_.env(), server_.NewListerWatcher(), std::move(options))
            .value();
    Settle();
  }
  // Takes what there is.
  std::vector<std::string> Take() {
    std::vector<std::string> events;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          for (;;) {
            const auto next = made_->watcher.Next({.timeout = milliseconds(1)});
            closed_ = next && !*next;
            if (!next || closed_) return;
            static const char* const kSigns[] = {"+", "~", "-"};
            events.push_back(kSigns[static_cast<int>((*next)->type)] + (*next)->object->name() +
                             " " + (*next)->object->value());
          }
        },
        seconds(10)));
    return events;
  }

  std::optional<IndexerInformerWatcher<Pod>> made_;
  bool closed_ = false;
};

TEST_F(InformerWatcherTest, StopsThoughNobodyReads_IW01_IW02) {
  server_.Put("a", "1");
  Open();
  server_.Put("b", "1");
  Settle();
  // One reader waits, too.
  EXPECT_EQ(Take().size(), 2U);
  bool ended = false;
  auto reader = sim_.env().NewThread("reader", [&] {
    const auto next = made_->watcher.Next();
    ended = next && !*next;
  });
  Settle();
  EXPECT_FALSE(ended);
  made_->watcher.Stop();
  Settle();
  EXPECT_TRUE(ended);
  EXPECT_TRUE(made_->informer.IsStopped());
  EXPECT_EQ(server_.open_watches(), 0U);
  server_.Put("c", "1");
  Settle();
  EXPECT_THAT(Take(), IsEmpty());
  EXPECT_TRUE(closed_);
}

TEST_F(InformerWatcherTest, AnyNumberOfEventsInOrder_IW03_RWA10) {
  Open();
  std::vector<std::string> wanted;
  for (int i = 0; i < 10'000; ++i) {
    server_.Put("a", std::to_string(i));
    wanted.push_back((i == 0 ? "+a " : "~a ") + std::to_string(i));
  }
  sim_.RunFor(seconds(5));
  EXPECT_EQ(Take(), wanted);
}

struct ModeRow {
  const char* id;
  bool watch_list;
};

class InformerWatcherModes : public InformerWatcherTest,
                             public ::testing::WithParamInterface<ModeRow> {};

TEST_P(InformerWatcherModes, AnInformersEventsAsAWatch_RWA09) {
  server_.watch_list_unsupported = !GetParam().watch_list;
  server_.Put("a", "1");
  server_.Put("b", "1");
  Open();
  EXPECT_EQ(server_.requests.front().starts_with("WATCHLIST"), GetParam().watch_list);
  EXPECT_EQ(server_.requests.size(), GetParam().watch_list ? 1U : 2U);
  EXPECT_THAT(Take(), UnorderedElementsAre("+a 1", "+b 1")) << "and no end of a list";
  EXPECT_EQ(made_->indexer.List().size(), 2U);
  server_.Put("c", "1");
  server_.Put("a", "2");
  server_.Delete("b");
  server_.Bookmark();
  Settle();
  EXPECT_THAT(Take(), ElementsAre("+c 1", "~a 2", "-b 1"));
  EXPECT_FALSE(made_->indexer.GetByKey("default/b"));
  server_.Put("d", "1");
  Settle();
  made_->watcher.Stop();
  Settle();
  EXPECT_THAT(Take(), IsEmpty()) << "what nobody had read";
  EXPECT_TRUE(closed_);
  EXPECT_EQ(server_.open_watches(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Rows, InformerWatcherModes,
                         ::testing::Values(ModeRow{"IW_04", false}, ModeRow{"IW_05", true}),
                         [](const auto& row) { return row.param.id; });

TEST_F(InformerWatcherTest, DeletionFoundByRelist_HasLastState_IW06) {
  server_.Put("a", "1");
  server_.Put("b", "7");
  Open();
  EXPECT_EQ(Take().size(), 2U);
  WhileCutOff([&] {
    server_.Delete("b");
    server_.Put("a", "2");
  });
  EXPECT_THAT(Take(), ElementsAre("-b 7", "~a 2"));
}

TEST_F(InformerWatcherTest, LosingAllHandlesEndsTheInformer) {
  Open();
  EXPECT_EQ(server_.open_watches(), 1U);
  made_.reset();
  EXPECT_EQ(server_.open_watches(), 0U);
}

TEST_F(InformerWatcherTest, WithoutAWatcherTheInformerHasNoUse) {
  Open();
  const SharedInformer<Pod> informer = made_->informer;
  made_.reset();
  Settle();
  EXPECT_TRUE(informer.IsStopped());
  EXPECT_EQ(server_.open_watches(), 0U);
}

TEST_F(InformerWatcherTest, TheInformerIsAsTheOptionsSay) {
  server_.Put("a", "1");
  Open({.indexers = {{"value", [](Pod p, auto& out) { out.Add(p.value()); }}},
        .resync_period = seconds(10)});
  EXPECT_EQ(made_->indexer.ByIndex("value", "1").size(), 1U);
  sim_.RunFor(seconds(60));
  EXPECT_THAT(Take(), ElementsAre("+a 1"));  // a resync is no event
}

}  // namespace
}  // namespace kinformer
