// kinformer/admission.h
//
// Admission: what a webhook is asked by the API server before an object is written, and what it may
// answer. Handlers are given to a WebhookServer (webhook_server.h); those for one kind of object
// are made by WithValidator (admission_validator.h) and WithDefaulter (admission_defaulter.h).
//
//   webhooks.Register("/validate-names", [](const admission::Request& request) {
//     if (request.name.starts_with("tmp-")) return admission::Denied("names must last");
//     return admission::Allowed();
//   }).OrExit();
//
// Counterpart: controller-runtime's package webhook/admission.

#ifndef KINFORMER_ADMISSION_H_
#define KINFORMER_ADMISSION_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"
#include "kinformer/object_name.h"
#include "kinformer/user_info.h"
#include "kinformer/webhook_call.h"

namespace kinformer::admission {

// Who sends the request that is to be judged.
using UserInfo = authentication::UserInfo;

// What is to be judged. A plain value. Counterpart: admission/v1 AdmissionRequest.
struct Request {
  std::string uid{};  // of this question
  // The object's kind and the resource that the request is for, in the version that the webhook's
  // rules name; and as the client named them, which differs where the server has converted.
  GroupVersionKind kind{};
  GroupVersionResource resource{};
  std::string subResource{};
  std::optional<GroupVersionKind> requestKind{};
  std::optional<GroupVersionResource> requestResource{};
  std::string requestSubResource{};
  std::string name{};  // may be empty where the server is going to make one
  std::string namespace_{};
  std::string operation{};  // "CREATE", "UPDATE", "DELETE" or "CONNECT"
  UserInfo userInfo{};
  json::Value object{};     // null on DELETE
  json::Value oldObject{};  // null on CREATE
  json::Value options{};    // CreateOptions and so on
  bool dryRun{false};       // nothing will be stored: the handler must have no side effects
  WebhookCall call{};
};

// The answer. A plain value. Counterpart: admission.Response.
struct Response {
  bool allowed{false};
  json::Value patch{};  // a JSON Patch that changes the object; null: none
  std::map<std::string, std::string> auditAnnotations{};
  std::vector<std::string> warnings{};  // shown to the client, whether or not it is allowed
  // What the client is told: the members of a metav1.Status.
  int code{200};
  std::string reason{};
  std::string message{};
  StatusDetails details{};
};

// Judges. Runs on the Env's pool, several at once; may block. What it throws becomes an answer with
// code 500.
using Handler = std::function<Response(const Request& request)>;

// Yes.
[[nodiscard]] Response Allowed(std::string message = {});
// No: 403.
[[nodiscard]] Response Denied(std::string message);
// Allowed or Denied.
[[nodiscard]] Response ValidationResponse(bool allowed, std::string message = {});
// It could not be judged: `code` with the error's message.
[[nodiscard]] Response Errored(int code, const Error& error);
// No, with the error's own code, reason and details where it is one of the API's (Reason::kInvalid
// and so on), else as Denied.
[[nodiscard]] Response Refused(const Error& error);
// Yes, if the object is changed by this JSON Patch.
[[nodiscard]] Response Patched(json::Value patch, std::string message = {});
// The same with the patch that turns one object into the other; none where they are equal.
[[nodiscard]] Response PatchResponse(const json::Value& original, const json::Value& current);

// Asks one after the other; the first that refuses has decided. Warnings of all that were asked are
// in the answer. Counterpart: MultiValidatingHandler.
[[nodiscard]] Handler MultiValidatingHandler(std::vector<Handler> handlers);
// The same; the patches follow each other in one. Each handler sees the object as it came.
// Counterpart: MultiMutatingHandler.
[[nodiscard]] Handler MultiMutatingHandler(std::vector<Handler> handlers);

}  // namespace kinformer::admission

#endif  // KINFORMER_ADMISSION_H_
