// The transport over libcurl in simulated time: requests that wait for credentials, and calls that
// end with their transport.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "network/client_calls.h"
#include "network/held_source.h"
#include "network/served_network.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using Opening = SimulatedNetwork::Opening;

class WaitingCalls : public ServedNetwork {
 protected:
  WaitingCalls() : ServedNetwork(Duration::zero()) {}
};

TEST_F(WaitingCalls, RequestThatAwaitsCredentials_IsSentWithThem) {
  auto source = std::make_shared<HeldSource>();
  ClientCalls calls(scene_, {.credentials = source});
  ClientCall& good = calls.Start("/good");
  ClientCall& bad = calls.Start("/bad");
  ClientCall& given_up = calls.Start("/given-up");
  RunFor(3s);
  ASSERT_EQ(source->asked.size(), 3U);
  EXPECT_EQ(network().opened(), 0U);
  calls.GiveUp(given_up);
  EXPECT_THAT(source->forgotten, ElementsAre(source->asked[2].first));
  scene_.OnLoop([&] {
    source->asked[0].second(Credentials{.authorization = "Bearer t"});
    source->asked[1].second(Error(Reason::kUnauthorized, "no token"));
    source->asked[2].second(Credentials{.authorization = "Bearer t"});
  });
  RunFor(1s);
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(bad.error(), "no token");
  EXPECT_FALSE(given_up.done());
  EXPECT_EQ(handler_.Seen("/good"), 1);
  EXPECT_EQ(handler_.Seen("/bad"), 0);
  EXPECT_EQ(handler_.Seen("/given-up"), 0);
  EXPECT_EQ(source->forgotten.size(), 1U) << "an answered caller needs no Forget";
}

TEST_F(WaitingCalls, RequestThatAwaitsCredentials_EndsAtItsTimeout) {
  auto source = std::make_shared<HeldSource>();
  ClientCalls calls(scene_, {.credentials = source});
  ClientCall& late = calls.Start("/x", ConnectionPool::kShort, 4s);
  RunFor(10s);
  EXPECT_EQ(late.took(), 4s);
  EXPECT_EQ(late.error(), std::string(kServer) + "/x: no complete response in time");
  ASSERT_EQ(source->asked.size(), 1U);
  EXPECT_THAT(source->forgotten, ElementsAre(source->asked[0].first));
}

TEST_F(WaitingCalls, CredentialsThatThrow_FailTheRequest) {
  auto source = std::make_shared<HeldSource>();
  source->throws = true;
  ClientCalls calls(scene_, {.credentials = source});
  ClientCall& call = calls.Start("/x");
  RunFor(1s);
  EXPECT_THAT(call.error(), ::testing::HasSubstr("no key"));
  EXPECT_EQ(source->forgotten.size(), 1U);
  EXPECT_EQ(handler_.Seen("/x"), 0);
}

// libnghttp2 would never send it. The limit includes room for the fields of libcurl.
TEST_F(WaitingCalls, HeadBeyond64KiB_IsRefused) {
  for (const std::size_t size : {63476U, 63477U}) {
    SCOPED_TRACE(size);
    std::unique_ptr<Transport> transport = scene_.NewTransport();
    ClientCall call(scene_.env());
    HttpRequest request{.target = "/x"};
    request.headers.Add("X-Long", std::string(size, 'h'));
    scene_.OnLoop([&] { call.call = transport->Start(std::move(request), call); });
    RunFor(1s);
    const std::string refusal =
        std::string(kServer) +
        "/x: the request's head has about 65537 bytes, and HTTP/2 takes no more than 64 KiB here; "
        "shorten its selectors or headers, or set disable_http2";
    EXPECT_EQ(call.error(), size > 63476U ? refusal : "");
    EXPECT_TRUE(call.done());
    scene_.OnLoop([&] {
      call.call.reset();
      transport.reset();
    });
    RunFor(Duration(1));
  }
}

// Calls that outlive their transport end once, wherever they are.
TEST_F(WaitingCalls, EndOfTheTransport_EndsItsCalls) {
  auto source = std::make_shared<HeldSource>();
  std::unique_ptr<Transport> transport = scene_.NewTransport({.credentials = source});
  HttpHeaders token;
  token.Add("Authorization", "Bearer own");
  std::vector<std::unique_ptr<ClientCall>> calls;
  const auto start = [&](HttpRequest request) {
    calls.push_back(std::make_unique<ClientCall>(scene_.env()));
    scene_.OnLoop(
        [&] { calls.back()->call = transport->Start(std::move(request), *calls.back()); });
  };
  start({.target = "/watch", .headers = token, .pool = kWatches});
  start({.target = "/slow/60", .headers = token, .timeout = 50s});
  start({.target = "/awaits"});
  RunFor(1s);
  network().SetOpening(Opening::kHanging);
  start({.target = "/first", .headers = token, .pool = ConnectionPool::kList});
  start({.target = "/second", .headers = token, .pool = ConnectionPool::kList});
  RunFor(2500ms);
  scene_.OnLoop([&] { transport.reset(); });
  RunFor(Duration(1));
  for (const auto& call : calls) {
    EXPECT_EQ(call->error(), "the transport was shut down");
    EXPECT_LE(call->took(), 3600ms);
  }
  EXPECT_THAT(network().Open(), ::testing::IsEmpty());
  ASSERT_EQ(source->asked.size(), 1U);
  EXPECT_THAT(source->forgotten, ElementsAre(source->asked[0].first));
  RunFor(60s);
  scene_.OnLoop([&] {
    source->asked[0].second(Credentials());
    calls.clear();
  });
  EXPECT_EQ(handler_.Seen("/awaits"), 0);
}

}  // namespace
}  // namespace kinformer::testing
