// Informers of several namespaces that share one cache with a limit.

#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cache/informer/testing/namespaces_fixture.h"

namespace kinformer {
namespace {

using internal::client::MakePod;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Error TooOld() { return Error(Reason::kExpired, "too old").WithHttpStatus(410); }

class LimitedNamespaces : public NamespacesTest, public testing::WithParamInterface<InitialList> {
 protected:
  InformerOptions<Pod> Options(std::size_t max_objects, LimitPolicy policy) {
    InformerOptions<Pod> options;
    options.initial_list = GetParam();
    options.namespaces = {"blue", "green"};
    options.max_objects = max_objects;
    options.limit_policy = policy;
    return options;
  }
  void Put(const std::string& ns, int objects) {
    for (int i = 0; i < objects; ++i) Server(ns).Put(ns.substr(0, 1) + std::to_string(i));
  }
  // Returns the numbers of objects and of left-out objects for each namespace.
  static std::vector<std::pair<std::size_t, std::size_t>> Each(
      const SharedInformer<Pod>& informer) {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (const NamespaceStatus& one : informer.Namespaces()) {
      all.emplace_back(one.objects, one.left_out);
    }
    return all;
  }
  // Pages of the two lists arrive alternately.
  void PagesThatTakeTurns() {
    InformerOptions<Pod> options = Options(3, LimitPolicy::kServePart);
    options.watch_list_page_size = 1;
    for (const char* const ns : {"blue", "green"}) {
      Put(ns, 3);
      Server(ns).pages_ignore_rv = true;
    }
    auto informer = Make(std::move(options));
    informer.Start();
    Settle();
    EXPECT_THAT(Each(informer), ElementsAre(Of(2, 1), Of(1, 2)));
    EXPECT_EQ(informer.Stats().objects, 3U);
  }
  static std::pair<std::size_t, std::size_t> Of(std::size_t objects, std::size_t left_out) {
    return {objects, left_out};
  }
};
INSTANTIATE_TEST_SUITE_P(Lists, LimitedNamespaces,
                         testing::Values(InitialList::kWatchList, InitialList::kList));

TEST_P(LimitedNamespaces, TheLimitIsThatOfTheWholeCache) {
  Put("blue", 3);
  auto informer = Make(Options(4, LimitPolicy::kNotSynced));
  const auto recorder = Record(informer);
  Server("green").down = Forbidden();
  informer.Start();
  Settle();
  Server("green").down.reset();
  Put("green", 3);
  sim_.RunFor(seconds(30));
  EXPECT_THAT(Each(informer), ElementsAre(Of(3, 0), Of(1, 2)));
  EXPECT_THAT(recorder->words, UnorderedElementsAre("+b0!", "+b1!", "+b2!", "+g0!"));
  EXPECT_EQ(informer.Stats().objects, 4U);
  EXPECT_EQ(informer.Stats().left_out, 2U);
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_TRUE(informer.Namespaces()[0].synced);
  EXPECT_FALSE(informer.Namespaces()[1].synced);
  // Reads depend on the state of their own namespace.
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "blue", "b9"), Reason::kNotFound);
  EXPECT_TRUE(pods.Namespace("blue").List().ok());
  EXPECT_EQ(Absence(pods, "green", "g2"), Reason::kOverLimit);
  EXPECT_EQ(Absence(pods, "green", "g9"), Reason::kNotSynced);
  EXPECT_THAT(pods.Namespace("green").List().error().message(), HasSubstr("max_objects (4)"));
  EXPECT_EQ(pods.List().error().reason(), Reason::kNotSynced);
  const auto fast = informer.WaitForCacheSync({}, {.fail_fast = true});
  EXPECT_EQ(fast.error().reason(), Reason::kOverLimit);
  EXPECT_THAT(fast.error().message(), HasSubstr("2 objects are left out"));
}

TEST_P(LimitedNamespaces, APartIsServedWhereTheUserSaysSo) {
  Put("blue", 3);
  Put("green", 3);
  auto informer = Make(Options(4, LimitPolicy::kServePart));
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_TRUE(informer.lister().List().ok());
  EXPECT_EQ(informer.Stats().objects, 4U);
  EXPECT_EQ(informer.Stats().left_out, 2U);
  EXPECT_EQ(Absence(informer.lister(), "green", "g9"), Reason::kNotFound);
  // The limit applies to events as it does to lists.
  Server("blue").Put("b8");
  Server("green").Put("g8");
  Settle();
  EXPECT_EQ(informer.Stats().objects, 4U);
  EXPECT_EQ(informer.Stats().left_out, 4U);
  EXPECT_EQ(Absence(informer.lister(), "blue", "b8"), Reason::kOverLimit);
  EXPECT_EQ(informer.Stats().gaps, 0U);
}

