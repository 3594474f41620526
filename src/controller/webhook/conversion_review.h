// controller/webhook/conversion_review.h
//
// ConversionReview in JSON: the objects that an API server wants in another version, and the
// converted objects.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_CONVERSION_REVIEW_H_
#define KINFORMER_CONTROLLER_WEBHOOK_CONVERSION_REVIEW_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"
#include "kinformer/webhook/conversion.h"

namespace kinformer::internal::webhook {

// Returns the review with the apiVersion for the answer. kBadRequest if the body is not a
// ConversionReview with a request.
Result<json::Value> ReadConversionReview(std::string_view body);

// Returns the answer: all converted objects, or a Failure that names the first object which could
// not be converted. May throw exceptions of the functions in `conversions`.
[[nodiscard]] std::string ConvertReview(const json::Value& review, const Conversions& conversions);
// Returns a Failure.
[[nodiscard]] std::string FailedConversionReview(const json::Value& review,
                                                 std::string_view message);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_CONVERSION_REVIEW_H_
