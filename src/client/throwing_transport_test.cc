// Transports of the program that throw exceptions.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/rest_request.h"
#include "kinformer/client/transport.h"
#include "kinformer/client/transport_wrapper.h"

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using testing::Json;
using testing::ScriptedServer;

// Throws in all methods except Start.
class ReticentTransport final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  [[nodiscard]] TransportStats Stats() const override { throw std::runtime_error("no numbers"); }
  [[nodiscard]] std::string Describe() const override { throw std::runtime_error("no name"); }
};

TEST(ClientTest, TransportDescriptionThrows_RequestsPass) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim({.metrics = metrics});
  ScriptedServer server;
  server.fallback = [](const HttpRequest& request) { return Json("\"" + request.target + "\""); };
  {
    const Client client = Client::ForTransport(
        sim.env(), std::make_shared<ReticentTransport>(NewInMemoryTransport(sim.env(), server)));
    EXPECT_EQ(client.Describe(), "the transport");
    std::string answer;
    EXPECT_TRUE(sim.RunBlocking(
        [&] {
          EXPECT_EQ(client.Stats().requests, 0U);
          answer = client.GetRaw("/version").value_or("none");
        },
        seconds(10)));
    EXPECT_EQ(answer, "\"/version\"");
  }
  sim.RunReady();
  for (const char* method : {"Stats", "Describe"}) {
    EXPECT_THAT(metrics->Text(),
                HasSubstr("kinformer_user_exceptions_total{function=\"Transport::" +
                          std::string(method) + "\"} 1"));
  }
}

// Its calls throw when they are paused, and go on.
class RestlessTransport final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    return std::make_unique<Call>(inner().Start(std::move(request), receiver));
  }

 private:
  class Call final : public HttpCall {
   public:
    explicit Call(std::unique_ptr<HttpCall> inner) : inner_(std::move(inner)) {}
    void SetPaused(bool) override { throw std::runtime_error("no pause"); }

   private:
    const std::unique_ptr<HttpCall> inner_;
  };
};

TEST(ClientTest, SetPausedThrows_TheStreamIsWhole) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim({.metrics = metrics});
  ScriptedServer server;
  const std::string text(std::size_t{3} << 20, 'x');
  server.fallback = [&](const HttpRequest&) { return testing::ScriptedResponse{.body = text}; };
  std::string got;
  {
    const Client client = Client::ForTransport(
        sim.env(), std::make_shared<RestlessTransport>(NewInMemoryTransport(sim.env(), server)));
    EXPECT_TRUE(sim.RunBlocking(
        [&] {
          const Result<void> done =
              RestClient(client).Get().AbsPath("/log").Stream([&](std::string_view data) {
                got += data;
                sim.env().SleepFor(seconds(1));
                return true;
              });
          EXPECT_TRUE(done.ok()) << done.error();
        },
        seconds(1000)));
  }
  sim.RunReady();
  EXPECT_EQ(got, text);
  EXPECT_THAT(metrics->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"HttpCall::SetPaused\""));
}

}  // namespace
}  // namespace kinformer
