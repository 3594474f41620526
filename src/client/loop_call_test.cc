#include "client/loop_call.h"

#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/log.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/task.h"
#include "kinformer/client/async_discovery.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/client.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/transport.h"

#include "base/loop/testing/unserved_executor.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using internal::client::LoopCall;
using testing::Json;
using testing::ScriptedResponse;
using testing::ScriptedServer;

// Uses real threads, for the thread sanitizer: calls that complete, are stopped and time out, all
// at the same time.
TEST(BlockingCalls, FromManyThreads) {
  Runtime runtime;
  ScriptedServer server;
  server.fallback = [](const HttpRequest& request) {
    if (request.target == "/hang") return ScriptedResponse{.body = "{", .hang = true};
    return Json("\"" + request.target + "\"");
  };
  std::atomic<int> answered{0};
  std::atomic<int> cancelled{0};
  std::atomic<int> late{0};
  {
    std::shared_ptr<Transport> transport = NewInMemoryTransport(runtime.env(), server);
    const Client client = Client::ForTransport(runtime.env(), std::move(transport), {.qps = -1});
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          const std::string target = "/" + std::to_string(t) + "-" + std::to_string(i);
          const Result<std::string> answer = client.GetRaw(target);
          if (answer && *answer == "\"" + target + "\"") ++answered;
          if (i % 10 == 0) {
            std::stop_source stop;
            const std::jthread stopper([&stop] { stop.request_stop(); });
            const Result<std::string> stopped = client.GetRaw("/hang", {.stop = stop.get_token()});
            if (!stopped && stopped.error().reason() == Reason::kCanceled) ++cancelled;
            const Result<std::string> slow =
                client.GetRaw("/hang", {.timeout = std::chrono::milliseconds(1)});
            if (!slow && slow.error().reason() == Reason::kDeadlineExceeded) ++late;
          }
        }
      });
    }
  }
  EXPECT_EQ(answered, 200);
  EXPECT_EQ(cancelled, 20);
  EXPECT_EQ(late, 20);
}

class CompletesTwice final : public LoopCall {
 public:
  explicit CompletesTwice(Env& env) : LoopCall(env) {}
  int begun = 0;
  int ended = 0;

 private:
  void Begin() override {
    ++begun;
    Complete({});
    Complete(Error(Reason::kCanceled, "too late"));
  }
  void End() override { ++ended; }
};

// Wakes its caller that many times, each in its own turn.
class Wakes final : public LoopCall {
 public:
  Wakes(Env& env, int times) : LoopCall(env), left_(times) {}

 private:
  void Begin() override { Turn(); }
  void Turn() {
    timer_ = env().loop().RunAt(env().Now() + std::chrono::seconds(1), [this] {
      if (left_-- == 0) return Complete({});
      Wake();
      Turn();
    });
  }
  void End() override { timer_ = {}; }

  int left_;
  Timer timer_;
};

TEST(BlockingCalls, ASleeperIsToldOfEachWakeAndOfTheEnd) {
  for (const int times : {0, 2}) {
    Simulation sim;
    const auto call = std::make_shared<Wakes>(sim.env(), times);
    std::vector<SteadyTime> told;
    EXPECT_TRUE(sim.RunBlocking(
        [&] {
          EXPECT_TRUE(BlockOn(sim.env(), LoopCall::Run(call, {},
                                                       [&] {
                                                         told.push_back(sim.env().Now());
                                                         return true;
                                                       }))
                          .ok());
        },
        std::chrono::minutes(1)));
    EXPECT_EQ(told.size(), static_cast<std::size_t>(times) + 1);
    for (std::size_t i = 1; i < told.size(); ++i) {
      EXPECT_EQ(told[i] - told[i - 1], std::chrono::seconds(1));
    }
  }
}

