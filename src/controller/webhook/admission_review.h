// controller/webhook/admission_review.h
//
// AdmissionReview in JSON: the request of an API server, and the answer.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_ADMISSION_REVIEW_H_
#define KINFORMER_CONTROLLER_WEBHOOK_ADMISSION_REVIEW_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/webhook/admission.h"

namespace kinformer::internal::webhook {

// A request, and the version of its review: v1 or v1beta1. The answer uses the same version.
struct ReviewQuestion {
  std::string api_version{"admission.k8s.io/v1"};
  admission::Request request{};
};

// kBadRequest if the body is not an AdmissionReview with a request. Sets as much of `question` as
// could be read, since every answer needs its version and uid.
Result<void> ReadAdmissionReview(std::string_view body, ReviewQuestion& question);

[[nodiscard]] std::string WriteAdmissionReview(const ReviewQuestion& question,
                                               const admission::Response& response);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_ADMISSION_REVIEW_H_
