// Resources that a call releases when it ends, while its handle is still held: its place in the
// list gate, its token of the rate limiter, its connection.

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/internal/resource_core.h"

#include "client/engine.h"
#include "client/list_watch.h"
#include "client/testing/scripted_server.h"

namespace kinformer::internal::client {
namespace {

using ::kinformer::testing::Json;
using ::kinformer::testing::ScriptedResponse;
using ::kinformer::testing::ScriptedServer;
using ::kinformer::testing::StatusFailure;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const char* const kList =
    R"({"apiVersion":"example.com/v1","kind":"WidgetList","metadata":{"resourceVersion":"1"},)"
    R"("items":[]})";

class Ends final : public ListReceiver, public WatchReceiver, public ResponseReceiver {
 public:
  void OnItem(AnyRef) override {}
  void OnUnreadable(std::string_view, std::string_view, const Error&) override {}
  void OnDone(Result<ListMeta> result) override {
    ++ends;
    done = true;
    if (!result) error = std::move(result).error();
  }
  void OnStarted() override { started = true; }
  void OnEvent(const WatchEvent&) override { ++events; }
  void OnHeaders(int, const HttpHeaders&) override {}
  void OnData(std::string_view) override {}
  void OnDone(Result<void> result) override {
    ++ends;
    done = true;
    if (!result) error = std::move(result).error();
  }
  void OnChunkEnd() override {}
  void OnBroken() override { broken = true; }
  bool started = false;
  bool done = false;
  bool broken = false;
  int ends = 0;
  int events = 0;
  std::optional<Error> error{};
};

class GiveBackTest : public ::testing::Test {
 protected:
  ~GiveBackTest() override {
    OnLoop([this] {
      calls_.clear();
      exchange_.reset();
      if (engine_ != nullptr) engine_->ShutDown();
      engine_.reset();
      source_.reset();
    });
  }
  void Make(ClientOptions options) {
    engine_ = std::make_shared<Engine>(
        sim_.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), server_)), options);
    source_ = NewEngineListWatch(
        engine_, *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true), "default", {},
        /*throttled=*/false);
  }
  template <class F>
  void OnLoop(F task) {
    sim_.env().loop().Post(task);
    sim_.RunReady();
  }
  // Starts a list, and keeps its handle.
  Ends& List() {
    Ends& ends = *receivers_.emplace_back(std::make_unique<Ends>());
    OnLoop([&] { calls_.push_back(source_->List({}, ends)); });
    return ends;
  }
  Ends& Watch(const ListOptions& options) {
    Ends& ends = *receivers_.emplace_back(std::make_unique<Ends>());
    OnLoop([&] { calls_.push_back(source_->Watch(options, ends)); });
    return ends;
  }
  Ends& Send(ExchangeRequest request) {
    Ends& ends = *receivers_.emplace_back(std::make_unique<Ends>());
    OnLoop([&] {
      exchange_ = std::make_unique<Exchange>(engine_, std::move(request), ends);
      exchange_->Start();
    });
    return ends;
  }
  // Returns the duration of a request that begins now.
  Duration Took() {
    const SteadyTime begun = sim_.env().Now();
    Ends& ends = Send({.target = "/x"});
    EXPECT_TRUE(sim_.RunUntil([&] { return ends.done; }, minutes(1)));
    return sim_.env().Now() - begun;
  }

  Simulation sim_{{.seed = 5}};
  ScriptedServer server_;
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<ListerWatcher> source_;
  std::vector<std::unique_ptr<Ends>> receivers_;
  std::vector<std::unique_ptr<ListWatchCall>> calls_;
  std::unique_ptr<Exchange> exchange_;
};

// ---- place in the list gate

TEST_F(GiveBackTest, FinishedList_FreesItsPlace) {
  Make({.qps = -1, .max_initial_lists = 1});
  ScriptedResponse text = Json("hello");
  text.headers = {{"Content-Type", "text/plain"}};
  text.hang = true;
  for (const ScriptedResponse& answer :
       {Json(kList), StatusFailure(403, "Forbidden", "no"), text, Json("{"), Json("garbage"),
        ScriptedResponse{.body = "{", .cut = true},
        ScriptedResponse{.cut = true, .cut_before_answer = true}}) {
    SCOPED_TRACE(answer.body);
    server_.script = {answer, Json(kList)};
    const Ends& first = List();
    const Ends& second = List();
    sim_.RunFor(seconds(1));
    EXPECT_TRUE(first.done);
    EXPECT_TRUE(second.done);
    EXPECT_FALSE(second.error) << *second.error;
    EXPECT_EQ(server_.open_streams, 0);
  }
}

