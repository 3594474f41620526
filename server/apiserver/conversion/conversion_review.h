// apiserver/conversion/conversion_review.h
//
// Encoding and decoding of ConversionReview on the server's side.

#ifndef KINFORMER_APISERVER_CONVERSION_CONVERSION_REVIEW_H_
#define KINFORMER_APISERVER_CONVERSION_CONVERSION_REVIEW_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Objects to convert, at least one, and the desired version.
struct ConversionQuestion {
  std::string review{};  // "apiextensions.k8s.io/v1"
  std::string uid{};
  std::string desired{};  // "example.com/v2"
  std::vector<json::Value> objects{};
};

// Returns the request body. Resource versions are removed from the objects.
[[nodiscard]] std::string ConversionReviewText(const ConversionQuestion& question);

// Returns the converted objects, in the order of the request. Only labels and annotations of their
// metadata are taken from the response, all else from the request; a response with another kind,
// version, name, namespace or uid is an error.
Result<std::vector<json::Value>> ReadConversionAnswer(std::string_view body,
                                                      const ConversionQuestion& question);

// Returns the client's error: `conversion webhook for example.com/v1, Kind=Widget` and then `what`.
[[nodiscard]] Error ConversionError(const ConversionQuestion& question, std::string_view what);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_CONVERSION_CONVERSION_REVIEW_H_
