// kinformer/webhook/admission.h
//
// Admission: questions of an API server to a webhook before an object is written, and the answers.
// Handlers are given to a WebhookServer (webhook_server.h); WithValidator (admission_validator.h)
// and WithDefaulter (admission_defaulter.h) make handlers for one kind of object.
//
//   webhooks.Register("/validate-names", [](const admission::Request& request) {
//     if (request.name.starts_with("tmp-")) return admission::Denied("names must last");
//     return admission::Allowed();
//   }).OrExit();
//
// Counterpart: controller-runtime's package webhook/admission.

#ifndef KINFORMER_WEBHOOK_ADMISSION_H_
#define KINFORMER_WEBHOOK_ADMISSION_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"
#include "kinformer/webhook/user_info.h"
#include "kinformer/webhook/webhook_call.h"

namespace kinformer::admission {

// Identity of the client that sent the request under review.
using UserInfo = authentication::UserInfo;

// A question of the API server. A plain value. Counterpart: admission/v1 AdmissionRequest.
struct Request {
  std::string uid{};  // identifies this question; the answer repeats it
  // Kind of the object and resource of the request, in the version that the webhook's rules name;
  // and as the client named them, which differ if the server has converted the object.
  GroupVersionKind kind{};
  GroupVersionResource resource{};
  std::string subResource{};
  std::optional<GroupVersionKind> requestKind{};
  std::optional<GroupVersionResource> requestResource{};
  std::string requestSubResource{};
  std::string name{};  // may be empty where the server will generate one
  std::string namespace_{};
  std::string operation{};  // "CREATE", "UPDATE", "DELETE" or "CONNECT"
  UserInfo userInfo{};
  json::Value object{};     // null on DELETE
  json::Value oldObject{};  // null on CREATE
  json::Value options{};    // CreateOptions and so on
  bool dryRun{false};       // nothing will be stored: the handler must have no side effects
  WebhookCall call{};
};

// An answer. A plain value. Counterpart: admission.Response.
struct Response {
  bool allowed{false};
  json::Value patch{};  // a JSON Patch that changes the object; null: none
  std::map<std::string, std::string> auditAnnotations{};
  std::vector<std::string> warnings{};  // shown to the client, whether or not it is allowed
  // Status shown to the client: the members of a metav1.Status.
  int code{200};
  std::string reason{};
  std::string message{};
  StatusDetails details{};
};

// Decides about one request. Runs on the Env's pool, several calls at once; may block. If it
// throws, the answer has code 500.
using Handler = std::function<Response(const Request& request)>;

// Returns an answer that allows the request.
[[nodiscard]] Response Allowed(std::string message = {});
// Returns an answer that refuses the request, with code 403.
[[nodiscard]] Response Denied(std::string message);
// Returns Allowed(message) or Denied(message).
[[nodiscard]] Response ValidationResponse(bool allowed, std::string message = {});
// Returns a refusal for a request that could not be judged: `code` and the error's message.
[[nodiscard]] Response Errored(int code, const Error& error);
// Returns a refusal. Code, reason and details are the error's own if its Reason is one of the API's
// (Reason::kInvalid and so on); other errors are refused as by Denied.
[[nodiscard]] Response Refused(const Error& error);
// Returns an answer that allows the request and changes the object by this JSON Patch.
[[nodiscard]] Response Patched(json::Value patch, std::string message = {});
// Returns Patched with the patch that turns `original` into `current`; no patch if they are equal.
[[nodiscard]] Response PatchResponse(const json::Value& original, const json::Value& current);

// Returns a handler that calls `handlers` in order and stops at the first refusal. The answer has
// the warnings of all handlers that were called. Counterpart: MultiValidatingHandler.
[[nodiscard]] Handler MultiValidatingHandler(std::vector<Handler> handlers);
// Does the same for handlers that patch, and joins their patches in order. Each handler gets the
// object as the client sent it. Counterpart: MultiMutatingHandler.
[[nodiscard]] Handler MultiMutatingHandler(std::vector<Handler> handlers);

}  // namespace kinformer::admission

#endif  // KINFORMER_WEBHOOK_ADMISSION_H_
