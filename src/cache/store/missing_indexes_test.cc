#include "cache/store/missing_indexes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class MissingIndexesTest : public testing::Test {
 protected:
  class WarningLog final : public LogSink {
   public:
    [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
    void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
      std::string& line = lines.emplace_back(message);
      for (const LogField& field : fields) line += " " + std::string(field.value);
    }
    std::vector<std::string> lines{};
  };
  std::shared_ptr<WarningLog> log_ = std::make_shared<WarningLog>();
  Simulation sim_{{.log = log_}};
};

TEST_F(MissingIndexesTest, EachNameIsSaidOnceWithThoseThatThereAre) {
  StoreCore store(sim_.env(), {.name = "pods"});
  static_cast<void>(store.Put(MakeObject("ns", "a", "1")));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(store.Snapshot()->ByIndex("node", "n1").ok());
    EXPECT_FALSE(store.Snapshot()->IndexValues("node").ok());
    EXPECT_TRUE(store.Snapshot()->ByIndex("namespace", "ns").ok());
  }
  ASSERT_THAT(log_->lines, SizeIs(1));
  EXPECT_THAT(log_->lines[0], HasSubstr("pods node"));
  EXPECT_THAT(log_->lines[0], HasSubstr(R"(there are: "namespace")"));
  EXPECT_FALSE(store.Snapshot()->ByIndexRange("owner", {}).ok());
  EXPECT_THAT(log_->lines, SizeIs(2));
  StoreCore other(sim_.env(), {.name = "nodes"});
  EXPECT_FALSE(other.Snapshot()->ByIndex("node", "n1").ok());
  EXPECT_THAT(log_->lines, SizeIs(3)) << "another store";
}

TEST_F(MissingIndexesTest, NamesThatAreMadeUpDoNotFillTheLog) {
  StoreCore store(sim_.env(), {.name = "pods"});
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(store.Snapshot()->ByIndex("index-" + std::to_string(i), "").ok());
  }
  EXPECT_THAT(log_->lines, SizeIs(16));
}

TEST_F(MissingIndexesTest, ASnapshotThatOutlivesItsStoreSaysNothing) {
  auto store = std::make_unique<StoreCore>(sim_.env(), StoreCoreOptions{.name = "pods"});
  const std::shared_ptr<const SnapshotCore> snapshot = store->Snapshot();
  store.reset();
  EXPECT_FALSE(snapshot->ByIndex("node", "n1").ok());
  EXPECT_THAT(log_->lines, IsEmpty());
}

}  // namespace
}  // namespace kinformer::internal::cache
