// Results of reads from an informer's cache, depending on its state.

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/cache/shared_informer.h"

#include "cache/apply/coverage_writer.h"
#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

class InformerReads : public InformerTest {
 protected:
  static std::optional<Reason> Absence(const Lister<Pod>& pods, std::string_view namespace_,
                                       std::string_view name) {
    const Result<Ref<Pod>> got = pods.Namespace(namespace_).Get(name);
    return got ? std::nullopt : std::optional(got.error().reason());
  }
};

// An index function runs while a batch is written: it reads the previous version.
TEST_F(InformerReads, AnObjectThatBecomesReadableIsNeverMissing) {
  server_.watch_list_unsupported = true;
  server_.unreadable = {{"default", "broken"}};
  std::optional<SharedInformer<Pod>> informer;
  std::vector<std::optional<Reason>> told;
  informer.emplace(Make({.indexers = {{"name", [&](Pod pod, auto&) {
                                         if (pod.name() != "broken") return;
                                         told.push_back(
                                             Absence(informer->lister(), "default", "broken"));
                                       }}}}));
  informer->Start();
  Settle();
  const Lister<Pod> pods = informer->lister();
  EXPECT_EQ(Absence(pods, "default", "broken"), Reason::kUnreadable);
  server_.Put("broken");
  Settle();
  EXPECT_EQ(told, (std::vector<std::optional<Reason>>{Reason::kUnreadable}));
  EXPECT_EQ(Absence(pods, "default", "broken"), std::nullopt);
}

TEST_F(InformerReads, AStoppedCacheSaysSo) {
  server_.Put("a");
  auto informer = Make();
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "default", "b"), Reason::kNotSynced);
  informer.Start();
  EXPECT_EQ(Absence(pods, "default", "b"), Reason::kNotSynced);
  Settle();
  EXPECT_EQ(Absence(pods, "default", "b"), Reason::kNotFound);
  informer.Stop();
  EXPECT_EQ(Absence(pods, "default", "b"), Reason::kStopped);
  EXPECT_EQ(Absence(pods, "default", "a"), std::nullopt) << "what is cached stays readable";
  EXPECT_EQ(pods.List().error().reason(), Reason::kStopped);
  EXPECT_EQ(pods.List().size(), 1U);
  Settle();
  EXPECT_EQ(Absence(pods, "default", "b"), Reason::kStopped);
  // The next life does not know what happened in between.
  server_.Put("b");
  informer.Start();
  EXPECT_EQ(Absence(pods, "default", "b"), Reason::kNotSynced);
  EXPECT_EQ(pods.ByIndex(kNamespaceIndex, "default").error().reason(), Reason::kNotSynced);
  Settle();
  EXPECT_EQ(Absence(pods, "default", "b"), std::nullopt);
  EXPECT_EQ(Absence(pods, "default", "c"), Reason::kNotFound);
}

TEST_F(InformerReads, Store_IsCompleteWithTheWholeFirstListOnly) {
  server_.Put("a");
  server_.Put("b");
  std::vector<bool> complete;
  std::optional<SharedInformer<Pod>> informer;
  informer.emplace(Make({.trace = [&](const TraceEvent& event) {
    if (event.stage != "store") return;
    const ObjectRange<Pod> all = informer->lister().List();
    EXPECT_EQ(all.ok(), all.size() == 2) << event.key;
    complete.push_back(all.ok());
  }}));
  informer->Start();
  Settle();
  EXPECT_TRUE(informer->HasSynced());
  ASSERT_FALSE(complete.empty());
  EXPECT_TRUE(complete.back());
  EXPECT_EQ(Absence(informer->lister(), "default", "c"), Reason::kNotFound);
}

