// CurlLoop: which readiness of which socket its listeners are told.

#include "transport/curl_loop.h"

#include <array>
#include <chrono>
#include <curl/curl.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "network/socket_scene.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using internal::transport::CurlLoop;

// Two connected sockets: `near` is watched.
struct Ends {
  Ends() {
    std::array<int, 2> made{-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, made.data()), 0);
    near = made[0];
    far = made[1];
  }
  ~Ends() {
    close(near);
    if (far >= 0) close(far);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  void CloseFar() { close(std::exchange(far, -1)); }
  static void Send(int from) { EXPECT_EQ(send(from, "x", 1, MSG_NOSIGNAL), 1); }

  int near = -1;
  int far = -1;
};

// Notes each call, and stops watching the socket, which may stay ready.
class Noting final : public CurlLoop::Listener {
 public:
  explicit Noting(std::unique_ptr<CurlLoop>& loop) : loop_(loop) {}
  void OnSocket(int fd, int flags) override {
    calls.emplace_back(fd, flags);
    loop_->Watch(fd, CURL_POLL_REMOVE, *this);
    if (on_call) on_call();
  }

  std::vector<std::pair<int, int>> calls;
  std::function<void()> on_call;

 private:
  std::unique_ptr<CurlLoop>& loop_;
};

using Calls = std::vector<std::pair<int, int>>;

class CurlLoopTest : public ::testing::Test {
 protected:
  CurlLoopTest() {
    scene_.OnLoop([&] { loop_ = CurlLoop::New(scene_.env()).OrExit(); });
  }
  ~CurlLoopTest() override {
    scene_.OnLoop([&] { loop_.reset(); });
  }
  void Watch(int fd, int what, CurlLoop::Listener& listener) {
    scene_.OnLoop([&] { loop_->Watch(fd, what, listener); });
  }
  void Run() { scene_.sim().RunFor(100ms); }

  SocketScene scene_{1};
  std::unique_ptr<CurlLoop> loop_;
};

TEST_F(CurlLoopTest, Readiness_IsToldAsAsked) {
  enum class Far { kIdle, kSends, kCloses, kClosesUnread };
  struct Row {
    int what;
    Far far;
    int flags;  // 0: no call
  };
  constexpr int kIn = CURL_CSELECT_IN;
  constexpr int kOut = CURL_CSELECT_OUT;
  constexpr int kErr = CURL_CSELECT_ERR;
  for (const Row& row : std::vector<Row>{{CURL_POLL_IN, Far::kIdle, 0},
                                         {CURL_POLL_IN, Far::kSends, kIn},
                                         {CURL_POLL_IN, Far::kCloses, kIn},
                                         {CURL_POLL_IN, Far::kClosesUnread, kIn | kErr},
                                         {CURL_POLL_OUT, Far::kIdle, kOut},
                                         {CURL_POLL_OUT, Far::kSends, kOut},
                                         {CURL_POLL_INOUT, Far::kIdle, kOut},
                                         {CURL_POLL_INOUT, Far::kSends, kIn | kOut},
                                         {CURL_POLL_REMOVE, Far::kSends, 0}}) {
    SCOPED_TRACE(std::to_string(row.what) + " " + std::to_string(row.flags));
    Ends ends;
    Noting listener(loop_);
    if (row.far == Far::kClosesUnread) Ends::Send(ends.near);
    if (row.far == Far::kSends) Ends::Send(ends.far);
    if (row.far == Far::kCloses || row.far == Far::kClosesUnread) ends.CloseFar();
    Watch(ends.near, row.what, listener);
    Run();
    EXPECT_EQ(listener.calls, (row.flags == 0 ? Calls{} : Calls{{ends.near, row.flags}}));
    if (row.flags != 0 && ends.far >= 0) Ends::Send(ends.far);
    Run();
    EXPECT_EQ(listener.calls.size(), row.flags != 0 ? 1U : 0U) << "removed";
    scene_.OnLoop([&] { loop_->Forget(listener); });
  }
}

TEST_F(CurlLoopTest, ChangedInterest_ReplacesTheOld) {
  Ends ends;
  Noting first(loop_);
  Noting second(loop_);
  Watch(ends.near, CURL_POLL_IN, first);
  Run();
  Watch(ends.near, CURL_POLL_OUT, second);
  Run();
  EXPECT_EQ(first.calls, Calls{});
  EXPECT_EQ(second.calls, (Calls{{ends.near, CURL_CSELECT_OUT}}));
}

TEST_F(CurlLoopTest, ForgottenSocketsAndListeners_AreNotCalled) {
  Ends one;
  Ends two;
  Ends three;
  Noting kept(loop_);
  Noting gone(loop_);
  Watch(one.near, CURL_POLL_IN, gone);
  Watch(two.near, CURL_POLL_IN, kept);
  Watch(three.near, CURL_POLL_IN, kept);
  scene_.OnLoop([&] {
    loop_->Forget(gone);
    loop_->Forget(two.near);
    loop_->Forget(two.near);
  });
  for (const Ends* const ends : {&one, &two, &three}) Ends::Send(ends->far);
  Run();
  EXPECT_EQ(gone.calls, Calls{});
  EXPECT_EQ(kept.calls, (Calls{{three.near, CURL_CSELECT_IN}}));
}

// libcurl may close a socket and get the same number for the next.
TEST_F(CurlLoopTest, NumberThatIsUsedAgain_IsWatchedAgain) {
  Noting listener(loop_);
  int number = -1;
  {
    Ends old;
    number = old.near;
    Watch(number, CURL_POLL_IN, listener);
    Run();
  }
  Ends next;
  ASSERT_EQ(next.near, number);
  Watch(number, CURL_POLL_IN, listener);
  Ends::Send(next.far);
  Run();
  EXPECT_EQ(listener.calls, (Calls{{number, CURL_CSELECT_IN}}));
}

TEST_F(CurlLoopTest, ManyReadySockets_AreAllCalledOnce) {
  std::vector<std::unique_ptr<Ends>> all;
  Noting listener(loop_);
  for (int i = 0; i < 150; ++i) {
    all.push_back(std::make_unique<Ends>());
    Ends::Send(all.back()->far);
  }
  scene_.OnLoop([&] {
    for (const auto& ends : all) loop_->Watch(ends->near, CURL_POLL_IN, listener);
  });
  Run();
  EXPECT_EQ(listener.calls.size(), all.size());
}

TEST_F(CurlLoopTest, EndOfTheLoopInACall_IsTheLastCall) {
  std::vector<std::unique_ptr<Ends>> all;
  Noting listener(loop_);
  for (int i = 0; i < 5; ++i) {
    all.push_back(std::make_unique<Ends>());
    Ends::Send(all.back()->far);
  }
  listener.on_call = [&] { loop_.reset(); };
  scene_.OnLoop([&] {
    for (const auto& ends : all) loop_->Watch(ends->near, CURL_POLL_IN, listener);
  });
  Run();
  EXPECT_EQ(listener.calls.size(), 1U);
}

}  // namespace
}  // namespace kinformer::testing