TEST(BlockingCalls, CallThatCompletesTwice_EndsOnce) {
  Simulation sim;
  const auto call = std::make_shared<CompletesTwice>(sim.env());
  EXPECT_TRUE(
      sim.RunBlocking([&] { EXPECT_TRUE(BlockOn(sim.env(), LoopCall::Run(call, {})).ok()); },
                      std::chrono::minutes(1)));
  EXPECT_EQ(call->begun, 1);
  EXPECT_EQ(call->ended, 1);
}

TEST(BlockingCalls, EndWhereTheLoopHasEnded) {
  Simulation sim;
  internal::base::UnservedExecutor loop;  // destroys its tasks without running them
  internal::base::EnvWithExecutors env(sim.env(), loop, sim.env().pool());
  const auto call = std::make_shared<CompletesTwice>(env);
  const Result<void> done = BlockOn(env, LoopCall::Run(call, {.timeout = std::chrono::seconds(1)}));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().reason(), Reason::kStopped);
  EXPECT_EQ(done.error().message(), "the event loop has ended");
  EXPECT_EQ(call->begun, 0);
}

// A transport's request, and its end.
struct Seen {
  bool in_callback = false;                 // used on the loop
  std::promise<ResponseReceiver*> asked{};  // who waits for the answer
  std::promise<bool> ended{};               // true: within a callback of its own
};

// Does not answer by itself.
class SilentTransport final : public Transport {
 public:
  explicit SilentTransport(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {}
  ~SilentTransport() override { seen_->ended.set_value(seen_->in_callback); }
  std::unique_ptr<HttpCall> Start(HttpRequest /*request*/, ResponseReceiver& receiver) override {
    seen_->asked.set_value(&receiver);
    return std::make_unique<HttpCall>();
  }
  [[nodiscard]] TransportStats Stats() const override { return {}; }
  [[nodiscard]] std::string Describe() const override { return "silent"; }

 private:
  const std::shared_ptr<Seen> seen_;
};

// Runs each task on a thread of its own, and returns when it has ended: so a caller is held up for
// as long as another thread may need.
class AnotherThread final : public Executor {
 public:
  void Post(Closure task) override {
    std::thread([&task] { task(); }).join();
  }
  [[nodiscard]] Timer RunAt(SteadyTime /*when*/, Closure /*task*/) override { return {}; }
  [[nodiscard]] bool InThisExecutor() const override { return false; }
};

// Makes a call of a client that goes at once, and answers it. Returns whether the transport was
// destroyed within its own callback.
template <class Make>
bool EndsInCallback(const Make& make) {
  Runtime runtime({.log = NewNullLog()});
  AnotherThread thread;
  const auto seen = std::make_shared<Seen>();
  std::future<bool> in_callback = seen->ended.get_future();
  auto call = make(
      Client::ForTransport(runtime.env(), std::make_shared<SilentTransport>(seen), {.qps = -1}));
  std::promise<void> ended;
  Spawn(runtime.env(), thread, std::move(call).AsTask(),
        [&](const auto& /*answer*/) { ended.set_value(); });
  runtime.env().loop().Post([seen, receiver = seen->asked.get_future().get()] {
    seen->in_callback = true;
    HttpHeaders headers;
    headers.Add("Content-Type", "application/json");
    receiver->OnHeaders(200, headers);
    receiver->OnData(R"({"kind":"ThingList","apiVersion":"v1","metadata":{},"items":[]})");
    receiver->OnDone({});
    seen->in_callback = false;
  });
  ended.get_future().get();
  return in_callback.get();
}

// The task ends, and the last hold of the client with it, while the loop is still within the
// transport's callback that completed the call.
TEST(LoopCalls, ACallHoldsNoClientWhenItHasEnded) {
  EXPECT_FALSE(EndsInCallback([](const Client& client) { return AsyncGetRaw(client, "/"); }));
  EXPECT_FALSE(EndsInCallback([](const Client& client) {
    const RestMapping things{{"", "v1", "things"}, {"", "v1", "Thing"}, false};
    return AsyncResourceClient(client.Dynamic(things)).List();
  }));
}

}  // namespace
}  // namespace kinformer
