#include "kinformer/client/list_pager.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/simulation.h"

#include "client/testing/pod_view.h"
#include "client/testing/test_pods.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using internal::client::MakePod;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Error& Expired() {
  static const Error error = Error(Reason::kExpired, "too old").WithHttpStatus(410);
  return error;
}

std::string ItemName(std::size_t i) { return "pod-" + std::to_string(i); }

std::vector<std::string> ItemNames(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(ItemName(i));
  return names;
}

// A server of `items` pods that records the requests.
class ListPagerTest : public ::testing::Test {
 protected:
  Result<ObjectList<Pod>> Page(const ListOptions& options, const CallOptions& call) {
    std::string request = "rv=" + options.resourceVersion;
    if (!options.resourceVersionMatch.empty()) request += " " + options.resourceVersionMatch;
    request += " limit=" + std::to_string(options.limit);
    if (!options.continue_.empty()) request += " continue=" + options.continue_;
    requests_.push_back(request);
    timeouts_.push_back(call.timeout);
    traces_.push_back(call.traceparent);
    if (takes_ > Duration(0)) sim_.env().SleepFor(takes_);
    if (requests_.size() == expires_at_) return Expired();
    const std::size_t from = options.continue_.empty() ? 0 : std::stoul(options.continue_);
    std::size_t to = items_;
    if (options.limit > 0) to = std::min(to, from + static_cast<std::size_t>(options.limit));
    internal::ListedObjects listed;
    for (std::size_t i = from; i < to; ++i) {
      listed.items.push_back(MakePod("default", ItemName(i), "1"));
    }
    listed.metadata.resourceVersion = "rv" + std::to_string(requests_.size());
    if (to < items_) listed.metadata.continue_ = std::to_string(to);
    return ObjectList<Pod>(std::move(listed));
  }
  ListPager<Pod> Pager(ListPagerOptions options = {.page_size = 10}) {
    return ListPager<Pod>(
        sim_.env(), [this](const ListOptions& o, const CallOptions& call) { return Page(o, call); },
        options);
  }
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }
  // Visits each item. Returns the result of the walk.
  Result<void> Visit(const ListPager<Pod>& pager, const ListOptions& options = {},
                     const CallOptions& call = {}) {
    Result<void> result;
    Block([&] {
      result = pager.EachListItem(
          options,
          [&](const Ref<Pod>& pod) -> Result<void> {
            visited_.push_back(pod->name());
            if (on_visit_) return on_visit_();
            return {};
          },
          call);
    });
    return result;
  }

  Simulation sim_;
  std::size_t items_ = 0;
  std::size_t expires_at_ = 0;  // which request; 0: none
  Duration takes_{0};           // a page
  std::function<Result<void>()> on_visit_{};
  std::vector<std::string> requests_;
  std::vector<Duration> timeouts_;
  std::vector<std::string> traces_;
  std::vector<std::string> visited_;
};

TEST_F(ListPagerTest, ItemsOfSeveralPages_PA01) {
  for (const std::size_t items : {0U, 9U, 10U, 11U, 21U}) {
    items_ = items;
    requests_.clear();
    Block([&] {
      const Result<PagedList<Pod>> got = Pager().List();
      ASSERT_TRUE(got);
      std::vector<std::string> names;
      for (std::size_t i = 0; i < got->list.size(); ++i) names.push_back(got->list[i].name());
      EXPECT_EQ(names, ItemNames(items));
      EXPECT_EQ(got->paginated, items > 10);
      EXPECT_EQ(got->list.metadata().resourceVersion, "rv1");
      EXPECT_EQ(got->list.metadata().continue_, "");
    });
  }
}

TEST_F(ListPagerTest, AnExpiredPageIsAnErrorOrOneFullList_PA02_PG06) {
  items_ = 21;
  expires_at_ = 2;
  Block([&] {
    const auto refused = Pager({.page_size = 10, .full_list_if_expired = false}).List();
    ASSERT_FALSE(refused);
    EXPECT_TRUE(IsResourceExpired(refused.error()));
    requests_.clear();
    const auto whole = Pager().List({.resourceVersion = "7"});
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->list.size(), 21U);
    EXPECT_TRUE(whole->paginated);
    EXPECT_EQ(whole->list.metadata().resourceVersion, "rv3");
  });
  EXPECT_THAT(requests_, ElementsAre("rv=7 limit=10", "rv= limit=10 continue=10", "rv=7 limit=0"));
}

TEST_F(ListPagerTest, LaterPagesCarryNothingButTheToken_PA03_PG09) {
  items_ = 11;
  Block([&] {
    EXPECT_TRUE(Pager().List({.resourceVersion = "100", .resourceVersionMatch = "NotOlderThan"}));
  });
  const auto both = ElementsAre("rv=100 NotOlderThan limit=10", "rv= limit=10 continue=10");
  EXPECT_THAT(requests_, both);
  requests_.clear();
  EXPECT_TRUE(Visit(Pager(), {.resourceVersion = "100", .resourceVersionMatch = "NotOlderThan"}));
  EXPECT_THAT(requests_, both);
}

TEST_F(ListPagerTest, EachItemIsVisitedInOrder_PG10_to_PG14) {
  for (const std::size_t items : {0U, 9U, 10U, 11U, 21U}) {
    items_ = items;
    visited_.clear();
    EXPECT_TRUE(Visit(Pager()));
    EXPECT_EQ(visited_, ItemNames(items));
  }
}

