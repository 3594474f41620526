// apiserver/admission/admission_review.h
//
// AdmissionReview as a server writes and reads it.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_REVIEW_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_REVIEW_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// What a subresource takes, where that is no object of the resource: a Scale, a Binding.
struct AdmissionKind {
  std::string group{};
  std::string version{};
  std::string kind{};
};

// A request that is about to change something.
struct AdmissionAttributes {
  ResourceAt at{};  // as the client named it; it does not change meanwhile
  std::string subresource{};
  std::optional<AdmissionKind> kind{};  // none: that of the resource
  std::string operation{};              // CREATE, UPDATE or DELETE
  std::string namespace_{};
  std::string name{};
  UserInfoPtr user{};
  bool dry_run = false;
  json::Value options{};
  std::size_t bytes = 0;  // about the size of the objects: what work on them costs by
  // Of a built-in resource in the form in which its objects are stored; of a custom one in the
  // version of `at`. Null where there is none.
  json::Value object{};
  json::Value old{};
};

// The object as requests for `at` show it, with kind and apiVersion; null stays null. A custom
// object is in that version already.
[[nodiscard]] json::Value ShownIn(const AdmissionAttributes& attributes, const ResourceAt& at,
                                  const json::Value& object);
// And back.
[[nodiscard]] json::Value TakenFrom(const AdmissionAttributes& attributes, const ResourceAt& at,
                                    json::Value shown);

// The question, about the request as `at` has it, with the objects as `at` shows them.
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
  json::Value status{};  // of a refusal
};
// `mutates`: whom only may patch. An error says what is wrong with the answer.
Result<AdmissionAnswer> ReadAdmissionAnswer(std::string_view body, std::string_view api_version,
                                            std::string_view uid, bool mutates);

// The error that the client is given for a refusal.
[[nodiscard]] Error RefusedByWebhook(std::string_view webhook, const json::Value& status);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_REVIEW_H_
