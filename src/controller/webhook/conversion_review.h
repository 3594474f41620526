// controller/webhook/conversion_review.h
//
// ConversionReview on the wire: the objects that an API server wants in another version, and what
// has become of them.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_CONVERSION_REVIEW_H_
#define KINFORMER_CONTROLLER_WEBHOOK_CONVERSION_REVIEW_H_

#include <string>
#include <string_view>

#include "kinformer/conversion.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::internal::webhook {

// With the apiVersion in which it is to be answered. kBadRequest: the body is no ConversionReview
// with a request.
Result<json::Value> ReadConversionReview(std::string_view body);

// The answer: all objects converted, or a Failure that names the first which could not be. May
// throw what the functions of `conversions` throw.
[[nodiscard]] std::string ConvertReview(const json::Value& review, const Conversions& conversions);
// A Failure.
[[nodiscard]] std::string FailedConversionReview(const json::Value& review,
                                                 std::string_view message);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_CONVERSION_REVIEW_H_
