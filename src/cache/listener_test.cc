// What a listener delivers when its handler is slower than the events.

#include "cache/listener.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/json_view.h"
#include "kinformer/log.h"
#include "kinformer/simulation.h"

#include "cache/store_core.h"
#include "cache/testing/fake_lister_watcher.h"

namespace kinformer::internal {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

class WordHandler final : public RawHandler {
 public:
  explicit WordHandler(Env& env) : env_(env) {}
  void Handle(const RawEvent& e) override {
    std::string word = e.kind == RawEvent::Kind::kAdd      ? "+"
                       : e.kind == RawEvent::Kind::kUpdate ? "~"
                                                           : "-";
    word += e.block->name();
    if (e.kind == RawEvent::Kind::kUpdate) word += " " + PodValue(*e.old_block) + ">";
    if (e.kind == RawEvent::Kind::kAdd) word += " ";
    if (e.kind != RawEvent::Kind::kDelete) word += PodValue(*e.block);
    if (e.is_in_initial_list) word += "!";
    words.push_back(std::move(word));
    if (first_takes > Duration(0)) env_.SleepFor(std::exchange(first_takes, Duration(0)));
  }
  Duration first_takes{seconds(1)};
  Texts words{};

 private:
  Env& env_;
};

Notification Add(const std::string& name, const std::string& value, const std::string& uid = "") {
  return {RawEvent::Kind::kAdd, false, false, {}, MakePod("", name, "1", uid, value)};
}
Notification Update(const std::string& name, const std::string& from, const std::string& to) {
  return {RawEvent::Kind::kUpdate, false, false, MakePod("", name, "1", "", from),
          MakePod("", name, "2", "", to)};
}
Notification Delete(const std::string& name, const std::string& uid = "") {
  return {RawEvent::Kind::kDelete, false, false, {}, MakePod("", name, "3", uid, "")};
}

struct Row {
  const char* name;
  std::vector<Notification> events;
  Texts words;
  std::uint64_t coalesced;
};

class Coalescing : public testing::TestWithParam<Row> {};

TEST_P(Coalescing, KeepsTheNetEffect) {
  Simulation sim;
  const auto handler = std::make_shared<WordHandler>(sim.env());
  const auto listener = std::make_shared<Listener>(
      sim.env(), handler, HandlerOptions{.name = "slow", .max_events = 1}, Listener::Hooks{},
      std::weak_ptr<InformerCore::Impl>());
  // The first keeps the handler busy, the second fills the queue.
  const std::vector<Notification> busy = {Add("busy", "")};
  listener->Push(busy, nullptr);
  sim.RunReady();
  const std::vector<Notification> filler = {Add("filler", "")};
  listener->Push(filler, nullptr);
  for (const Notification& event : GetParam().events) {
    const std::vector<Notification> one = {event};
    listener->Push(one, nullptr);
  }
  sim.RunFor(seconds(2));
  Texts expected = {"+busy ", "+filler "};
  expected.insert(expected.end(), GetParam().words.begin(), GetParam().words.end());
  EXPECT_EQ(handler->words, expected);
  EXPECT_EQ(listener->Stats().coalesced, GetParam().coalesced);
  EXPECT_EQ(listener->Stats().waiting, 0U);
  EXPECT_EQ(listener->Stats().waiting_bytes, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, Coalescing,
    testing::Values(
        Row{"AddUpdateIsAdd", {Add("a", "1"), Update("a", "1", "2")}, {"+a 2"}, 1},
        Row{"AddDeleteIsNothing", {Add("a", "1"), Delete("a")}, {}, 2},
        Row{"UpdateDeleteIsDelete", {Update("a", "1", "2"), Delete("a")}, {"-a"}, 1},
        Row{"UpdateUpdateIsUpdate", {Update("a", "1", "2"), Update("a", "2", "3")}, {"~a 1>3"}, 1},
        Row{"DeleteAddIsUpdate", {Delete("a"), Add("a", "2")}, {"~a >2"}, 1},
        Row{"DeleteAddOfAnotherIsBoth",
            {Delete("a", "u1"), Add("a", "2", "u2")},
            {"-a", "+a 2"},
            0},
        Row{"InPlaceOfTheNewest",
            {Update("a", "1", "2"), Add("b", "1"), Update("a", "2", "3")},
            {"+b 1", "~a 1>3"},
            1},
        Row{"DeleteAddDeleteOfOthers",
            {Delete("a", "u1"), Add("a", "2", "u2"), Delete("a", "u2"), Add("a", "4", "u3")},
            {"-a", "+a 4"},
            2}),
    [](const auto& p) { return std::string(p.param.name); });

class SpecReader final : public RawHandler {
 public:
  void Handle(const RawEvent& e) override {
    const json::View root(e.block->payload().data(), e.block);
    sum += root["spec"]["replicas"].AsInt64().value_or(0);
  }
  std::int64_t sum = 0;
};

class LineLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    std::string line;
    for (const LogField& field : fields) line += field.value + " ";
    lines.push_back(std::move(line));
  }
  Texts lines{};
};