TEST_F(GiveBackTest, AWatchListsPlaceIsFreeOnceItsInitialEventsHaveCome) {
  Make({.qps = -1, .max_initial_lists = 1});
  const std::string bookmark = R"({"type":"BOOKMARK","object":{"kind":"Widget",)"
                               R"("apiVersion":"example.com/v1","metadata":{"resourceVersion":"5")";
  for (const bool ends : {false, true}) {
    const std::string mark = R"(,"annotations":{"k8s.io/initial-events-end":"true"})";
    server_.script = {{.body = bookmark + (ends ? mark : "") + "}}}\n", .hang = true}, Json(kList)};
    const Ends& watch = Watch({.sendInitialEvents = true});
    const Ends& list = List();
    sim_.RunFor(seconds(25));
    EXPECT_EQ(watch.events, 1);
    EXPECT_FALSE(watch.done);
    EXPECT_EQ(list.done, ends);
    // The gate does not wait for a server that never marks the end of the list.
    sim_.RunFor(seconds(10));
    EXPECT_TRUE(list.done);
    EXPECT_EQ(server_.open_streams, 1) << "the watch goes on";
    OnLoop([this] { calls_.clear(); });
    EXPECT_EQ(server_.open_streams, 0);
  }
}

TEST_F(GiveBackTest, AWatchListThatIsNeverMarkedHasItsPlaceForHalfAMinute) {
  Make({.qps = -1, .max_initial_lists = 1});
  server_.script = {{.body = "", .hang = true}, Json(kList)};
  const Ends& watch = Watch({.sendInitialEvents = true});
  const Ends& list = List();
  sim_.RunFor(seconds(30) - Duration(1));
  EXPECT_TRUE(watch.started);
  EXPECT_EQ(server_.requests.size(), 1U);
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(list.done);
  EXPECT_FALSE(watch.done);
}

TEST_F(GiveBackTest, APlainWatchTakesNoPlace) {
  Make({.qps = -1, .max_initial_lists = 1});
  server_.script = {{.hang = true}, {.body = "{", .hang = true}, {.hang = true}};
  Watch({});
  List();
  EXPECT_TRUE(Watch({}).started);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(server_.requests.size(), 3U);
}

// ---- token of the rate limiter

