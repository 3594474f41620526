// IndexAdder on its own: all or none, before and after the loop takes over the store.

#include "cache/informer/index_adder.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "base/core/testing/ticking_env.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class IndexAdderTest : public testing::Test {
 protected:
  static NamedIndexFunctions Indexes(std::initializer_list<const char*> names) {
    NamedIndexFunctions indexes;
    for (const char* name : names) {
      indexes.emplace_back(name, [](const Block& block, IndexValues& values) {
        values.Add(std::string(block.name()));
      });
    }
    return indexes;
  }
  Result<void> Add(std::initializer_list<const char*> names, bool skip_existing = false) {
    return adder_->Add(Indexes(names), skip_existing, "things");
  }
  // Runs on a thread that may wait for the loop.
  Result<void> OnThread(const std::function<Result<void>()>& ask) {
    Result<void> result = Error(Reason::kUnknown, "it does not end");
    EXPECT_TRUE(sim_.RunBlocking([&] { result = ask(); }, seconds(10)));
    return result;
  }

  Simulation sim_;
  const std::shared_ptr<StoreCore> store_ =
      std::make_shared<StoreCore>(sim_.env(), StoreCoreOptions{.name = "test"});
  const std::shared_ptr<IndexAdder> adder_ = std::make_shared<IndexAdder>(sim_.env(), store_);
};

TEST_F(IndexAdderTest, AddBeforeHandOver_IsDoneAtOnce) {
  static_cast<void>(store_->Put(MakeObject("ns", "a", "1")));
  ASSERT_TRUE(Add({"x", "y"}));
  EXPECT_EQ(store_->Snapshot()->ByIndex("x", "a")->size(), 1U);
  ASSERT_TRUE(adder_->Remove({"y"}, "things"));
  EXPECT_THAT(store_->IndexNames(), UnorderedElementsAre("namespace", "x"));
  EXPECT_EQ(adder_->Remove({"x", "none"}, "things").error().reason(), Reason::kNotFound);
  EXPECT_TRUE(store_->HasIndex("x"));
  EXPECT_TRUE(adder_->Remove({}, "things"));
}

TEST_F(IndexAdderTest, AddWithExistingIndex_AddsNone) {
  for (const bool running : {false, true}) {
    SCOPED_TRACE(running);
    const std::string old = running ? "x" : "namespace";
    if (running) adder_->HandOverToLoop();
    const Result<void> added = OnThread([&] { return Add({"new", old.c_str()}); });
    EXPECT_EQ(added.error().reason(), Reason::kAlreadyExists);
    EXPECT_THAT(added.error().message(), HasSubstr("\"" + old + "\" exists already; none was"));
    EXPECT_FALSE(store_->HasIndex("new"));
    ASSERT_TRUE(OnThread([&] { return Add({"x", old.c_str()}, /*skip_existing=*/true); }));
    EXPECT_TRUE(store_->HasIndex("x"));
  }
}

// Adds the other indexes, and reports the existing one of another function.
TEST_F(IndexAdderTest, ExistingIndexOfAnotherFunction_IsReportedAndSkipped) {
  ASSERT_TRUE(Add({"x"}));
  for (const char* const other : {"y", "z"}) {
    NamedIndexFunctions indexes = Indexes({"x", other});
    indexes.front().second.ordered = true;
    EXPECT_EQ(adder_->Check(indexes, true).error().reason(), Reason::kAlreadyExists);
    EXPECT_EQ(indexes.size(), 1U) << "that which exists is dropped";
    indexes = Indexes({"x", other});
    indexes.front().second.ordered = true;
    const Result<void> added =
        OnThread([&] { return adder_->Add(std::move(indexes), true, "things"); });
    EXPECT_EQ(added.error().reason(), Reason::kAlreadyExists);
    EXPECT_TRUE(store_->HasIndex(other));
    adder_->HandOverToLoop();
  }
}

TEST_F(IndexAdderTest, AddAfterHandOver_IsDoneByLoop_RefusedOnLoop) {
  static_cast<void>(store_->Put(MakeObject("ns", "a", "1")));
  adder_->HandOverToLoop();
  std::optional<Result<void>> add;
  std::optional<Result<void>> remove;
  sim_.env().loop().Post([&] {
    add = Add({"x"});
    remove = adder_->Remove({"namespace"}, "things");
  });
  sim_.RunReady();
  EXPECT_EQ(add->error().reason(), Reason::kWouldDeadlock);
  EXPECT_THAT(add->error().message(), HasSubstr("AddIndexers on a running informer (things)"));
  EXPECT_EQ(remove->error().reason(), Reason::kWouldDeadlock);
  EXPECT_THAT(remove->error().message(), HasSubstr("RemoveIndexers on a running"));
  EXPECT_FALSE(store_->HasIndex("x"));
  ASSERT_TRUE(OnThread([&] { return Add({"x"}); }));
  EXPECT_EQ(store_->Snapshot()->ByIndex("x", "a")->size(), 1U);
  ASSERT_TRUE(OnThread([&] { return adder_->Remove({"x"}, "things"); }));
  EXPECT_FALSE(store_->HasIndex("x"));
}

// Each request takes several turns of the loop, and the next one starts after it.
TEST_F(IndexAdderTest, ConcurrentAdds_FollowEachOther) {
  base::TickingEnv slow(sim_.env(), milliseconds(1));
  const auto store = std::make_shared<StoreCore>(slow, StoreCoreOptions{.name = "slow"});
  for (int i = 0; i < 1000; ++i) {
    static_cast<void>(store->Put(MakeObject("ns", std::to_string(i), "1")));
  }
  const auto adder = std::make_shared<IndexAdder>(slow, store);
  adder->HandOverToLoop();
  std::vector<std::string> done;
  std::vector<std::unique_ptr<Thread>> threads;
  const auto ask = [&](const char* name) {
    threads.push_back(sim_.env().NewThread(name, [&, name] {
      const Result<void> added = adder->Add(Indexes({name}), false, "things");
      done.push_back(name + std::string(added ? "" : " failed"));
    }));
  };
  for (const char* name : {"x", "y", "x", "z"}) ask(name);
  ASSERT_TRUE(sim_.RunUntil([&] { return done.size() == 4; }, seconds(60)));
  EXPECT_THAT(done, UnorderedElementsAre("x", "y", "x failed", "z"));
  for (const char* name : {"x", "y", "z"}) {
    EXPECT_EQ(store->Snapshot()->ByIndex(name, "7")->size(), 1U) << name;
  }
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        for (const auto& thread : threads) thread->Join();
      },
      seconds(1)));
}

}  // namespace
}  // namespace kinformer::internal::cache
