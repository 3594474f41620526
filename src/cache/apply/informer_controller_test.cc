// Reflector, controller, store and processor put together by hand, without an informer.

#include "cache/apply/informer_controller.h"

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "base/core/testing/ticking_env.h"
#include "cache/store/store_core.h"
#include "client/testing/fake_lister_watcher.h"

namespace kinformer::internal::cache {
namespace {

using client::FakeServer;
using client::MakePod;
using testing::HasSubstr;
using testing::StartsWith;

// A store whose only part has this key.
struct OnePart {
  OnePart(Env& env, StoreCore& store, const std::string& key = "")
      : positions(store), parted(env, store, counters, positions, name, {}, [] {}) {
    positions.SetParts({key});
    parted.coverage.SetPlaces({key}, false, true, 0);
  }

  const std::string name = "pods";
  PipelineCounters counters;
  PartPositions positions;
  PartedStore parted;
};

class Ignore final : public ReflectorObserver {
 public:
  void OnWatchError(const Error& error) override { ADD_FAILURE() << error; }
};

// Deletes every object at the server when it is added.
class Eraser final : public RawHandler {
 public:
  Eraser(Env& env, FakeServer& server) : env_(env), server_(server) {}
  void Handle(const RawEvent& event) override {
    if (event.type == EventType::kDeleted) {
      deleted.push_back(*event.key);
      return;
    }
    env_.loop().Post([this, name = std::string(event.block->name())] { server_.Delete(name); });
  }
  std::vector<std::string> deleted{};

 private:
  Env& env_;
  FakeServer& server_;
};

TEST(InformerController, EveryDeletionComesThrough_CT01) {
  Simulation sim;
  FakeServer server(sim.env());
  const auto lister_watcher = server.NewListerWatcher();
  StoreCore store(sim.env(), {});
  Processor processor(sim.env());
  OnePart part(sim.env(), store);
  Ignore observer;
  int complete = 0;
  InformerControllerOptions options;
  options.changed = [&] { complete += part.parted.coverage.complete() ? 1 : 0; };
  InformerController controller(sim.env(), part.parted, processor, std::move(options));
  Reflector reflector(sim.env(), *lister_watcher, controller, observer, {});
  const auto eraser = std::make_shared<Eraser>(sim.env(), server);
  const auto listener = std::make_shared<Listener>(sim.env(), eraser, ListenerConfig{},
                                                   std::weak_ptr<ListenerOwner>());
  processor.Add(listener, Duration(0), nullptr, false);
  EXPECT_FALSE(controller.HasSynced());
  server.Put("before");
  sim.env().loop().Post([&] { reflector.Start(); });
  sim.RunReady();
  EXPECT_EQ(complete, 1);
  EXPECT_EQ(store.Position().epoch, 0U) << "where nobody says which";
  for (const char* name : {"a", "b", "c"}) server.Put(name);
  sim.RunReady();
  EXPECT_EQ(eraser->deleted,
            (std::vector<std::string>{"default/before", "default/a", "default/b", "default/c"}));
  EXPECT_EQ(store.size(), 0U);
  EXPECT_EQ(store.ResourceVersion(), server.rv());
  EXPECT_EQ(part.counters.added.load(), 4U);
  EXPECT_EQ(part.counters.deleted.load(), 4U);
}

// Collects lines with their fields.
class ControllerLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    std::string& line = lines.emplace_back(message);
    for (const LogField& field : fields) line += "; " + std::string(field.value);
  }
  std::vector<std::string> lines{};
};

// A controller without a reflector: the test calls it instead.
class Fed : public testing::Test {
 protected:
  void Make(InformerControllerOptions options) {
    options.name = "pods";
    options.changed = [] {};
    controller_.reset();
    part_.emplace(sim_.env(), store_, options.part.key());
    controller_ = std::make_unique<InformerController>(sim_.env(), part_->parted, processor_,
                                                       std::move(options));
  }
  // Passes a list to the controller that is not applied yet.
  void List(const std::vector<std::string>& names, const std::string& version) {
    controller_->ReplaceBegin();
    for (const std::string& name : names) {
      controller_->ReplaceItem(MakePod("default", name, version));
    }
    controller_->ReplaceEnd(version);
  }
  [[nodiscard]] bool IsComplete() const { return store_.coverage()->complete; }
  [[nodiscard]] bool IsUnreadable(std::string_view name) const {
    return store_.coverage()->IsUnreadable("default", name);
  }

