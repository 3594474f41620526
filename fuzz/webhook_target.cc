// Both ends of webhooks: a webhook server behind any body, and the API server behind any answer.

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/json/json.h"
#include "kinformer/webhook/webhook_server.h"

#include "apiserver/admission/admission_review.h"
#include "apiserver/conversion/conversion_review.h"
#include "apiserver/request/patch.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {
namespace {

class AcceptsAll final : public admission::Validator<corev1::ConfigMap> {
 public:
  Result<void> ValidateCreate(const admission::Request& /*request*/,
                              const corev1::ConfigMap& object,
                              admission::Warnings& warnings) override {
    warnings.push_back("named " + std::string(object.metadata().name()));
    return {};
  }
};

constexpr const char* kPaths[] = {"/validate--v1-configmap", "/mutate--v1-configmap", "/plain",
                                  "/authenticate", "/convert"};

void RegisterAll(WebhookServer& server) {
  server.RegisterValidator<corev1::ConfigMap>(std::make_shared<AcceptsAll>()).OrExit();
  server
      .RegisterDefaulter<corev1::ConfigMap>(
          [](const admission::Request&, corev1::ConfigMap::Mutable& object) -> Result<void> {
            object.metadata.labels["seen"] = "yes";
            return {};
          })
      .OrExit();
  server
      .Register("/plain",
                [](const admission::Request& request) {
                  return request.name.empty() ? admission::Denied("it has no name")
                                              : admission::Allowed();
                })
      .OrExit();
  server
      .RegisterAuthentication("/authenticate",
                              [](const authentication::Request&) {
                                return authentication::Unauthenticated("nobody is let in");
                              })
      .OrExit();
  Conversions conversions;
  conversions
      .Add({"example.com", "v1", "Thing"}, {"example.com", "v2", "Thing"},
           [](const json::Value& object) -> Result<json::Value> {
             json::Value copy = object;
             copy.Set("converted", true);
             return copy;
           })
      .OrExit();
  server.RegisterConversions(std::move(conversions)).OrExit();
}

}  // namespace

// The last byte selects the handler for the rest.
void FuzzWebhookServer(std::string_view input) {
  Choices choices(input);
  const std::size_t which = choices.Byte() % std::size(kPaths);
  Simulation sim;
  WebhookServer server(sim.env());
  RegisterAll(server);
  HttpRequest request{.method = "POST", .target = kPaths[which]};
  request.headers.Add("Content-Type", "application/json");
  request.body = std::string(choices.rest());
  const std::unique_ptr<ResponseStream> stream = server.Handle(std::move(request));
  stream->SetWake([] {});
  Require(sim.RunUntil([&] { return stream->ready(); }, std::chrono::minutes(1)),
          "an answer comes");
  std::string text;
  for (bool more = true; more;) {
    std::vector<BodyChunk> chunks;
    more = stream->Read(65536, chunks) == ResponseStream::State::kMore;
    for (const BodyChunk& chunk : chunks) text += chunk.bytes;
  }
  Require(stream->status() == 200 || stream->status() == 400, "it is answered or refused", text);
  if (stream->status() != 200) return;
  const Result<json::Value> body = json::Parse(text);
  Require(body.ok(), "the answer is JSON", text);
  Require(body->contains("response") || body->contains("status"), "the answer is a review", text);
}

void FuzzAdmissionAnswer(std::string_view input) {
  Choices choices(input);
  const bool mutates = choices.Byte() % 2 == 0;
  const char* const version =
      choices.Byte() % 2 == 0 ? "admission.k8s.io/v1" : "admission.k8s.io/v1beta1";
  const auto answer = apiserver::ReadAdmissionAnswer(choices.rest(), version, "u-1", mutates);
  if (!answer) {
    Require(!answer.error().message().empty(), "an error says what is wrong");
    return;
  }
  Require(mutates || answer->patch.is_null(), "only who mutates may patch");
  if (!answer->allowed) {
    const Error refusal = apiserver::RefusedByWebhook("w.example.com", answer->status);
    Require(refusal.message().find("w.example.com") != std::string::npos,
            "a refusal names the webhook", refusal.message());
    return;
  }
  if (answer->patch.is_null()) return;
  json::Value object = json::Value::MakeObject({{"kind", "ConfigMap"}, {"data", json::Value()}});
  if (const Result<void> patched = apiserver::ApplyJsonPatch(answer->patch, object); !patched) {
    Require(!patched.error().message().empty(), "a patch that fails says why");
  }
}

void FuzzConversionAnswer(std::string_view input) {
  const json::Value thing = *json::Parse(
      R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"n",)"
      R"("uid":"7","labels":{"l":"x"}},"spec":{"size":1}})");
  apiserver::ConversionQuestion question{.review = "apiextensions.k8s.io/v1",
                                         .uid = "u-1",
                                         .desired = "example.com/v2",
                                         .objects = {thing}};
  const auto objects = apiserver::ReadConversionAnswer(input, question);
  if (!objects) {
    Require(!objects.error().message().empty(), "an error says what is wrong");
    return;
  }
  Require(objects->size() == 1, "an object for each of the question");
  const json::Value& object = objects->front();
  RequireEqual(object["apiVersion"].StringOrEmpty(), "example.com/v2",
               "it is in the version asked");
  RequireEqual(object.At("/metadata/name").StringOrEmpty(), "a", "it keeps its name");
  RequireEqual(object.At("/metadata/uid").StringOrEmpty(), "7", "it keeps its uid");
}

}  // namespace kinformer::fuzz
