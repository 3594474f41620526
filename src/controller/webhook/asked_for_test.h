// controller/webhook/asked_for_test.h
//
// For tests: a webhook server in simulated time, and its answers.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_ASKED_FOR_TEST_H_
#define KINFORMER_CONTROLLER_WEBHOOK_ASKED_FOR_TEST_H_

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/json/json.h"
#include "kinformer/webhook/webhook_server.h"

#include "object/values/text_forms.h"

namespace kinformer::testing {

struct WebhookReply {
  int status = 0;
  std::string text{};
  json::Value body{};  // null where the text is no JSON
  // Returns response.patch of a review, decoded; null if it is absent.
  [[nodiscard]] json::Value Patch() const {
    const std::string& text64 = body.At("/response/patch").StringOrEmpty();
    if (text64.empty()) return {};
    return json::Parse(internal::Base64Decode(text64).value_or("")).value_or(json::Value());
  }
};

class WebhookTest : public ::testing::Test {
 protected:
  WebhookReply Ask(const std::string& target, std::string body,
                   const std::string& content_type = "application/json") {
    HttpRequest request{.method = "POST", .target = target};
    request.headers.Add("Content-Type", content_type);
    request.body = std::move(body);
    const auto stream = server_.Handle(std::move(request));
    EXPECT_TRUE(sim_.RunUntil([&] { return stream->ready(); }, std::chrono::minutes(1)));
    WebhookReply reply{.status = stream->status()};
    for (auto state = ResponseStream::State::kMore; state == ResponseStream::State::kMore;) {
      std::vector<BodyChunk> chunks;
      state = stream->Read(1000, chunks);
      for (const BodyChunk& chunk : chunks) reply.text += chunk.bytes;
    }
    reply.body = json::Parse(reply.text).value_or(json::Value());
    return reply;
  }

  // Returns a review of `request`, adding the uid "u-1"; other fields may be missing.
  static std::string Review(json::Value request,
                            const std::string& version = "admission.k8s.io/v1") {
    request.Set("uid", "u-1");
    return json::Value::MakeObject({{"apiVersion", version},
                                    {"kind", "AdmissionReview"},
                                    {"request", std::move(request)}})
        .Dump();
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_}};
  WebhookServer server_{sim_.env()};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_CONTROLLER_WEBHOOK_ASKED_FOR_TEST_H_
