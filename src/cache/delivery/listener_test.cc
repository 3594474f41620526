// Delivery by a listener whose handler is slower than the events.

#include "cache/delivery/listener.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/json/json_view.h"

#include "cache/delivery/testing/listener_fixture.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;
using client::PodType;
using std::chrono::seconds;

struct Row {
  const char* name;
  std::vector<Notification> events;
  Texts words;
  std::uint64_t coalesced;
};

class Coalescing : public ListenerTest, public testing::WithParamInterface<Row> {};

TEST_P(Coalescing, KeepsTheNetEffect) {
  const auto listener = Make({.options = {.name = "slow", .max_events = 1}});
  KeepBusy(*listener);
  // Fills the queue.
  Push(*listener, {Add("filler", "")});
  for (const Notification& event : GetParam().events) Push(*listener, {event});
  sim_.RunFor(seconds(2));
  Texts expected = {"+busy ", "+filler "};
  expected.insert(expected.end(), GetParam().words.begin(), GetParam().words.end());
  EXPECT_EQ(handler_->words, expected);
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
        Row{"UpdateDeleteAddIsUpdateOfWhatTheHandlerKnows",
            {Update("a", "1", "2"), Delete("a"), Add("a", "3")},
            {"~a 1>3"},
            2},
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

// The server went back in time while the handler was busy.
TEST_F(ListenerTest, Coalescing_ChangeAndBack_DeliversNothing) {
  const auto listener = Make({.options = {.name = "slow", .max_events = 1}});
  KeepBusy(*listener);
  Push(*listener, {Add("filler", "")});
  const ObjectRef known = MakePod("", "a", "1", "", "1");
  const ObjectRef newer = MakePod("", "a", "2", "", "2");
  const ObjectRef again = MakePod("", "a", "1", "", "1");
  Push(*listener, {{.type = EventType::kUpdated, .old_object = known, .object = newer}});
  Push(*listener, {{.type = EventType::kUpdated, .old_object = newer, .object = again}});
  // The object is deleted and created again unchanged.
  Push(*listener, {{.type = EventType::kDeleted, .object = known},
                   {.type = EventType::kAdded, .object = again}});
  // A resync has no news, but was requested.
  Push(*listener, {{.type = EventType::kUpdated, .old_object = again, .object = again}});
  sim_.RunFor(seconds(2));
  EXPECT_EQ(handler_->words, (Texts{"+busy ", "+filler ", "~a 1>1"}));
  EXPECT_EQ(listener->Stats().coalesced, 4U);
}

TEST_F(ListenerTest, ADifferenceLeavesOutWhatIsAsItWas) {
  const auto before = Version([&] { store_.Put(MakePod("", "a", "1", "", "1")); });
  Version([&] { store_.Put(MakePod("", "a", "2", "", "2")); });
  const auto after = Version([&] {
    store_.Put(MakePod("", "a", "1", "", "1"));
    store_.Put(MakePod("", "b", "3", "", "3"));
  });
  const auto listener = Make({.options = {.name = "h"}});
  handler_->first_takes = Duration(0);
  listener->PushReplay({.before = before, .after = after});
  sim_.RunReady();
  EXPECT_EQ(handler_->words, (Texts{"+b 3"}));
}

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

// Objects are only checked roughly on arrival; malformed fields that a handler finds later are
// logged with the object's key, with a rate limit.
TEST(ListenerLog, MalformedFieldsThatAHandlerReadsAreLogged) {
  const auto log = std::make_shared<LineLog>();
  Simulation sim(SimulationOptions{.log = log});
  const auto handler = std::make_shared<SpecReader>();
  const auto listener = std::make_shared<Listener>(
      sim.env(), handler, ListenerConfig{.options = {.name = "h"}}, std::weak_ptr<ListenerOwner>());
  const auto pod = [](const std::string& name, const std::string& spec) {
    const std::string json = R"({"metadata":{"name":")" + name +
                             R"(","namespace":"ns","resourceVersion":"7"},"spec":)" + spec + "}";
    return Notification{.type = EventType::kAdded,
                        .object = BuildFromJson(PodType(), json).OrExit()};
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

TEST_F(ListenerTest, AHandlerThatNeverReturnsCostsItsKeysOnly) {
  handler_->first_takes = std::chrono::hours(1);
  const auto listener = Make({.options = {.name = "stuck", .max_events = 4}});
  KeepBusy(*listener);
  for (int i = 0; i < 10'000; ++i) {
    Push(*listener,
         {Update("k" + std::to_string(i % 10), std::to_string(i), std::to_string(i + 10))});
  }
  EXPECT_LE(listener->Stats().waiting, 14U);
  sim_.RunFor(std::chrono::hours(2));
  EXPECT_LE(handler_->words.size(), 15U);
}

TEST_F(ListenerTest, InFullQueuesEventsAreDeliveredAsTheyHappened) {
  const auto listener = Make({.options = {.name = "h", .max_events = 100}});
  Push(*listener, {Add("a", "1"), Update("a", "1", "2"), Delete("a")});
  sim_.RunFor(seconds(2));
  EXPECT_EQ(handler_->words, (Texts{"+a 1", "~a 1>2", "-a"}));
}

TEST_F(ListenerTest, SuspendKeepsWhatWaits) {
  const auto listener = Make({.options = {.name = "h"}});
  std::vector<Notification> events;
  for (int i = 0; i < 100; ++i) events.push_back(Add("p" + std::to_string(i), ""));
  Push(*listener, events);
  sim_.RunReady();
  listener->Suspend();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(handler_->words.size(), 1U) << "only the callback that ran";
  listener->Resume();
  sim_.RunReady();
  EXPECT_EQ(handler_->words.size(), 100U);
}

TEST_F(ListenerTest, ARemovedListenerTakesNothingAndHoldsUpNobody) {
  const auto listener =
      Make({.options = {.name = "h", .overflow = OverflowPolicy::kBlock, .max_events = 2}});
  KeepBusy(*listener);
  Push(*listener, {Add("a", ""), Add("b", "")});
  EXPECT_TRUE(listener->Full());
  listener->Discard();
  EXPECT_FALSE(listener->Full());
  Push(*listener, {Add("c", ""), Add("d", "")});
  listener->PushSynced();
  sim_.RunFor(seconds(5));
  EXPECT_FALSE(listener->Full()) << "its last turn must not find it full again";
  EXPECT_FALSE(listener->HasSynced());
  EXPECT_EQ(handler_->words, (Texts{"+busy "}));
  EXPECT_EQ(listener->Stats().waiting, 0U);
}

}  // namespace
}  // namespace kinformer::internal::cache
