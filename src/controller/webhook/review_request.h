// controller/webhook/review_request.h
//
// What the requests of all reviews have in common: a JSON body of limited size, and a kind.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_REVIEW_REQUEST_H_
#define KINFORMER_CONTROLLER_WEBHOOK_REVIEW_REQUEST_H_

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"
#include "kinformer/webhook_call.h"

namespace kinformer::internal::webhook {

// kBadRequest: the body is empty or not of Content-Type application/json. kRequestEntityTooLarge:
// it has `max_bytes` or more.
Result<void> CheckBody(const HttpRequest& request, std::size_t max_bytes);
// Checks what of that is known before there is a body.
Result<void> CheckHead(const HttpRequest& head);

// The apiVersion in which a review of that kind is answered: v1beta1 where it has been put in that,
// else v1. A review that says nothing of its kind or version is taken for one, as its path says
// what it must be. kBadRequest: it is of another kind or group.
Result<std::string> AnswerVersion(const json::Value& review, std::string_view group,
                                  std::string_view kind);

[[nodiscard]] WebhookCall CallOf(const HttpRequest& request, const std::stop_token& stop);

[[nodiscard]] std::vector<std::string> TextsIn(const json::Value& value);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_REVIEW_REQUEST_H_
