// apiserver/admission/admission_call.h
//
// AdmissionCall: one call of a webhook about a request, and its response.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_CALL_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_CALL_H_

#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"

#include "apiserver/admission/admission_question.h"
#include "apiserver/admission/admission_review.h"
#include "apiserver/admission/versioned_objects.h"
#include "apiserver/request/async.h"

namespace kinformer::apiserver {

// Returns a 500 with the message of a real server.
[[nodiscard]] Error InternalServerError(const std::string& why);

// Loop-confined.
class AdmissionCall {
 public:
  AdmissionCall(const AdmissionParts& parts, std::shared_ptr<const AdmissionAttributes> attributes,
                AdmissionQuestionFor about, bool mutates)
      : parts_(parts),
        attributes_(std::move(attributes)),
        about_(std::move(about)),
        mutates_(mutates) {}

  [[nodiscard]] const Webhook& webhook() const { return *about_.webhook; }
  [[nodiscard]] const ResourceAt& at() const { return about_.at; }
  // Returns whether the webhook's object selector matches one of the two objects.
  [[nodiscard]] bool Fits(const json::Value& object, const json::Value& old) const;
  // Returns the error for a dry run, if the webhook must not be called for one.
  [[nodiscard]] std::optional<Error> DryRunError() const;

  // Evaluates the webhook's conditions (matchConditions). Returns whether all are true, or the
  // error of an evaluation.
  Task<Result<bool>> MeetsConditions(ShownObjects shown);

  // Calls the webhook with the objects in the version of `at`. Empty: the call failed, and its
  // failure is ignored.
  Task<Result<std::optional<AdmissionAnswer>>> Ask(ShownObjects shown);

 private:
  // Returns the result of a call that failed.
  [[nodiscard]] Result<std::optional<AdmissionAnswer>> Failed(const Error& why) const;

  const AdmissionParts parts_;
  const std::shared_ptr<const AdmissionAttributes> attributes_;
  const AdmissionQuestionFor about_;
  const bool mutates_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_CALL_H_
