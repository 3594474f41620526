// A name that is looked up for a long time, or for ever, delays nothing but its own requests.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <dlfcn.h>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <netdb.h>
#include <string>

#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"

namespace {

// Look-ups of "never.example" last until they are let go.
std::mutex names_mutex;
std::condition_variable names_changed;
bool let_go = false;
int waiting = 0;

}  // namespace

// Takes the place of the C library's for libcurl in this program.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** found) {
  using Function = decltype(&getaddrinfo);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (name == nullptr || std::string(name) != "never.example") {
    return real(name, service, hints, found);
  }
  std::unique_lock lock(names_mutex);
  ++waiting;
  names_changed.notify_all();
  names_changed.wait(lock, [] { return let_go; });
  --waiting;
  names_changed.notify_all();
  return EAI_AGAIN;
}

namespace kinformer::internal::transport {
namespace {

class SlowNames : public CurlTransportTest {
 protected:
  SlowNames() {
    const std::lock_guard lock(names_mutex);
    let_go = false;
  }
  ~SlowNames() override { LetGo(); }
  static void AwaitLookUps(int count) {
    std::unique_lock lock(names_mutex);
    names_changed.wait(lock, [count] { return waiting >= count; });
  }
  static void LetGo() {
    std::unique_lock lock(names_mutex);
    let_go = true;
    names_changed.notify_all();
    names_changed.wait(lock, [] { return waiting == 0; });
  }
  // Whether the loop does a task although names are being looked up.
  bool LoopIsFree() {
    const auto done = std::make_shared<std::promise<void>>();
    runtime_.env().loop().Post([done] { done->set_value(); });
    return done->get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  }
  void MakeSlow() { Make({.base_url = "https://never.example:6443"}); }
};

TEST_F(SlowNames, OtherServersAreReached) {
  MakeSlow();
  const std::unique_ptr<Transport> slow = std::move(transport_);
  TestExchange waits;
  OnLoop([&] { waits.call = slow->Start({.target = "/x"}, waits); });
  AwaitLookUps(1);
  LoopbackServer server(Echo);
  Make(server);
  EXPECT_TRUE(Get("/x").ok());
  EXPECT_FALSE(waits.done());
  LetGo();
  EXPECT_TRUE(waits.WaitDone());
  EXPECT_NE(waits.error().message().find("never.example"), std::string::npos) << waits.error();
  EXPECT_NE(waits.error().message().find("Check the server's name, and DNS"), std::string::npos);
  OnLoop([&] { waits.call.reset(); });
}

TEST_F(SlowNames, TimeoutOfARequest_IsKept) {
  MakeSlow();
  TestExchange& late = Start({.target = "/x", .timeout = std::chrono::milliseconds(50)});
  AwaitLookUps(1);
  ASSERT_TRUE(late.WaitDone());
  EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_TRUE(LoopIsFree());
}

TEST_F(SlowNames, TimeToConnect_CountsTheLookUp) {
  Make(
      {.base_url = "https://never.example:6443", .connect_timeout = std::chrono::milliseconds(50)});
  TestExchange& late = Start({.target = "/x"});
  ASSERT_TRUE(late.WaitDone());
  EXPECT_EQ(late.error().reason(), Reason::kTransport);
  EXPECT_TRUE(LoopIsFree());
}

TEST_F(SlowNames, RequestThatIsGivenUp_LeavesItsLookUpBehind) {
  MakeSlow();
  TestExchange& call = Start({.target = "/x"});
  AwaitLookUps(1);
  runtime_.env().loop().Post([&] { call.call.reset(); });
  EXPECT_TRUE(LoopIsFree());
}

TEST_F(SlowNames, EndOfTheTransport_DoesNotWait) {
  MakeSlow();
  TestExchange& call = Start({.target = "/x"});
  AwaitLookUps(1);
  transport_.reset();
  EXPECT_TRUE(LoopIsFree());
  ASSERT_TRUE(call.WaitDone());
  EXPECT_EQ(call.error().reason(), Reason::kStopped);
}

}  // namespace
}  // namespace kinformer::internal::transport
