// client/testing/engine_scene.h
//
// EngineScene: an Engine and a ScriptedServer in simulated time, and one request at a time.

#ifndef KINFORMER_CLIENT_TESTING_ENGINE_SCENE_H_
#define KINFORMER_CLIENT_TESTING_ENGINE_SCENE_H_

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/tracing.h"
#include "kinformer/client/transport.h"

#include "base/core/testing/fields_log.h"
#include "client/engine.h"
#include "client/testing/scripted_server.h"

namespace kinformer::testing {

class EngineScene : public ::testing::Test, public ResponseReceiver {
 protected:
  // `latency`: of each request and of each piece of an answer. With a second, an answer begins two
  // seconds after its request was sent, and ends a second later.
  explicit EngineScene(LogLevel level = LogLevel::kWarning, Duration latency = Duration(0),
                       std::shared_ptr<Tracer> tracer = nullptr)
      : tracer_(std::move(tracer)),
        latency_(latency),
        log_(std::make_shared<internal::base::FieldsLog>(level)) {}

  void Make(ClientOptions options) {
    engine_ = std::make_shared<internal::client::Engine>(
        sim_.env(),
        std::shared_ptr<Transport>(NewInMemoryTransport(
            sim_.env(), server_, {.min_latency = latency_, .max_latency = latency_})),
        std::move(options));
  }
  void Begin(internal::ExchangeRequest request) {
    result_.reset();
    status_ = 0;
    body_.clear();
    sim_.env().loop().Post([this, request = std::move(request)] {
      exchange_ = std::make_unique<internal::client::Exchange>(
          engine_, internal::ExchangeRequest(request), *this);
      exchange_->Start();
    });
  }
  void End() {
    sim_.env().loop().Post([&] { exchange_.reset(); });
    sim_.RunReady();
  }
  // Returns the result of the request. `took_`: its duration.
  Result<void> Run(internal::ExchangeRequest request) {
    const SteadyTime begun = sim_.env().Now();
    Begin(std::move(request));
    EXPECT_TRUE(sim_.RunUntil([&] { return result_.has_value(); }, std::chrono::minutes(20)));
    took_ = sim_.env().Now() - begun;
    End();
    return *result_;
  }
  void TearDown() override {
    sim_.env().loop().Post([&] {
      if (engine_ != nullptr) engine_->ShutDown();
    });
    sim_.RunReady();
  }

  const std::shared_ptr<Tracer> tracer_;
  const Duration latency_;
  const std::shared_ptr<internal::base::FieldsLog> log_;
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.seed = 7, .log = log_, .metrics = metrics_, .tracer = tracer_}};
  ScriptedServer server_;
  std::shared_ptr<internal::client::Engine> engine_;
  std::unique_ptr<internal::client::Exchange> exchange_;
  std::optional<Result<void>> result_;
  int status_ = 0;
  std::string body_;
  Duration took_{0};

 private:
  void OnHeaders(int status, const HttpHeaders& /*headers*/) override { status_ = status; }
  void OnData(std::string_view data) override { body_ += data; }
  void OnDone(Result<void> result) override { result_ = std::move(result); }
};

}  // namespace kinformer::testing

#endif  // KINFORMER_CLIENT_TESTING_ENGINE_SCENE_H_
