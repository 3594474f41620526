// The transport on other event loops: one driven by the host, and an additional one.

#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <poll.h>
#include <string>
#include <utility>

#include "kinformer/base/runtime.h"
#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer {
namespace {

using internal::transport::Echo;
using internal::transport::Hold;
using internal::transport::LoopbackServer;
using internal::transport::TestExchange;

// A host that does nothing but drive the loop.
void DriveUntil(Runtime& runtime, const std::function<bool()>& done) {
  while (!done()) {
    pollfd fd{.fd = runtime.Fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&fd, 1, 20'000), 1) << "nothing woke the host";
    runtime.RunReady();
  }
}

TEST(CurlLoopsTest, RequestsAndWatchesRunInsideAHostsLoop) {
  LoopbackServer server(Hold);
  Runtime runtime({.log = NewNullLog(), .host_driven_loop = true});
  auto transport = NewHttpTransport(runtime.env(), {.base_url = server.url()});
  ASSERT_TRUE(transport.ok()) << transport.error();

  TestExchange get;
  get.call = (*transport)->Start({.target = "/x"}, get);
  DriveUntil(runtime, [&] { return get.done(); });
  EXPECT_EQ(get.text(), "GET /x|");

  TestExchange watch;
  watch.call = (*transport)->Start({.target = "/watch", .pool = ConnectionPool::kWatch}, watch);
  DriveUntil(runtime, [&] { return watch.text() == "first "; });

  // The request's deadline is a timer of the loop.
  TestExchange late;
  HttpRequest request{.target = "/watch/2", .timeout = std::chrono::milliseconds(20)};
  late.call = (*transport)->Start(std::move(request), late);
  DriveUntil(runtime, [&] { return late.done(); });
  EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);

  watch.call.reset();
  transport->reset();
}

TEST(CurlLoopsTest, ATransportOnAFurtherLoopIsIndependentOfTheFirst) {
  LoopbackServer server(Echo);
  Runtime runtime({.log = NewNullLog()});
  std::promise<void> release;
  runtime.env().loop().Post([&] { release.get_future().wait(); });  // like decoding a long response
  {
    const std::unique_ptr<Loop> loop = runtime.env().NewLoop("leases");
    auto transport = NewHttpTransport(loop->env(), {.base_url = server.url()});
    ASSERT_TRUE(transport.ok()) << transport.error();
    TestExchange lease;
    loop->env().loop().Post([&] {
      HttpRequest request{.method = "PUT", .target = "/l", .pool = ConnectionPool::kLease};
      lease.call = (*transport)->Start(std::move(request), lease);
    });
    EXPECT_TRUE(lease.WaitDone());
    EXPECT_EQ(lease.text(), "PUT /l|");
    std::promise<void> gone;
    loop->env().loop().Post([&] {
      lease.call.reset();
      gone.set_value();
    });
    gone.get_future().wait();
    transport->reset();  // posts a task that the loop may never run
  }
  release.set_value();
}

}  // namespace
}  // namespace kinformer