  const std::shared_ptr<ControllerLog> log_ = std::make_shared<ControllerLog>();
  Simulation sim_{{.log = log_}};
  StoreCore store_{sim_.env(), {}};
  Processor processor_{sim_.env()};
  std::optional<OnePart> part_;
  std::unique_ptr<InformerController> controller_;
};

TEST_F(Fed, ObjectsOfAnotherNamespace_AreIgnoredAndLoggedOnce) {
  Make({.part = StorePart("blue")});
  controller_->ReplaceBegin();
  controller_->ReplaceItem(MakePod("blue", "a", "1"));
  controller_->ReplaceItem(MakePod("default", "b", "2"));
  controller_->ReplaceUnreadable("default", "c");
  controller_->ReplaceEnd("5");
  controller_->Process();
  EXPECT_EQ(store_.size(), 1U);
  EXPECT_FALSE(IsUnreadable("c"));
  controller_->Change(DeltaType::kAdded, MakePod("default", "d", "6"));
  controller_->Unreadable("default", "e", false);
  controller_->Process();
  EXPECT_EQ(store_.size(), 1U);
  EXPECT_FALSE(IsUnreadable("e"));
  EXPECT_EQ(log_->lines,
            (std::vector<std::string>{"the server sent an object of another namespace than was "
                                      "asked for; ignored; pods; default; namespace blue"}));
}

TEST_F(Fed, AListHasTheEpochThatItComesIn) {
  std::uint64_t epoch = 3;
  Make({.epoch = [&] { return epoch; }});
  List({"a"}, "5");
  epoch = 4;
  controller_->Process();
  EXPECT_EQ(store_.Position().epoch, 3U);
}

TEST_F(Fed, AVersionHasAThousandChangesAtMost) {
  int versions = 0;
  Make({.committed = [&] { ++versions; }});
  List({"a"}, "1");
  controller_->Process();
  versions = 0;
  for (int i = 0; i < 2500; ++i) {
    controller_->Change(DeltaType::kAdded,
                        MakePod("default", "p" + std::to_string(i), std::to_string(i + 2)));
  }
  controller_->Process();
  EXPECT_EQ(store_.size(), 2501U);
  EXPECT_EQ(versions, 3);
}

// ---- transforms

TEST_F(Fed, FailedTransform_MakesObjectUnreadable_LogSaysWhy) {
  struct Row {
    RawTransform transform;
    std::string why;
  };
  const std::vector<Row> rows = {
      {[](const ObjectRef&) -> Result<ObjectRef> { throw std::runtime_error("thrown"); }, "thrown"},
      {[](const ObjectRef&) -> Result<ObjectRef> { return ObjectRef(); }, "it returned nothing"},
      {[](const ObjectRef&) -> Result<ObjectRef> { return Error(Reason::kConflict, "mine"); },
       "Conflict: mine"},
      {[](const ObjectRef&) -> Result<ObjectRef> { return MakePod("other", "a", "1"); },
       "it gave the object another namespace"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.why);
    bool fails = false;
    Make({.part = StorePart("default"), .transform = [&](ObjectRef object) -> Result<ObjectRef> {
            if (fails) return row.transform(std::move(object));
            return object;
          }});
    List({"a"}, "1");
    controller_->Process();
    log_->lines.clear();
    fails = true;
    controller_->Change(DeltaType::kUpdated, MakePod("default", "a", "2"));
    controller_->Process();
    EXPECT_TRUE(IsUnreadable("a"));
    EXPECT_EQ(store_.size(), 1U) << "as it was";
    ASSERT_FALSE(log_->lines.empty());
    EXPECT_THAT(log_->lines.back(), StartsWith("the transform failed; the object counts as "
                                               "unreadable; pods; default/a; "));
    EXPECT_THAT(log_->lines.back(), HasSubstr(row.why));
    controller_->Change(DeltaType::kDeleted, MakePod("default", "a", "3"));
    controller_->Process();
    EXPECT_FALSE(IsUnreadable("a"));
    EXPECT_EQ(store_.size(), 0U);
    List({"b"}, "4");
    controller_->Process();
    EXPECT_TRUE(IsUnreadable("b"));
    controller_.reset();
  }
}

