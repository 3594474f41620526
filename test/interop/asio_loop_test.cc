#include "kinformer/interop/asio_loop.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "kinformer/base/asio.h"
#include "kinformer/client/async_resource_client.h"

#include "interop/loop_follower.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using boost::asio::io_context;
using interop::AsioLoop;
using ::testing::HasSubstr;

// Looks whether `done` holds after each turn; false after twenty seconds. Handlers run elsewhere,
// so a timer of the host's own wakes it.
bool RunUntil(io_context& io, const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    io.run_one_for(10ms);
  }
  return true;
}

TEST(AsioLoopTest, AnInformer_FollowsTheServerInsideTheLoop) {
  SocketServer server;
  io_context io;
  Runtime runtime({.host_driven_loop = true});
  std::optional<AsioLoop> loop = AsioLoop::Attach(io.get_executor(), runtime).OrExit();
  {
    LoopFollower follower(runtime, server.ClientConfig());
    EXPECT_TRUE(RunUntil(io, [&] { return follower.HasSynced(); }));
    server.Put("second");
    EXPECT_TRUE(RunUntil(io, [&] { return follower.told() == 2; }));
  }
  loop.reset();
  io.run();  // returns: nothing is left to do
}

TEST(AsioLoopTest, AwaitedRequests_NeedNoOtherThread) {
  SocketServer server;
  io_context io;
  Runtime runtime({.host_driven_loop = true});
  AsioLoop loop = AsioLoop::Attach(boost::asio::make_strand(io.get_executor()), runtime).OrExit();
  {
    const Client client = Client::NewForConfig(runtime.env(), server.ClientConfig()).OrExit();
    std::size_t found = 0;
    boost::asio::co_spawn(
        io,
        [](Client of, std::size_t& into) -> boost::asio::awaitable<void> {
          const AsyncResourceClient maps(of.For<corev1::ConfigMap>("default"));
          const auto all = co_await ForAsio(maps.List(), boost::asio::use_awaitable);
          into = all.OrExit().size();
        }(client, found),
        boost::asio::detached);
    EXPECT_TRUE(RunUntil(io, [&] { return found == 1; }));
  }
  loop.Detach();
  loop.Detach();
  io.run();
}

TEST(AsioLoopTest, LoopThatIsMoved_GoesOn) {
  io_context io;
  Runtime runtime({.host_driven_loop = true});
  AsioLoop first = AsioLoop::Attach(io.get_executor(), runtime).OrExit();
  AsioLoop second = std::move(first);
  bool ran = false;
  runtime.env().loop().Post([&ran] { ran = true; });
  EXPECT_TRUE(RunUntil(io, [&] { return ran; }));
  // Another Runtime takes its place: the first one's tasks run no more.
  Runtime other({.host_driven_loop = true});
  second = AsioLoop::Attach(io.get_executor(), other).OrExit();
  bool of_other = false;
  other.env().loop().Post([&of_other] { of_other = true; });
  EXPECT_TRUE(RunUntil(io, [&] { return of_other; }));
}

TEST(AsioLoopTest, TaskThatDetaches_IsTheLast) {
  io_context io;
  Runtime runtime({.host_driven_loop = true});
  AsioLoop loop = AsioLoop::Attach(io.get_executor(), runtime).OrExit();
  runtime.env().loop().Post([&loop] { loop.Detach(); });
  io.run();
}

TEST(AsioLoopTest, LoopThatEndsFirst_HarmsNobody) {
  Runtime runtime({.host_driven_loop = true});
  io_context io;
  const AsioLoop loop = AsioLoop::Attach(io.get_executor(), runtime).OrExit();
  runtime.env().loop().Post([] {});
}

TEST(AsioLoopTest, RuntimeWithAThread_IsRefused) {
  io_context io;
  Runtime runtime;
  const Result<AsioLoop> loop = AsioLoop::Attach(io.get_executor(), runtime);
  ASSERT_FALSE(loop.ok());
  EXPECT_THAT(loop.error().message(), HasSubstr("host_driven_loop"));
}

}  // namespace
}  // namespace kinformer::testing
