// apiserver/admission/admission_call.h
//
// AdmissionCall: one question to one webhook about a request, and what it has said.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_CALL_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_CALL_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/error.h"
#include "kinformer/result.h"

#include "apiserver/admission/admission_webhooks.h"
#include "apiserver/webhook/webhook_call.h"

namespace kinformer::apiserver {

// 500, in the words of a real server.
[[nodiscard]] Error InternalServerError(const std::string& why);

// Loop-confined. Destruction abandons it.
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
  // Whether the webhook's object selector selects one of the two.
  [[nodiscard]] bool Fits(const json::Value& object, const json::Value& old) const;
  // Why it must not be asked, if so.
  [[nodiscard]] std::optional<Error> DryRunError() const;

  // Asks with the objects as `at` shows them, and tells what came of it, on the loop. Empty: there
  // is no answer, and that does not matter. `done` may destroy this.
  using Done = std::function<void(Result<std::optional<AdmissionAnswer>> answer)>;
  void Ask(const ShownObjects& shown, Done done);

 private:
  void Send(std::string text);
  void Judge(Result<std::string> body);
  void Finish(Result<AdmissionAnswer> answer);

  const AdmissionParts parts_;
  const std::shared_ptr<const AdmissionAttributes> attributes_;
  const AdmissionQuestionFor about_;
  const bool mutates_;
  std::string uid_{};
  Done done_{};
  OffLoop::Ticket under_way_{};
  std::optional<WebhookCall> call_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_CALL_H_