TEST_F(InformerReads, ObjectExcludedBySelector_IsOutOfScope) {
  server_.Put("a");
  server_.scope.namespace_ = "default";
  server_.scope.fieldSelector = "metadata.name=a";
  auto informer = Make();
  informer.Start();
  Settle();
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "default", "b"), Reason::kOutOfScope);
  EXPECT_EQ(Absence(pods, "other", "a"), Reason::kOutOfScope);
  EXPECT_NE(pods.Get("other", "a")
                .error()
                .message()
                .find("looks at objects with namespace \"default\" and the name \"a\" only"),
            std::string::npos)
      << pods.Get("other", "a").error();
  server_.Delete("a");
  Settle();
  EXPECT_EQ(Absence(pods, "default", "a"), Reason::kNotFound);
  // The next life may have another scope.
  informer.Stop();
  Settle();
  server_.scope = {.labelSelector = "app=web", .fieldSelector = "spec.nodeName=n1"};
  informer.Start();
  Settle();
  const Error error = pods.Namespace("other").Get("a").error();
  EXPECT_TRUE(IsAbsent(error));
  EXPECT_FALSE(IsNotFound(error));
  EXPECT_THAT(error.message(), HasSubstr("label selector \"app=web\""));
  EXPECT_THAT(error.message(), HasSubstr("field selector \"spec.nodeName=n1\""));
  EXPECT_TRUE(pods.List().ok()) << "all that it looks at";
}

TEST(ScopeOfAList, KnowsWhatIsPartOfTheKey) {
  using internal::cache::Scope;
  using internal::cache::ScopeOf;
  const auto includes = [](const Scope& scope, std::string_view ns, std::string_view name) {
    internal::cache::Coverage coverage;
    coverage.scope = scope;
    return coverage.Includes(ns, name);
  };
  EXPECT_TRUE(includes(ScopeOf({}), "any", "thing"));
  EXPECT_EQ(ScopeOf({}).conditions, "");
  const Scope keys = ScopeOf({.fieldSelector = "metadata.namespace=ns,metadata.name==x"});
  EXPECT_TRUE(includes(keys, "ns", "x"));
  EXPECT_FALSE(includes(keys, "ns", "y"));
  EXPECT_FALSE(includes(keys, "other", "x"));
  EXPECT_EQ(keys.conditions, "");
  const Scope without = ScopeOf({.fieldSelector = "metadata.namespace!=a,metadata.namespace!=b"});
  EXPECT_FALSE(includes(without, "a", "x"));
  EXPECT_FALSE(includes(without, "b", "x"));
  EXPECT_TRUE(includes(without, "c", "x"));
  EXPECT_EQ(without.conditions, "");
  const Scope others = ScopeOf({.fieldSelector = "metadata.name!=x"});
  EXPECT_TRUE(includes(others, "ns", "x"));
  EXPECT_EQ(others.conditions, "field selector \"metadata.name!=x\"");
  const Scope both = ScopeOf({.fieldSelector = "metadata.name=x,status.phase=Running"});
  EXPECT_FALSE(includes(both, "ns", "y"));
  EXPECT_NE(both.conditions, "");
  EXPECT_NE(ScopeOf({.fieldSelector = "nonsense"}).conditions, "");
}

TEST_F(InformerReads, AnInformerHasOneIndexerThatKeepsItAlive) {
  server_.Put("a");
  std::optional<Lister<Pod>> lister;
  {
    auto informer = Make();
    EXPECT_EQ(informer.indexer().core(), informer.indexer().core());
    informer.Start();
    Settle();
    lister.emplace(informer.lister());
  }
  server_.Put("b");
  Settle();
  EXPECT_EQ(server_.open_watches(), 1U);
  EXPECT_EQ(lister->List().size(), 2U);
  ASSERT_TRUE(sim_.RunBlocking([&] { lister.reset(); }, seconds(10)));
  EXPECT_EQ(server_.open_watches(), 0U);
}

// One of the two must wait for the other without holding a lock that the other needs.
TEST_F(InformerReads, TwoThreadsAddIndexersThroughOneHandle) {
  server_.Put("a");
  auto informer = Make();
  informer.Start();
  Settle();
  Indexer<Pod> indexer = informer.indexer();
  std::vector<std::unique_ptr<Thread>> threads;
  std::atomic<int> added{0};
  for (const char* name : {"one", "two", "one"}) {
    threads.push_back(sim_.env().NewThread(name, [&, name] {
      const Result<void> result =
          indexer.AddIndexers({{name, [](Pod pod, auto& out) { out.Add(pod.name()); }}});
      if (result) added.fetch_add(1);
    }));
  }
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        for (auto& thread : threads) thread->Join();
      },
      minutes(1)));
  EXPECT_EQ(added.load(), 2) << "one of the three names was taken";
  EXPECT_EQ(indexer.ByIndex("one", "a").size(), 1U);
  EXPECT_EQ(indexer.ByIndex("two", "a").size(), 1U);
}

}  // namespace
}  // namespace kinformer
