#include "apiserver/request/async.h"

#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/bulky.h"
#include "apiserver/request/off_loop.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kLittle = 1;
constexpr std::size_t kMuch = std::size_t{1} << 20;

ResponsePtr Said(int status) { return WholeResponse(status, "text/plain", ""); }

std::string BodyOf(ResponseStream& response) {
  std::vector<BodyChunk> chunks;
  response.Read(1000, chunks);
  std::string out;
  for (const BodyChunk& chunk : chunks) out += chunk.bytes;
  return out;
}

class AsyncTest : public ::testing::Test {
 protected:
  // A variable of a coroutine. The test counts how many there are, and notes whether one was
  // destroyed on another thread.
  class Variable {
   public:
    explicit Variable(AsyncTest& test) : test_(test) { ++test_.variables_; }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() {
      --test_.variables_;
      if (test_.elsewhere_) test_.destroyed_elsewhere_ = true;
    }

   private:
    AsyncTest& test_;
  };

  Env& env() { return sim_.env(); }
  ResponsePtr Begin(Task<ResponsePtr> task) { return Respond(env(), std::move(task)); }
  // Runs `work` and notes that it is on the other thread.
  void Elsewhere(const std::function<void()>& work) {
    elsewhere_ = !env().loop().InThisExecutor();
    work();
    elsewhere_ = false;
  }

  Task<int> Twice(int number) { co_return 2 * number; }
  Task<int> TwiceLater(int number) {
    co_await NextTurn(state_);
    co_return 2 * number;
  }
  // Waits for `work` over many bytes, and then responds.
  Task<ResponsePtr> WaitFor(std::function<void()> work) {
    const Variable variable(*this);
    co_await off_loop_->Do(kMuch, [&] { Elsewhere(work); });
    ++continued_;
    co_return Said(200);
  }

  Simulation sim_;
  ServerState state_{sim_.env(), {}};
  std::unique_ptr<OffLoop> off_loop_ = std::make_unique<OffLoop>(sim_.env());
  int variables_ = 0;
  int continued_ = 0;
  bool elsewhere_ = false;
  bool destroyed_elsewhere_ = false;
};

TEST_F(AsyncTest, CoroutineThatDoesNotWait_RespondsAtOnce) {
  const auto task = [&]() -> Task<ResponsePtr> {
    int sum = co_await Twice(100);
    co_await off_loop_->Do(kLittle, [&] { sum += 2; });
    co_return Said(sum);
  };
  const ResponsePtr response = Begin(task());
  EXPECT_TRUE(response->ready());
  EXPECT_EQ(response->status(), 202);
}

TEST_F(AsyncTest, CoroutineThatWaits_RespondsLaterAndWakesTheReader) {
  const auto task = [&]() -> Task<ResponsePtr> {
    const int sum = co_await TwiceLater(100);
    co_return Said(sum);
  };
  const ResponsePtr response = Begin(task());
  int wakes = 0;
  response->SetWake([&] { ++wakes; });
  EXPECT_FALSE(response->ready());
  sim_.RunReady();
  EXPECT_TRUE(response->ready());
  EXPECT_EQ(response->status(), 200);
  EXPECT_EQ(wakes, 1);
}

TEST_F(AsyncTest, WorkOverMuch_RunsElsewhereAndTheCoroutineContinuesOnTheLoop) {
  bool on_loop = true;
  bool continues_on_loop = false;
  const auto task = [&]() -> Task<ResponsePtr> {
    const std::string text = co_await off_loop_->Do(kMuch, [&] {
      on_loop = env().loop().InThisExecutor();
      return std::string("made");
    });
    continues_on_loop = env().loop().InThisExecutor();
    co_return WholeResponse(200, "text/plain", text);
  };
  const ResponsePtr response = Begin(task());
  EXPECT_FALSE(response->ready());
  sim_.RunReady();
  ASSERT_TRUE(response->ready());
  EXPECT_EQ(BodyOf(*response), "made");
  EXPECT_FALSE(on_loop);
  EXPECT_TRUE(continues_on_loop);
}

