// Exceptions from each method of a runnable.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

#include "kinformer/controller/manager.h"
#include "kinformer/controller/runnable.h"

#include "operator/manager_probe.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;

// Throws in the named method.
class ThrowingRunnable final : public Runnable {
 public:
  explicit ThrowingRunnable(std::string where) : where_(std::move(where)) {}
  Result<void> Start(const std::stop_token&) override {
    MayThrow("Start");
    return {};
  }
  Result<void> WaitUntilReady(const std::stop_token&) override {
    MayThrow("WaitUntilReady");
    return {};
  }
  [[nodiscard]] bool HasWarmup() const override {
    MayThrow("HasWarmup");
    return where_ == "Warmup";
  }
  Result<void> Warmup(const std::stop_token&) override {
    MayThrow("Warmup");
    return {};
  }
  [[nodiscard]] RunnableGroup group() const override {
    MayThrow("group");
    return RunnableGroup::kOthers;
  }
  [[nodiscard]] std::string name() const override {
    MayThrow("name");
    return "mine";
  }

 private:
  void MayThrow(std::string_view method) const {
    if (where_ == method) throw std::runtime_error("by the program");
  }
  const std::string where_;
};

TEST_F(ManagersTest, ARunnableThatThrowsWhenAskedAboutItselfIsNotAdded) {
  RunningManager manager(sim_, server_);
  for (const std::string where : {"name", "group", "HasWarmup"}) {
    const auto runnable = std::make_shared<ThrowingRunnable>(where);
    const Result<void> added = manager->Add(runnable);
    ASSERT_FALSE(added.ok()) << where;
    EXPECT_THAT(added.error().message(), HasSubstr("Runnable::" + where));
    EXPECT_THAT(added.error().message(), HasSubstr("threw: by the program"));
    EXPECT_FALSE(manager->Remove(runnable).ok());
  }
}

TEST_F(ManagersTest, ARunnableThatThrowsWhileItRunsEndsTheManagerByItsName) {
  for (const std::string where : {"Start", "WaitUntilReady", "Warmup"}) {
    RunningManager manager(sim_, server_);
    ASSERT_TRUE(manager->Add(std::make_shared<ThrowingRunnable>(where)).ok()) << where;
    manager.Start();
    sim_.RunFor(minutes(1));
    ASSERT_TRUE(manager.ended) << where;
    EXPECT_THAT(manager.result.error().message(), HasSubstr("mine")) << where;
    EXPECT_THAT(manager.result.error().message(), HasSubstr("by the program")) << where;
  }
}

}  // namespace
}  // namespace kinformer::testing
