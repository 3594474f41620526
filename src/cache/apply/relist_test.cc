#include "cache/apply/relist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/internal/raw_event.h"

#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RelistTest : public ::testing::Test {
 protected:
  void Store(std::string_view namespace_, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      static_cast<void>(store_.Put(MakeObject(namespace_, name, "1")));
    }
  }
  static std::unique_ptr<DeltaExtra> ListOf(std::string_view namespace_,
                                            const std::vector<std::string>& names,
                                            std::string_view version = "1") {
    auto list = std::make_unique<DeltaExtra>();
    for (const std::string& name : names) {
      list->objects.push_back(MakeObject(namespace_, name, version));
    }
    return list;
  }
  // Writes all at once, or one slice per call. Returns the number of calls.
  int Run(std::unique_ptr<DeltaExtra> list, const std::string& namespace_ = "",
          SteadyTime until = SteadyTime::max()) {
    events_.clear();
    Relist relist(
        sim_.env(), store_, counters_, StorePart(namespace_), std::move(list),
        [this](EventType type, const Block& object) {
          events_.push_back(std::string(EventTypeName(type)) + " " + std::string(object.name()));
        });
    int turns = 1;
    while (!relist.Continue(until)) ++turns;
    store_.Commit();
    return turns;
  }
  static std::vector<std::string> Numbered(int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back("n" + std::to_string(i));
    return names;
  }

  Simulation sim_;
  StoreCore store_{sim_.env(), {.name = "test"}};
  PipelineCounters counters_;
  std::vector<std::string> events_;
};

TEST_F(RelistTest, TheStoreIsTheList) {
  Store("ns", {"a", "b", "c"});
  Run(ListOf("ns", {"b", "d"}));
  EXPECT_THAT(events_, ElementsAre("ADDED d", "DELETED a", "DELETED c"));
  EXPECT_EQ(counters_.unchanged, 1U);
  EXPECT_EQ(counters_.added, 1U);
  EXPECT_EQ(counters_.deleted, 2U);
  Run(ListOf("ns", {"b", "d"}, "2"));
  EXPECT_THAT(events_, ElementsAre("MODIFIED b", "MODIFIED d"));
  Run(ListOf("ns", {}));
  EXPECT_THAT(events_, ElementsAre("DELETED b", "DELETED d"));
  EXPECT_EQ(store_.Snapshot()->size(), 0U);
}

// Pages of a changing list may repeat an object; that must not hide that another is missing.
TEST_F(RelistTest, AnObjectThatIsListedTwiceIsOne) {
  for (const char* scope : {"", "ns"}) {
    Store("ns", {"a", "b", "c"});
    Run(ListOf("ns", {"a", "b", "a"}), scope);
    EXPECT_THAT(events_, ElementsAre("DELETED c")) << scope;
    Run(ListOf("ns", {"b", "b"}), scope);
    EXPECT_THAT(events_, ElementsAre("DELETED a")) << scope;
  }
}

TEST_F(RelistTest, RelistOfOneNamespace_LeavesOthersAlone) {
  Store("one", {"a", "b"});
  Store("two", {"a", "c"});
  Run(ListOf("one", {"b"}), "one");
  EXPECT_THAT(events_, ElementsAre("DELETED a"));
  EXPECT_NE(store_.Snapshot()->Get("two", "a"), nullptr);
  EXPECT_NE(store_.Snapshot()->Get("two", "c"), nullptr);
  EXPECT_EQ(store_.Snapshot()->size(), 3U);
  Run(ListOf("none", {}), "none");
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(RelistTest, UnreadableObjects_StayAsTheyWere) {
  Store("ns", {"a", "b"});
  auto list = ListOf("ns", {});
  list->unreadable.push_back({"ns", "b"});
  list->unreadable.push_back({"ns", "never-seen"});
  Run(std::move(list));
  EXPECT_THAT(events_, ElementsAre("DELETED a"));
  EXPECT_NE(store_.Snapshot()->Get("ns", "b"), nullptr);
}

// The clock is read only now and then, but often enough to keep turns short.
TEST_F(RelistTest, WorksInTurns) {
  constexpr int kObjects = 2048;
  const int first = Run(ListOf("ns", Numbered(kObjects)), "", sim_.env().Now());
  EXPECT_GE(first, 4);
  EXPECT_LE(first, 64);
  // A list without changes needs no search for deleted objects, which is half of the work.
  EXPECT_EQ(Run(ListOf("ns", Numbered(kObjects)), "", sim_.env().Now()), first);
  EXPECT_THAT(events_, IsEmpty());
  EXPECT_EQ(Run(ListOf("ns", Numbered(kObjects)), "ns", sim_.env().Now()), first);
  EXPECT_GT(Run(ListOf("ns", Numbered(kObjects - 1)), "", sim_.env().Now()), first);
  EXPECT_EQ(events_.size(), 1U);
}

TEST_F(RelistTest, MissingObjects_AreErasedInTurns) {
  constexpr std::size_t kObjects = 2048;
  for (const char* scope : {"", "ns"}) {
    Store("ns", Numbered(kObjects));
    EXPECT_GE(Run(ListOf("ns", {"n7"}), scope, sim_.env().Now()), 4) << scope;
    EXPECT_EQ(events_.size(), kObjects - 1) << scope;
    EXPECT_EQ(store_.Snapshot()->size(), 1U) << scope;
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