// Both lists are received at the same time, and neither is in the store yet.
TEST_P(LimitedNamespaces, ListsThatComeTogetherDoNotTakeTheSameRoom) {
  if (GetParam() == InitialList::kList) return PagesThatTakeTurns();
  Server("blue").never_ends_initial_events = true;
  Server("green").never_ends_initial_events = true;
  auto informer = Make(Options(3, LimitPolicy::kServePart));
  informer.Start();
  Settle();
  for (const char* const rv : {"1", "2", "3"}) {
    for (const char* const ns : {"blue", "green"}) {
      Server(ns).Send(WatchEventType::kAdded, MakePod(ns, std::string("p") + rv, rv));
      Settle();
    }
  }
  // Room promised to one list is not available for events of the other namespace.
  Server("blue").SendBookmark("3", true);
  Settle();
  EXPECT_THAT(Each(informer), ElementsAre(Of(2, 1), Of(0, 0)));
  Server("blue").Send(WatchEventType::kAdded, MakePod("blue", "late", "4"));
  Settle();
  EXPECT_EQ(Absence(informer.lister(), "blue", "late"), Reason::kOverLimit);
  Server("green").SendBookmark("3", true);
  Settle();
  EXPECT_THAT(Each(informer), ElementsAre(Of(2, 2), Of(1, 2)));
  EXPECT_EQ(informer.Stats().objects, 3U);
}

TEST_P(LimitedNamespaces, ARelistOfOneNamespaceLeavesTheOthersAlone) {
  Put("blue", 3);
  Put("green", 3);
  auto informer = Make(Options(2, LimitPolicy::kServePart));
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  ASSERT_EQ(informer.Stats().left_out, 4U);
  const auto before = Each(informer);
  recorder->words.clear();
  // While blue is cut off, one of its left-out objects is deleted.
  Server("blue").down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  Server("blue").FailWatches(TooOld());
  Settle();
  for (const char* const name : {"b0", "b1", "b2"}) {
    if (Absence(informer.lister(), "blue", name) == Reason::kOverLimit) {
      Server("blue").Delete(name);
      break;
    }
  }
  Server("blue").Forget();
  Server("blue").down.reset();
  sim_.RunFor(seconds(90));
  EXPECT_THAT(recorder->words, IsEmpty());
  EXPECT_EQ(informer.Stats().objects, 2U);
  EXPECT_THAT(Each(informer), ElementsAre(Of(before[0].first, before[0].second - 1), before[1]));
  int over = 0;
  for (const char* const name : {"g0", "g1", "g2"}) {
    if (Absence(informer.lister(), "green", name) == Reason::kOverLimit) ++over;
  }
  EXPECT_EQ(over, static_cast<int>(before[1].second));
}

TEST_P(LimitedNamespaces, RoomFreedInOneNamespace_IsUsedByOthers) {
  Put("blue", 3);
  auto informer = Make(Options(4, LimitPolicy::kNotSynced));
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  Put("green", 3);
  Settle();
  EXPECT_FALSE(informer.HasSynced()) << "it was, and is not any more";
  EXPECT_THAT(Each(informer), ElementsAre(Of(3, 0), Of(1, 2)));
  Server("blue").Delete("b0");
  Server("blue").Delete("b1");
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Each(informer), ElementsAre(Of(1, 0), Of(3, 0)));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_TRUE(informer.lister().List().ok());
  EXPECT_EQ(Absence(informer.lister(), "green", "g9"), Reason::kNotFound);
  EXPECT_EQ(informer.Stats().left_out, 0U);
}

TEST_P(LimitedNamespaces, RoomForOneIsOfferedToOne) {
  InformerOptions<Pod> options = Options(10, LimitPolicy::kServePart);
  options.namespaces.clear();
  for (int i = 0; i < 10; ++i) {
    const std::string ns = "ns-" + std::to_string(i);
    options.namespaces.push_back(ns);
    Server(ns).Put("a");
  }
  auto informer = Make(std::move(options));
  informer.Start();
  Settle();
  for (int i = 0; i < 10; ++i) Server("ns-" + std::to_string(i)).Put("b");
  Settle();
  ASSERT_EQ(informer.Stats().left_out, 10U);
  ASSERT_EQ(informer.Stats().AllLists(), 10U);
  Server("ns-3").Delete("a");
  sim_.RunFor(minutes(5));
  EXPECT_EQ(informer.Stats().objects, 10U);
  EXPECT_EQ(informer.Stats().left_out, 9U);
  EXPECT_EQ(informer.Stats().AllLists(), 11U);
  Server("ns-4").Delete("a");
  Server("ns-5").Delete("a");
  sim_.RunFor(minutes(5));
  EXPECT_EQ(informer.Stats().left_out, 7U);
  EXPECT_EQ(informer.Stats().AllLists(), 13U);
}

