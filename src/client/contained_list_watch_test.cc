// A user's lister watcher that throws, or returns no call, does no harm.

#include "client/contained_list_watch.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

namespace kinformer::internal::client {
namespace {

using testing::HasSubstr;

// Throws in every call, or returns no call.
class BadListWatch final : public ListerWatcher {
 public:
  explicit BadListWatch(bool throws) : throws_(throws) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions&, ListReceiver&) override { return None(); }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions&, WatchReceiver&) override {
    return None();
  }
  std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string>)>&) override {
    return None();
  }
  std::unique_ptr<ListWatchCall> ListMetadata(const std::string&, const ListOptions&,
                                              ListReceiver&) override {
    return None();
  }
  ListScope Scope() const override { throw std::runtime_error("scope"); }
  bool SetEntryOptions(const EntryOptions&) override { throw std::runtime_error("options"); }
  bool IsWatchListSemanticsUnSupported() const override { throw std::runtime_error("watch-list"); }
  void WatchListDeclined() override { throw std::runtime_error("declined"); }
  std::string Describe() const override { throw std::runtime_error("describe"); }

 private:
  [[nodiscard]] std::unique_ptr<ListWatchCall> None() const {
    if (throws_) throw std::runtime_error("bad day");
    return nullptr;
  }
  const bool throws_;
};

class EndListReceiver final : public ListReceiver {
 public:
  void OnItem(AnyRef) override { ADD_FAILURE(); }
  void OnUnreadable(std::string_view, std::string_view, const Error&) override { ADD_FAILURE(); }
  void OnDone(Result<ListMeta> result) override { error = result.error(); }
  std::optional<Error> error{};
};

class EndWatchReceiver final : public WatchReceiver {
 public:
  void OnStarted() override { ADD_FAILURE(); }
  void OnEvent(const WatchEvent&) override { ADD_FAILURE(); }
  void OnDone(Result<void> result) override { error = result.error(); }
  std::optional<Error> error{};
};

TEST(ContainedListWatch, ThrowingOrNullCall_BecomesFailedCall) {
  Simulation sim({.log = NewNullLog()});
  for (const bool throws : {true, false}) {
    BadListWatch bad(throws);
    ContainedListWatch contained(sim.env(), bad);
    EndListReceiver list;
    EndWatchReceiver watch;
    const std::unique_ptr<ListWatchCall> list_call = contained.List({}, list);
    const std::unique_ptr<ListWatchCall> watch_call = contained.Watch({}, watch);
    ASSERT_NE(list_call, nullptr);
    ASSERT_NE(watch_call, nullptr);
    EXPECT_FALSE(list.error) << "never inside the call";
    sim.RunFor(std::chrono::milliseconds(1));
    for (const std::optional<Error>& error : {list.error, watch.error}) {
      ASSERT_TRUE(error);
      EXPECT_THAT(error->message(), HasSubstr("the lister watcher"));
      EXPECT_THAT(error->message(), HasSubstr(throws ? "bad day" : "gave no call"));
    }
    // These calls are optional.
    EXPECT_EQ(contained.CurrentVersion([](const Result<std::string>&) { ADD_FAILURE(); }), nullptr);
    EXPECT_EQ(contained.ListMetadata("", {}, list), nullptr);
  }
}

TEST(ContainedListWatch, OptionalMethodsThrow_DefaultsApply) {
  Simulation sim({.log = NewNullLog()});
  BadListWatch bad(true);
  ContainedListWatch contained(sim.env(), bad);
  EXPECT_EQ(contained.Scope().namespace_, "");
  EXPECT_FALSE(contained.SetEntryOptions({}));
  EXPECT_TRUE(contained.IsWatchListSemanticsUnSupported());
  contained.WatchListDeclined();
  EXPECT_EQ(contained.Describe(), "the lister watcher");
}

}  // namespace
}  // namespace kinformer::internal::client