TEST_F(ListPagerTest, TheFirstPageIsVisitedBeforeTheSecondExpires_PG15) {
  items_ = 21;
  expires_at_ = 2;
  const Result<void> ended = Visit(Pager());
  ASSERT_FALSE(ended);
  EXPECT_TRUE(IsResourceExpired(ended.error()));
  EXPECT_EQ(visited_, ItemNames(10));
}

TEST_F(ListPagerTest, ACallbackThatThrows_PG16) {
  items_ = 21;
  on_visit_ = [&]() -> Result<void> {
    if (visited_.size() == 3) throw std::runtime_error("third");
    return {};
  };
  Block([&] {
    EXPECT_THROW(static_cast<void>(Pager().EachListItem({},
                                                        [&](const Ref<Pod>& pod) {
                                                          visited_.push_back(pod->name());
                                                          return on_visit_();
                                                        })),
                 std::runtime_error);
  });
  EXPECT_EQ(visited_, ItemNames(3));
}

TEST_F(ListPagerTest, CancelledThatPageIsFinished_PG17) {
  items_ = 21;
  std::stop_source stop;
  on_visit_ = [&]() -> Result<void> {
    if (visited_.size() == 3) stop.request_stop();
    return {};
  };
  const Result<void> ended = Visit(Pager(), {}, {.stop = stop.get_token()});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().reason(), Reason::kCanceled);
  EXPECT_EQ(visited_, ItemNames(10));
}

TEST_F(ListPagerTest, HowFarPagesAreFetchedAhead_PG18_to_PG24_PA05) {
  struct Case {
    std::size_t buffer;
    std::size_t processed;  // pages, the one at hand included
    std::size_t fetched;
  };
  for (const Case& c :
       {Case{0, 1, 2}, {0, 2, 3}, {0, 5, 5}, {1, 1, 3}, {1, 2, 4}, {1, 5, 5}, {10, 1, 5}}) {
    items_ = 5;
    requests_.clear();
    visited_.clear();
    std::size_t fetched = 0;
    on_visit_ = [&]() -> Result<void> {
      if (visited_.size() == c.processed) {
        sim_.env().SleepFor(seconds(1));  // what can be fetched is
        fetched = requests_.size();
        return Error(Reason::kUnknown, "enough");
      }
      return {};
    };
    EXPECT_FALSE(Visit(Pager({.page_size = 1, .page_buffer_size = c.buffer})));
    EXPECT_EQ(fetched, c.fetched) << c.buffer << " " << c.processed;
    EXPECT_EQ(requests_.size(), c.fetched);
  }
}

TEST_F(ListPagerTest, IterationAndItsEnds_PA04) {
  items_ = 21;
  on_visit_ = [&]() -> Result<void> {
    if (visited_.size() == 12) return Error(Reason::kConflict, "mine");
    return {};
  };
  const Result<void> ended = Visit(Pager());
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message(), "mine");
  EXPECT_EQ(visited_, ItemNames(12));

  // Stopped while it waits for a page: at once.
  visited_.clear();
  on_visit_ = nullptr;
  takes_ = seconds(10);
  std::stop_source stop;
  const Timer timer =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(15), [&] { stop.request_stop(); });
  const Result<void> stopped = Visit(Pager(), {}, {.stop = stop.get_token()});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().reason(), Reason::kCanceled);
  EXPECT_EQ(visited_, ItemNames(10));
}

TEST_F(ListPagerTest, TheTimeoutIsForAllPages) {
  items_ = 100;
  takes_ = seconds(10);
  Block([&] {
    const auto late = Pager().List({}, {.timeout = seconds(25)});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
  });
  EXPECT_THAT(timeouts_, ElementsAre(seconds(25), seconds(15), seconds(5)));
  const Result<void> late = Visit(Pager(), {}, {.timeout = seconds(25)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
}

TEST_F(ListPagerTest, TheTraceIsThatOfAllPages) {
  items_ = 20;
  Block([&] { EXPECT_TRUE(Pager().List({}, {.traceparent = "a"}).ok()); });
  EXPECT_TRUE(Visit(Pager(), {}, {.traceparent = "b"}).ok());
  EXPECT_THAT(traces_, ElementsAre("a", "a", "b", "b"));
}

TEST_F(ListPagerTest, AStoppedListAsksForNothing) {
  std::stop_source stop;
  stop.request_stop();
  Block([&] {
    EXPECT_EQ(Pager().List({}, {.stop = stop.get_token()}).error().reason(), Reason::kCanceled);
  });
  EXPECT_EQ(Visit(Pager(), {}, {.stop = stop.get_token()}).error().reason(), Reason::kCanceled);
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(ListPagerTest, APageFunctionThatThrowsEndsTheIteration) {
  const ListPager<Pod> pager(sim_.env(),
                             [](const ListOptions&, const CallOptions&) -> Result<ObjectList<Pod>> {
                               throw std::runtime_error("no page");
                             });
  const Result<void> ended = Visit(pager);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message(), HasSubstr("no page"));
}

TEST_F(ListPagerTest, OnTheLoopItWouldWaitForItself) {
  std::optional<Reason> reason;
  sim_.env().loop().Post([&] { reason = Pager().List().error().reason(); });
  sim_.RunReady();
  EXPECT_EQ(reason, Reason::kWouldDeadlock);
}

}  // namespace
}  // namespace kinformer