// Entry checks the borders only; what a handler then finds malformed is logged with the object's key, in moderation.
TEST(Listener, MalformedFieldsThatAHandlerReadsAreLogged) {
  const auto log = std::make_shared<LineLog>();
  Simulation sim(SimulationOptions{.log = log});
  const auto handler = std::make_shared<SpecReader>();
  const auto listener =
      std::make_shared<Listener>(sim.env(), handler, HandlerOptions{.name = "h"}, Listener::Hooks{},
                                 std::weak_ptr<InformerCore::Impl>());
  const auto pod = [](const std::string& name, const std::string& spec) {
    const std::string json = R"({"metadata":{"name":")" + name +
                             R"(","namespace":"ns","resourceVersion":"7"},"spec":)" + spec + "}";
    return Notification{
        RawEvent::Kind::kAdd, false, false, {}, BuildFromJson(PodType(), json).OrExit()};
  };
  const std::vector<Notification> events = {pod("good", R"({"replicas":2})"),
                                            pod("bad", R"({"a":1,,"replicas":2})"),
                                            pod("worse", R"({"a":1,,"replicas":2})")};
  listener->Push(events, nullptr);
  sim.RunReady();
  EXPECT_EQ(handler->sum, 2);
  EXPECT_EQ(log->lines, (Texts{"h Pod ns/bad 7 1 "}));
  sim.RunFor(seconds(10));
  const std::vector<Notification> later = {events.back()};
  listener->Push(later, nullptr);
  sim.RunReady();
  EXPECT_EQ(log->lines, (Texts{"h Pod ns/bad 7 1 ", "h Pod ns/worse 7 3 "}));
}

TEST(Listener, AHandlerThatNeverReturnsCostsItsKeysOnly) {
  Simulation sim;
  const auto handler = std::make_shared<WordHandler>(sim.env());
  handler->first_takes = std::chrono::hours(1);
  const auto listener = std::make_shared<Listener>(
      sim.env(), handler, HandlerOptions{.name = "stuck", .max_events = 4}, Listener::Hooks{},
      std::weak_ptr<InformerCore::Impl>());
  const std::vector<Notification> busy = {Add("busy", "")};
  listener->Push(busy, nullptr);
  sim.RunReady();
  for (int i = 0; i < 10'000; ++i) {
    const std::vector<Notification> one = {
        Update("k" + std::to_string(i % 10), std::to_string(i), std::to_string(i + 10))};
    listener->Push(one, nullptr);
  }
  EXPECT_LE(listener->Stats().waiting, 14U);
  sim.RunFor(std::chrono::hours(2));
  EXPECT_LE(handler->words.size(), 15U);
}

TEST(Listener, InFullQueuesEventsAreDeliveredAsTheyHappened) {
  Simulation sim;
  const auto handler = std::make_shared<WordHandler>(sim.env());
  const auto listener =
      std::make_shared<Listener>(sim.env(), handler, HandlerOptions{.name = "h", .max_events = 100},
                                 Listener::Hooks{}, std::weak_ptr<InformerCore::Impl>());
  const std::vector<Notification> events = {Add("a", "1"), Update("a", "1", "2"), Delete("a")};
  listener->Push(events, nullptr);
  sim.RunFor(seconds(2));
  EXPECT_EQ(handler->words, (Texts{"+a 1", "~a 1>2", "-a"}));
}

TEST(Listener, ListsDoNotPileUpBehindASlowHandler) {
  Simulation sim;
  StoreCore store(sim.env(), {});
  const auto handler = std::make_shared<WordHandler>(sim.env());
  const auto listener =
      std::make_shared<Listener>(sim.env(), handler, HandlerOptions{.name = "h"}, Listener::Hooks{},
                                 std::weak_ptr<InformerCore::Impl>());
  const auto version = [&](const std::function<void()>& write) {
    store.Begin();
    write();
    store.Commit();
    return store.Snapshot();
  };
  const auto v0 = store.Snapshot();
  const auto v1 = version([&] { store.Put(MakePod("", "a", "1", "", "1")); });
  const auto v2 = version([&] {
    store.Put(MakePod("", "a", "2", "", "2"));
    store.Put(MakePod("", "b", "2", "", "2"));
  });
  const auto v3 = version([&] { store.Erase("", "a"); });
  const std::vector<Notification> busy = {Add("busy", "")};
  listener->Push(busy, nullptr);
  sim.RunReady();
  listener->PushReplay({.before = v0, .after = v1, .initial = true});
  listener->PushSynced();
  listener->PushReplay({.before = v1, .after = v2});
  listener->PushReplay({.before = v2, .after = v3});
  sim.RunFor(seconds(2));
  EXPECT_EQ(handler->words, (Texts{"+busy ", "+b 2!"}));
  EXPECT_TRUE(listener->HasSynced());
}

TEST(Listener, SuspendKeepsWhatWaits) {
  Simulation sim;
  const auto handler = std::make_shared<WordHandler>(sim.env());
  const auto listener =
      std::make_shared<Listener>(sim.env(), handler, HandlerOptions{.name = "h"}, Listener::Hooks{},
                                 std::weak_ptr<InformerCore::Impl>());
  std::vector<Notification> events;
  for (int i = 0; i < 100; ++i) events.push_back(Add("p" + std::to_string(i), ""));
  listener->Push(events, nullptr);
  sim.RunReady();
  listener->Suspend();
  sim.RunFor(seconds(5));
  EXPECT_EQ(handler->words.size(), 1U) << "only the callback that ran";
  listener->Resume();
  sim.RunReady();
  EXPECT_EQ(handler->words.size(), 100U);
}

}  // namespace
}  // namespace kinformer::internal
