// apiserver/admission/admission_review.h
//
// AdmissionReview as a server writes and reads it.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_REVIEW_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_REVIEW_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// A request that is about to change something.
struct AdmissionAttributes {
  ResourceAt at{};  // as the client named it
  std::string subresource{};
  std::string operation{};  // CREATE, UPDATE or DELETE
  std::string namespace_{};
  std::string name{};
  UserInfoPtr user{};
  bool dry_run = false;
  json::Value options{};
  // In the form in which objects are stored; null where there is none.
  json::Value object{};
  json::Value old{};
};

// The object as requests for `at` show it, with kind and apiVersion; null stays null.
[[nodiscard]] json::Value ShownIn(const ResourceAt& at, const json::Value& object);
// And back.
[[nodiscard]] json::Value TakenFrom(const ResourceAt& at, json::Value shown);

// The question, about the request as `at` has it.
[[nodiscard]] std::string AdmissionQuestion(const AdmissionAttributes& attributes,
                                            const ResourceAt& at, std::string_view api_version,
                                            std::string_view uid);

struct AdmissionAnswer {
  bool allowed = false;
  json::Value patch{};  // null: none
  std::vector<std::string> warnings{};
  json::Value status{};  // of a refusal
};
// An error says what is wrong with the answer.
Result<AdmissionAnswer> ReadAdmissionAnswer(std::string_view body, std::string_view api_version,
                                            std::string_view uid);

// The error that the client is given for a refusal.
[[nodiscard]] Error RefusedByWebhook(std::string_view webhook, const json::Value& status);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_REVIEW_H_