TEST_F(GiveBackTest, ARequestThatIsGivenUpWhileItWaitsReturnsItsToken) {
  Make({.qps = 1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  EXPECT_EQ(Took(), Duration(0));
  Send({.target = "/given-up"});
  sim_.RunFor(milliseconds(100));
  EXPECT_EQ(server_.requests.size(), 1U);
  OnLoop([this] { exchange_.reset(); });
  const Duration took = Took();
  EXPECT_GT(took, milliseconds(890));
  EXPECT_LT(took, milliseconds(910)) << "as if nobody had asked";
}

TEST_F(GiveBackTest, ARequestThatWasSentHasUsedItsToken) {
  Make({.qps = 1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  EXPECT_EQ(Took(), Duration(0));
  for (int i = 0; i < 3; ++i) {
    const Duration took = Took();
    EXPECT_GT(took, milliseconds(990));
    EXPECT_LT(took, milliseconds(1010));
  }
}

TEST_F(GiveBackTest, ARequestThatIsAbortedWhileItWaitsIsNotSent) {
  Make({.qps = 1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  EXPECT_EQ(Took(), Duration(0));
  const Ends& aborted = Send({.target = "/aborted"});
  OnLoop([this] { exchange_->Abort(Error(Reason::kCanceled, "enough")); });
  sim_.RunFor(seconds(5));
  EXPECT_EQ(aborted.ends, 1);
  EXPECT_EQ(server_.requests.size(), 1U) << "though the exchange is kept";
}

TEST_F(GiveBackTest, ARequestThatTimesOutWhileItWaitsReturnsItsToken) {
  Make({.qps = 1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  EXPECT_EQ(Took(), Duration(0));
  const Ends& late = Send({.target = "/late", .timeout = milliseconds(300)});
  sim_.RunFor(milliseconds(300));
  ASSERT_TRUE(late.done);
  EXPECT_EQ(late.error->reason(), Reason::kDeadlineExceeded);
  const Duration took = Took();
  EXPECT_GT(took, milliseconds(690));
  EXPECT_LT(took, milliseconds(710));
}

// ---- connection

TEST_F(GiveBackTest, ACallThatEndsBeforeItsAnswerDoesGivesUpTheStream) {
  Make({.qps = -1});
  server_.fallback = [](const HttpRequest&) { return ScriptedResponse{.body = "{", .hang = true}; };
  const Ends& late = Send({.target = "/late", .timeout = seconds(1)});
  EXPECT_EQ(server_.open_streams, 1);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(late.error->reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(server_.open_streams, 0) << "though the exchange is kept";

  const Ends& aborted = Send({.target = "/aborted"});
  EXPECT_EQ(server_.open_streams, 1);
  OnLoop([this] { exchange_->Abort(Error(Reason::kCanceled, "enough")); });
  EXPECT_EQ(aborted.error->reason(), Reason::kCanceled);
  EXPECT_EQ(server_.open_streams, 0);

  const Ends& dropped = Send({.target = "/dropped"});
  OnLoop([this] { exchange_.reset(); });
  EXPECT_FALSE(dropped.done);
  EXPECT_EQ(server_.open_streams, 0);
}

TEST_F(GiveBackTest, AWatchThatItsServerDoesNotEndGivesUpTheStream) {
  Make({.qps = -1});
  server_.fallback = [](const HttpRequest&) { return ScriptedResponse{.hang = true}; };
  const Ends& watch = Watch({.timeoutSeconds = 60});
  sim_.RunFor(seconds(89));
  EXPECT_TRUE(watch.started);
  EXPECT_FALSE(watch.done);
  sim_.RunFor(seconds(2));
  EXPECT_TRUE(watch.done);
  EXPECT_FALSE(watch.error);
  EXPECT_EQ(server_.open_streams, 0) << "though the call is kept";
}

TEST_F(GiveBackTest, AWatchThatHasEndedEndsOnce) {
  Make({.qps = -1});
  server_.script = {{.body = ""}};
  const Ends& watch = Watch({.timeoutSeconds = 60});
  sim_.RunFor(minutes(5));
  EXPECT_EQ(watch.ends, 1);
  EXPECT_FALSE(watch.broken) << "nobody waits for its server any more";
}

TEST_F(GiveBackTest, ShutDownLetsGoOfTheTransport) {
  const std::shared_ptr<InMemoryTransport> transport(NewInMemoryTransport(sim_.env(), server_));
  {
    engine_ = std::make_shared<Engine>(sim_.env(), transport, ClientOptions{.qps = -1});
    server_.fallback = [](const HttpRequest&) { return ScriptedResponse{.hang = true}; };
    Send({.target = "/x"});
  }
  EXPECT_EQ(server_.open_streams, 1);
  const long held = transport.use_count();
  OnLoop([this] { engine_->ShutDown(); });
  EXPECT_LT(transport.use_count(), held);
  EXPECT_EQ(server_.open_streams, 0);
  EXPECT_EQ(engine_->transport(), nullptr);
}

// A transport is confined to the loop, wherever the last reference to its client is released.
TEST_F(GiveBackTest, TheTransportGoesOnTheLoop) {
  const std::shared_ptr<InMemoryTransport> transport(NewInMemoryTransport(sim_.env(), server_));
  engine_ = std::make_shared<Engine>(sim_.env(), transport, ClientOptions{.qps = -1});
  engine_.reset();
  EXPECT_EQ(transport.use_count(), 2) << "the loop has it, until its next turn";
  sim_.RunReady();
  EXPECT_EQ(transport.use_count(), 1);
  engine_ = std::make_shared<Engine>(sim_.env(), transport, ClientOptions{.qps = -1});
  OnLoop([&] {
    engine_.reset();
    EXPECT_EQ(transport.use_count(), 1) << "where it is, without another turn";
  });
}

// A shutdown is not reported as a broken watch, since there is no next watch.
TEST_F(GiveBackTest, ShutDown_IsNotABrokenWatch) {
  Make({.qps = -1});
  server_.fallback = [](const HttpRequest&) { return ScriptedResponse{.hang = true}; };
  const Ends& watch = Watch({});
  EXPECT_TRUE(watch.started);
  OnLoop([this] { engine_->ShutDown(); });
  ASSERT_TRUE(watch.error);
  EXPECT_EQ(watch.error->reason(), Reason::kStopped);
  EXPECT_FALSE(watch.broken);
}

// Never answers, and records the threads on which its calls are destroyed.
class NeverAnswers final : public Transport {
 public:
  explicit NeverAnswers(Env& env) : env_(env) {}
  std::vector<bool> given_up_on_loop{};

  std::unique_ptr<HttpCall> Start(HttpRequest, ResponseReceiver&) override {
    return std::make_unique<Call>(*this);
  }
  [[nodiscard]] TransportStats Stats() const override { return {}; }
  [[nodiscard]] std::string Describe() const override { return "never answers"; }

 private:
  class Call final : public HttpCall {
   public:
    explicit Call(NeverAnswers& transport) : transport_(transport) {}
    ~Call() override { transport_.given_up_on_loop.push_back(transport_.env_.OnLoopThread()); }

   private:
    NeverAnswers& transport_;
  };

  Env& env_;
};

// Even if another thread was waiting for it.
TEST(GiveBack, ACallThatIsStoppedEndsOnTheLoop) {
  Simulation sim({.seed = 5});
  const auto transport = std::make_shared<NeverAnswers>(sim.env());
  const Client client = Client::ForTransport(sim.env(), transport, {.qps = -1});
  const ResourceCore widgets(
      client.core(), *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true), "default");
  for (int call = 0; call < 3; ++call) {
    std::stop_source stop;
    const Timer timer =
        sim.env().loop().RunAt(sim.env().Now() + seconds(1), [&] { stop.request_stop(); });
    const CallOptions options{.stop = stop.get_token()};
    std::optional<Reason> reason;
    EXPECT_TRUE(sim.RunBlocking(
        [&] {
          if (call == 0) reason = client.GetRaw("/x", options).error().reason();
          if (call == 1) reason = widgets.ListPage({}, options).error().reason();
          if (call == 2) {
            reason = widgets.Watch(
                                {}, [](const OwnedWatchEvent&) { return true; }, options)
                         .error()
                         .reason();
          }
        },
        minutes(1)));
    EXPECT_EQ(reason, Reason::kCanceled);
  }
  EXPECT_EQ(transport->given_up_on_loop, std::vector<bool>(3, true));
}

}  // namespace
}  // namespace kinformer::internal::client
