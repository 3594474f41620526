// apiserver/conversion/conversion_review.h
//
// ConversionReview as a server writes and reads it.

#ifndef KINFORMER_APISERVER_CONVERSION_CONVERSION_REVIEW_H_
#define KINFORMER_APISERVER_CONVERSION_CONVERSION_REVIEW_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::apiserver {

// Whole objects, and the version in which they are wanted. There is at least one.
struct ConversionQuestion {
  std::string review{};  // "apiextensions.k8s.io/v1"
  std::string uid{};
  std::string desired{};  // "example.com/v2"
  std::vector<json::Value> objects{};
};

// The body of the question. Nobody is told resourceVersions.
[[nodiscard]] std::string ConversionReviewText(const ConversionQuestion& question);

// The objects of the answer, in the order of the question. Of their metadata only labels and
// annotations are the answer's; an answer with another kind, version, name, namespace or uid is an
// error.
Result<std::vector<json::Value>> ReadConversionAnswer(std::string_view body,
                                                      const ConversionQuestion& question);

// What clients are told: `conversion webhook for example.com/v1, Kind=Widget` and then `what`.
[[nodiscard]] Error ConversionError(const ConversionQuestion& question, std::string_view what);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_CONVERSION_CONVERSION_REVIEW_H_