TEST_F(AsyncTest, DestroyedResponse_EndsTheCoroutineWhereItWaits) {
  bool cancelled = false;
  std::function<void(int)> call;
  const auto task = [&]() -> Task<ResponsePtr> {
    const Variable variable(*this);
    const int status = co_await Called<int>([&](Called<int>::Done done) {
      call = std::move(done);
      return std::shared_ptr<void>(nullptr, [&](void*) { cancelled = true; });
    });
    ++continued_;
    co_return Said(status);
  };
  {
    const ResponsePtr answered = Begin(task());
    call(201);
    ASSERT_TRUE(answered->ready());
    EXPECT_EQ(answered->status(), 201);
    EXPECT_EQ(variables_, 0) << "they are gone before the response is";
  }
  cancelled = false;
  ResponsePtr response = Begin(task());
  EXPECT_EQ(variables_, 1);
  response.reset();
  EXPECT_TRUE(cancelled);
  EXPECT_EQ(variables_, 0);
  EXPECT_EQ(continued_, 1);
}

TEST_F(AsyncTest, DestroyedResponse_EndsACoroutineThatWaitsForALaterTurn) {
  const auto task = [&]() -> Task<ResponsePtr> {
    const Variable variable(*this);
    const int status = co_await TwiceLater(100);
    ++continued_;
    co_return Said(status);
  };
  ResponsePtr response = Begin(task());
  response.reset();
  EXPECT_EQ(variables_, 0);
  sim_.RunReady();
  EXPECT_EQ(continued_, 0);
}

TEST_F(AsyncTest, WorkThatNobodyWaitsFor_IsNotBegun) {
  bool begun = false;
  ResponsePtr response = Begin(WaitFor([&] { begun = true; }));
  response.reset();
  sim_.RunReady();
  EXPECT_FALSE(begun);
  EXPECT_EQ(variables_, 0);
  EXPECT_FALSE(destroyed_elsewhere_);
  EXPECT_EQ(continued_, 0);
}

TEST_F(AsyncTest, VariablesThatWorkUses_StayUntilItHasEndedAndAreDestroyedOnTheLoop) {
  const std::unique_ptr<Monitor> monitor = env().NewMonitor();
  bool under_way = false;
  bool may_end = false;
  int seen = 0;
  ResponsePtr response = Begin(WaitFor([&] {
    MonitorLock lock(*monitor);
    under_way = true;
    while (!may_end) lock.Wait();
    seen = variables_;
  }));
  sim_.RunReady();
  ASSERT_TRUE(under_way);
  response.reset();
  EXPECT_EQ(variables_, 1);
  {
    MonitorLock lock(*monitor);
    may_end = true;
    monitor->NotifyAll();
  }
  sim_.RunReady();
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(variables_, 0);
  EXPECT_FALSE(destroyed_elsewhere_);
  EXPECT_EQ(continued_, 0);
}

TEST_F(AsyncTest, NothingContinues_OnceTheOtherThreadIsGone) {
  int run = 0;
  ResponsePtr waits = Begin(WaitFor([&] { ++run; }));
  ResponsePtr left = Begin(WaitFor([&] { ++run; }));
  left.reset();
  EXPECT_EQ(variables_, 2);
  off_loop_.reset();
  EXPECT_LE(run, 1);
  waits.reset();
  EXPECT_EQ(variables_, 0);
  sim_.RunReady();
  EXPECT_EQ(continued_, 0);
}

TEST_F(AsyncTest, CoroutineThatDestroysItsOwnResponse_EndsAtTheNextWait) {
  ResponsePtr response;
  const auto task = [&]() -> Task<ResponsePtr> {
    const Variable variable(*this);
    co_await NextTurn(state_);
    response.reset();
    EXPECT_EQ(variables_, 1);
    const int status = co_await Twice(100);
    ++continued_;
    co_return Said(status);
  };
  response = Begin(task());
  sim_.RunReady();
  EXPECT_EQ(variables_, 0);
  EXPECT_EQ(continued_, 0);
}

