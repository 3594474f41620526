// controller/webhook/review_request.h
//
// Common part of the requests for all reviews: a JSON body of limited size, and a kind.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_REVIEW_REQUEST_H_
#define KINFORMER_CONTROLLER_WEBHOOK_REVIEW_REQUEST_H_

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/json/json.h"
#include "kinformer/webhook/webhook_call.h"

namespace kinformer::internal::webhook {

// kBadRequest: the body is empty or not of Content-Type application/json. kRequestEntityTooLarge:
// it has `max_bytes` or more.
Result<void> CheckBody(const HttpRequest& request, std::size_t max_bytes);
// Checks the parts that are known before the body arrives.
Result<void> CheckHead(const HttpRequest& head);

// Returns the apiVersion for the answer to a review of that kind: v1beta1 if the review uses it,
// else v1. A review without kind and version is accepted, because its path determines them.
// kBadRequest if it has another kind or group.
Result<std::string> AnswerVersion(const json::Value& review, std::string_view group,
                                  std::string_view kind);

[[nodiscard]] WebhookCall CallOf(const HttpRequest& request, const std::stop_token& stop);

[[nodiscard]] std::vector<std::string> TextsIn(const json::Value& value);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_REVIEW_REQUEST_H_
