#include "controller/webhook/conversion_review.h"

#include <utility>

#include "controller/webhook/review_request.h"

namespace kinformer::internal::webhook {
namespace {

std::string Answer(const json::Value& review, json::Value converted, json::Value result) {
  return json::Value::MakeObject(
             {{"kind", "ConversionReview"},
              {"apiVersion", review["apiVersion"]},
              {"response", json::Value::MakeObject({{"uid", review.At("/request/uid")},
                                                    {"convertedObjects", std::move(converted)},
                                                    {"result", std::move(result)}})}})
      .Dump();
}

}  // namespace

Result<json::Value> ReadConversionReview(std::string_view body) {
  Result<json::Value> review = json::Parse(body);
  if (!review) return Error(Reason::kBadRequest, review.error().message());
  Result<std::string> version = AnswerVersion(*review, "apiextensions.k8s.io", "ConversionReview");
  if (!version) return std::move(version).error();
  if (!(*review)["request"].is_object()) {
    return Error(Reason::kBadRequest, "the ConversionReview has no request");
  }
  review->Set("apiVersion", *std::move(version));
  return review;
}

std::string ConvertReview(const json::Value& review, const Conversions& conversions) {
  const std::string& version = review.At("/request/desiredAPIVersion").StringOrEmpty();
  json::Value converted = json::Value::MakeArray();
  for (const json::Value& object : review.At("/request/objects").items()) {
    Result<json::Value> made = conversions.Convert(object, version);
    if (!made) {
      const json::Value& metadata = object["metadata"];
      return FailedConversionReview(
          review, object["kind"].StringOrEmpty() + " " + metadata["namespace"].StringOrEmpty() +
                      "/" + metadata["name"].StringOrEmpty() + ": " + made.error().message());
    }
    converted.Append(*std::move(made));
  }
  return Answer(review, std::move(converted), json::Value::MakeObject({{"status", "Success"}}));
}

std::string FailedConversionReview(const json::Value& review, std::string_view message) {
  return Answer(review, json::Value::MakeArray(),
                json::Value::MakeObject({{"status", "Failure"}, {"message", message}}));
}

}  // namespace kinformer::internal::webhook
