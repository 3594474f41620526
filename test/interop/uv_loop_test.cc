#include "kinformer/interop/uv_loop.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <utility>

#include "interop/loop_follower.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using interop::UvLoop;
using ::testing::HasSubstr;

class UvLoopTest : public ::testing::Test {
 protected:
  UvLoopTest() {
    uv_loop_init(&loop_);
    uv_timer_init(&loop_, &timer_);
    // Wakes the loop to look whether what runs elsewhere is done.
    uv_timer_start(&timer_, [](uv_timer_t*) {}, 10, 10);
  }
  ~UvLoopTest() override {
    uv_close(reinterpret_cast<uv_handle_t*>(&timer_), nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);  // returns: no handle is left
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "a handle was left";
  }
  bool RunUntil(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      uv_run(&loop_, UV_RUN_ONCE);
    }
    return true;
  }

  uv_loop_t loop_{};
  uv_timer_t timer_{};
};

TEST_F(UvLoopTest, AnInformer_FollowsTheServerInsideTheLoop) {
  SocketServer server;
  Runtime runtime({.host_driven_loop = true});
  const UvLoop loop = UvLoop::Attach(loop_, runtime).OrExit();
  LoopFollower follower(runtime, server.ClientConfig());
  EXPECT_TRUE(RunUntil([&] { return follower.HasSynced(); }));
  server.Put("second");
  EXPECT_TRUE(RunUntil([&] { return follower.told() == 2; }));
}

TEST_F(UvLoopTest, LoopThatIsMoved_GoesOn) {
  Runtime runtime({.host_driven_loop = true});
  Runtime other({.host_driven_loop = true});
  UvLoop first = UvLoop::Attach(loop_, runtime).OrExit();
  UvLoop second = std::move(first);
  bool ran = false;
  runtime.env().loop().Post([&ran] { ran = true; });
  EXPECT_TRUE(RunUntil([&] { return ran; }));
  second = UvLoop::Attach(loop_, other).OrExit();
  bool of_other = false;
  other.env().loop().Post([&of_other] { of_other = true; });
  EXPECT_TRUE(RunUntil([&] { return of_other; }));
  second.Detach();
  second.Detach();
}

TEST_F(UvLoopTest, TaskThatDetaches_IsTheLast) {
  Runtime runtime({.host_driven_loop = true});
  UvLoop loop = UvLoop::Attach(loop_, runtime).OrExit();
  bool ran = false;
  runtime.env().loop().Post([&] {
    loop.Detach();
    ran = true;
  });
  EXPECT_TRUE(RunUntil([&] { return ran; }));
}

TEST_F(UvLoopTest, RuntimeWithAThread_IsRefused) {
  Runtime runtime;
  const Result<UvLoop> loop = UvLoop::Attach(loop_, runtime);
  ASSERT_FALSE(loop.ok());
  EXPECT_THAT(loop.error().message(), HasSubstr("host_driven_loop"));
}

}  // namespace
}  // namespace kinformer::testing