TEST_P(LimitedNamespaces, ANamespaceThatGoesMakesRoom) {
  Server("").down = Forbidden();
  Namespaces().Put("blue");
  Namespaces().Put("green");
  Put("blue", 3);
  Put("green", 3);
  InformerOptions<Pod> options = Options(4, LimitPolicy::kNotSynced);
  options.namespaces.clear();
  options.if_forbidden = {.watch_namespaces = true};
  auto informer = MakeWithNamespaces(std::move(options));
  informer.Start();
  Settle();
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_EQ(informer.Stats().objects, 4U);
  Namespaces().Delete("blue");
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Each(informer), ElementsAre(Of(3, 0)));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(informer.Stats().left_out, 0U);
  EXPECT_EQ(Absence(informer.lister(), "blue", "b2"), Reason::kNotFound);
}

TEST_P(LimitedNamespaces, BytesAreThoseOfTheWholeCache) {
  Server("blue").Put("b", std::string(3000, 'x'));
  Server("green").Put("g", std::string(3000, 'x'));
  InformerOptions<Pod> options = Options(0, LimitPolicy::kServePart);
  options.max_bytes = 5000;
  auto informer = Make(std::move(options));
  informer.Start();
  Settle();
  EXPECT_EQ(informer.Stats().objects, 1U);
  EXPECT_EQ(informer.Stats().left_out, 1U);
  EXPECT_LE(informer.Stats().object_bytes, 5000U);
  // The cached object shrinks, and there is room for the other one.
  const bool blue = Absence(informer.lister(), "blue", "b") == std::nullopt;
  Server(blue ? "blue" : "green").Put(blue ? "b" : "g", "x");
  sim_.RunFor(minutes(2));
  EXPECT_EQ(informer.Stats().objects, 2U);
  EXPECT_EQ(informer.Stats().left_out, 0U);
}

// Objects left out in one life are known in the next one, whatever places that has.
TEST_P(LimitedNamespaces, AnotherLifeBeginsWhereTheOneBeforeEnded) {
  Put("blue", 3);
  Put("green", 3);
  auto informer = Make(Options(4, LimitPolicy::kServePart));
  informer.Start();
  Settle();
  informer.Stop();
  Settle();
  EXPECT_EQ(informer.Stats().left_out, 2U);
  Server("blue").Delete("b0");
  informer.Start();
  sim_.RunFor(minutes(3));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(informer.Stats().objects, 4U);
  EXPECT_EQ(informer.Stats().left_out, 1U);
}

// With any changes of the namespaces the cache keeps its limit, knows of each left-out object, and
// has all objects once there is room.
TEST_P(LimitedNamespaces, AnyChangesKeepTheLimitAndLoseNothing) {
  constexpr std::size_t kLimit = 12;
  InformerOptions<Pod> options = Options(kLimit, LimitPolicy::kServePart);
  options.namespaces = {"blue", "green", "red"};
  auto informer = Make(options);
  informer.Start();
  std::mt19937 random(7);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto check = [&](const std::string& when) {
    std::size_t there = 0;
    for (const std::string& ns : options.namespaces) {
      for (const auto& [key, pod] : Server(ns).objects()) {
        const Result<Ref<Pod>> got = informer.lister().Namespace(ns).Get(key.name);
        if (!got) {
          EXPECT_EQ(got.error().reason(), Reason::kOverLimit) << when << " " << key.ToString();
        } else {
          EXPECT_EQ((*got)->value(), internal::client::PodValue(*pod)) << when;
        }
        ++there;
      }
    }
    EXPECT_EQ(informer.Stats().objects + informer.Stats().left_out, there) << when;
  };
  std::size_t left_out = 0;
  for (int round = 0; round < 40; ++round) {
    for (int step = 0; step < 30; ++step) {
      const std::string& ns = options.namespaces[below(3)];
      internal::client::FakeServer& server = Server(ns);
      const std::string name = "p" + std::to_string(below(6));
      const bool exists = server.objects().contains({ns, name});
      switch (below(8)) {
        case 0:
          // Cuts the server off; no events are sent until it is back.
          server.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
          server.FailWatches(TooOld());
          break;
        case 1:
          if (server.down) server.Forget();
          server.down.reset();
          break;
        case 2:
        case 3:
          if (exists) server.Delete(name);
          break;
        default:
          server.Put(name, std::to_string(step));
      }
      sim_.RunFor(std::chrono::milliseconds(below(3) == 0 ? 3000 : 1));
      ASSERT_LE(informer.Stats().objects, kLimit) << round << "." << step;
    }
    for (const std::string& ns : options.namespaces) {
      if (Server(ns).down) Server(ns).Forget();
      Server(ns).down.reset();
    }
    sim_.RunFor(minutes(2));
    check("round " + std::to_string(round));
    left_out += informer.Stats().left_out;
  }
  EXPECT_GT(left_out, 0U) << "there was too much, now and then";
  for (int i = 0; i < 6; ++i) {
    const std::string name = "p" + std::to_string(i);
    if (Server("red").objects().contains({"red", name})) Server("red").Delete(name);
  }
  sim_.RunFor(std::chrono::hours(3));
  check("at the end");
  EXPECT_EQ(informer.Stats().left_out, 0U);
}

}  // namespace
}  // namespace kinformer
