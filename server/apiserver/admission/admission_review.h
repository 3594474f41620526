// apiserver/admission/admission_review.h
//
// Encoding and decoding of AdmissionReview on the server's side.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_REVIEW_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_REVIEW_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/audit_trail.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// Kind of a subresource's objects where it differs from the resource's: a Scale, a Binding.
struct AdmissionKind {
  std::string group{};
  std::string version{};
  std::string kind{};
};

// Write request that webhooks may review.
struct AdmissionAttributes {
  ResourceAt at{};  // resource and version as the client named them; constant for the request
  std::string subresource{};
  std::optional<AdmissionKind> kind{};  // none: the resource's kind
  std::string operation{};              // CREATE, UPDATE or DELETE
  std::string namespace_{};
  std::string name{};
  UserInfoPtr user{};
  AuditTrailPtr audit{};  // null: the audit log does not have the request
  bool dry_run = false;
  json::Value options{};
  std::size_t bytes = 0;  // approximate size of the objects; estimates the cost of work on them
  // Built-in resources: in the form in which objects are stored. Custom resources: in the version
  // of `at`. Null where the request has no such object.
  json::Value object{};
  json::Value old{};
};

// Returns the object as requests for `at` show it, with kind and apiVersion; null stays null.
// Custom objects are in that version already and only copied.
[[nodiscard]] json::Value ShownIn(const AdmissionAttributes& attributes, const ResourceAt& at,
                                  const json::Value& object);
// Converts a shown object back; the inverse of ShownIn.
[[nodiscard]] json::Value TakenFrom(const AdmissionAttributes& attributes, const ResourceAt& at,
                                    json::Value shown);

// Returns the request as reviews for `at` show it, without uid and objects.
[[nodiscard]] json::Value RequestShown(const AdmissionAttributes& attributes, const ResourceAt& at);

// Contents of one AdmissionReview: the request as `at` names it, and the objects in its version.
struct AdmissionQuestion {
  ResourceAt at{};
  std::string_view api_version{};
  std::string_view uid{};
  const json::Value& object;
  const json::Value& old;
};
[[nodiscard]] std::string AdmissionReviewText(const AdmissionAttributes& attributes,
                                              const AdmissionQuestion& question);

struct AdmissionAnswer {
  bool allowed = false;
  json::Value patch{};  // null: none
  std::vector<std::string> warnings{};
  json::Value status{};       // in a refusal
  json::Value annotations{};  // for the audit log
};
// Parses the webhook's response. Only mutating webhooks may patch. Errors describe the response.
Result<AdmissionAnswer> ReadAdmissionAnswer(std::string_view body, std::string_view api_version,
                                            std::string_view uid, bool mutates);

// Returns the error that the client receives for a refusal.
[[nodiscard]] Error RefusedByWebhook(std::string_view webhook, const json::Value& status);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_REVIEW_H_