TEST_F(AsyncTest, ResponseThatItsWakeDestroys_DoesNoHarm) {
  ResponsePtr response = Begin(WaitFor([] {}));
  response->SetWake([&] { response.reset(); });
  sim_.RunReady();
  EXPECT_EQ(response, nullptr);
  EXPECT_EQ(variables_, 0);
}

TEST_F(AsyncTest, Exception_ReachesTheAwaitingCoroutineAndBecomesAResponse) {
  const auto fails = [&](std::size_t bytes) -> Task<int> {
    const int status =
        co_await off_loop_->Do(bytes, []() -> int { throw std::runtime_error("no"); });
    co_return status;
  };
  const auto catches = [&](std::size_t bytes) -> Task<ResponsePtr> {
    int status = 0;
    try {
      status = co_await fails(bytes);
    } catch (const std::runtime_error&) {
      status = 204;
    }
    co_return Said(status);
  };
  const auto passes_on = [&](std::size_t bytes) -> Task<ResponsePtr> {
    const int status = co_await fails(bytes);
    co_return Said(status);
  };
  for (const std::size_t bytes : {kLittle, kMuch}) {
    const ResponsePtr caught = Begin(catches(bytes));
    const ResponsePtr thrown = Begin(passes_on(bytes));
    sim_.RunReady();
    ASSERT_TRUE(caught->ready() && thrown->ready()) << bytes;
    EXPECT_EQ(caught->status(), 204) << bytes;
    EXPECT_EQ(thrown->status(), 500) << bytes;
    EXPECT_NE(BodyOf(*thrown).find("Internal error occurred: no"), std::string::npos);
  }
}

TEST_F(AsyncTest, CallsThatDoNotWait_TakeNoStack) {
  const auto task = [&]() -> Task<ResponsePtr> {
    int last = 0;
    for (int i = 0; i < 200'000; ++i) last = co_await Twice(100);
    co_return Said(last);
  };
  EXPECT_EQ(Begin(task())->status(), 200);
}

TEST_F(AsyncTest, CallbackDuringTheCall_Counts) {
  const auto task = [&]() -> Task<ResponsePtr> {
    const int status = co_await Called<int>([](const Called<int>::Done& done) {
      done(202);
      return nullptr;
    });
    co_return Said(status);
  };
  EXPECT_EQ(Begin(task())->status(), 202);
}

TEST_F(AsyncTest, StartedCoroutine_PassesItsResultUnlessTheTicketIsGone) {
  const auto task = [&]() -> Task<Result<int>> {
    const int sum = co_await TwiceLater(3);
    co_return sum;
  };
  int result = 0;
  const auto done = [&](const Result<int>& sum) { result += *sum; };
  AsyncTicket kept = Start<Result<int>>(env(), task(), done);
  AsyncTicket destroyed = Start<Result<int>>(env(), task(), done);
  destroyed.reset();
  sim_.RunReady();
  EXPECT_EQ(result, 6);
}

TEST_F(AsyncTest, BulkyVariable_IsDiscardedIfTheRequestIsLarge) {
  std::vector<std::size_t> discarded;
  state_.discard = [&](const std::shared_ptr<const void>& garbage, std::size_t bytes) {
    EXPECT_EQ(garbage.use_count(), 1);
    discarded.push_back(bytes);
  };
  const auto kept = std::make_shared<int>(1);
  for (const std::size_t first : {kLittle, kMuch}) {
    std::size_t bytes = first;
    Bulky<std::shared_ptr<int>> bulky(state_, bytes, kept);
    ++bytes;
    EXPECT_EQ(**bulky, 1);
  }
  EXPECT_EQ(discarded, std::vector<std::size_t>{kMuch + 1});
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
}  // namespace kinformer::apiserver