// ---- a resource that the server does not have

TEST_F(Fed, QueuedList_ResourceVanishes_StaysIncomplete) {
  Make({});
  List({"a"}, "5");
  controller_->Process();
  EXPECT_TRUE(IsComplete());
  List({"a", "b"}, "6");
  controller_->ResourceAbsent();
  EXPECT_FALSE(IsComplete());
  controller_->Process();
  EXPECT_EQ(store_.size(), 2U);
  EXPECT_FALSE(IsComplete());
  List({"a"}, "7");
  controller_->Process();
  EXPECT_EQ(store_.size(), 1U);
  EXPECT_TRUE(IsComplete());
}

TEST(InformerController, ListBeingApplied_ResourceVanishes_StaysIncomplete) {
  Simulation sim;
  // Each reading of the clock takes time, so that slices end.
  base::TickingEnv env(sim.env(), std::chrono::microseconds(500));
  StoreCore store(env, {});
  Processor processor(env);
  OnePart part(env, store);
  InformerControllerOptions options;
  options.changed = [] {};
  InformerController controller(env, part.parted, processor, std::move(options));
  const auto list = [&](const std::string& version) {
    controller.ReplaceBegin();
    for (int i = 0; i < 2000; ++i) {
      controller.ReplaceItem(MakePod("default", "p" + std::to_string(i), version));
    }
    controller.ReplaceEnd(version);
  };
  list("1");
  controller.Process();
  ASSERT_EQ(store.Snapshot()->size(), 0U) << "it takes several turns";
  list("2");
  controller.ResourceAbsent();
  EXPECT_EQ(store.Snapshot()->size(), 0U) << "and is one version";
  sim.RunReady();
  EXPECT_EQ(store.ResourceVersion(), "2");
  EXPECT_FALSE(store.coverage()->complete) << "both were on their way";
  list("3");
  controller.Process();
  sim.RunReady();
  EXPECT_EQ(store.ResourceVersion(), "3");
  EXPECT_TRUE(store.coverage()->complete);
}

// ---- trace

TEST(InformerController, TraceSaysWhereEverythingIs) {
  Simulation sim;
  StoreCore store(sim.env(), {});
  Processor processor(sim.env());
  OnePart part(sim.env(), store);
  std::vector<std::string> trace;
  InformerControllerOptions options;
  options.changed = [] {};
  options.trace = [&](const TraceEvent& event) {
    trace.push_back(std::string(event.stage) + " " + std::string(event.type) + " " +
                    std::string(event.key) + "@" + std::string(event.resourceVersion) + " " +
                    std::to_string(event.depth) + (event.in_list ? " in a list" : ""));
  };
  InformerController controller(sim.env(), part.parted, processor, std::move(options));
  controller.ReplaceBegin();
  for (const char* name : {"a", "b"}) controller.ReplaceItem(MakePod("default", name, "1"));
  controller.ReplaceEnd("5");
  controller.Process();
  controller.Change(DeltaType::kAdded, MakePod("default", "c", "6"));
  controller.Change(DeltaType::kUpdated, MakePod("default", "a", "7"));
  controller.Process();
  controller.Bookmark("8");
  controller.Process();
  EXPECT_THAT(
      trace,
      testing::ElementsAre(
          "reflector REPLACED default/a@1 0 in a list",
          "reflector REPLACED default/b@1 0 in a list", "reflector REPLACED @5 2 in a list",
          "delta fifo REPLACED @5 1 in a list", "store ADDED default/a@1 0 in a list",
          "store ADDED default/b@1 0 in a list", "store REPLACED @5 2 in a list",
          "reflector ADDED default/c@6 0", "delta fifo ADDED default/c@6 1",
          "reflector MODIFIED default/a@7 0", "delta fifo MODIFIED default/a@7 2",
          "store ADDED default/c@6 3", "store MODIFIED default/a@7 3", "reflector BOOKMARK @8 0"));
}

}  // namespace
}  // namespace kinformer::internal::cache
