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

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using testing::Json;
using testing::ScriptedServer;

// Throws in all methods except Start.
class ReticentTransport final : public Transport {
 public:
  explicit ReticentTransport(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    return inner_->Start(std::move(request), receiver);
  }
  [[nodiscard]] TransportStats Stats() const override { throw std::runtime_error("no numbers"); }
  [[nodiscard]] std::string Describe() const override { throw std::runtime_error("no name"); }

 private:
  const std::unique_ptr<Transport> inner_;
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

}  // namespace
}  // namespace kinformer
