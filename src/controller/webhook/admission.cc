#include "kinformer/webhook/admission.h"

#include <utility>

#include "kinformer/json/json_diff.h"

#include "base/core/http_code.h"

namespace kinformer::admission {
namespace {

// Whether the error is one of an API server, which a webhook passes on unchanged.
bool IsOfTheApi(const Error& error) {
  return error.reason() >= Reason::kBadRequest && error.reason() <= Reason::kTimeout;
}

void Append(std::vector<std::string> more, std::vector<std::string>& all) {
  for (std::string& text : more) all.push_back(std::move(text));
}

// Asks the handlers in order. The result has the warnings, annotations and patches of all that
// allowed the request; the first refusal is returned together with them.
Response AskAll(const std::vector<Handler>& handlers, const Request& request) {
  Response all = Allowed();
  for (const Handler& handler : handlers) {
    Response one = handler(request);
    Append(std::move(one.warnings), all.warnings);
    if (!one.allowed) {
      one.warnings = std::move(all.warnings);
      return one;
    }
    for (auto& [key, value] : one.auditAnnotations) all.auditAnnotations[key] = std::move(value);
    for (const json::Value& operation : one.patch.items()) all.patch.Append(operation);
  }
  return all;
}

}  // namespace

Response Allowed(std::string message) {
  Response response;
  response.allowed = true;
  response.message = std::move(message);
  return response;
}

Response Denied(std::string message) {
  Response response;
  response.code = 403;
  response.reason = ReasonName(Reason::kForbidden);
  response.message = std::move(message);
  return response;
}

Response ValidationResponse(bool allowed, std::string message) {
  return allowed ? Allowed(std::move(message)) : Denied(std::move(message));
}

Response Errored(int code, const Error& error) {
  Response response;
  response.code = code;
  response.message = error.message();
  return response;
}

Response Refused(const Error& error) {
  if (!IsOfTheApi(error)) return Denied(error.message());
  Response response = Errored(kinformer::internal::base::HttpCode(error), error);
  response.reason = ReasonName(error.reason());
  response.details = error.details();
  return response;
}

Response Patched(json::Value patch, std::string message) {
  Response response = Allowed(std::move(message));
  response.patch = std::move(patch);
  return response;
}

Response PatchResponse(const json::Value& original, const json::Value& current) {
  json::Value patch = json::Diff(original, current);
  return patch.size() == 0 ? Allowed() : Patched(std::move(patch));
}

Handler MultiValidatingHandler(std::vector<Handler> handlers) {
  return [handlers = std::move(handlers)](const Request& request) {
    Response response = AskAll(handlers, request);
    response.patch = nullptr;
    return response;
  };
}

Handler MultiMutatingHandler(std::vector<Handler> handlers) {
  return [handlers = std::move(handlers)](const Request& request) {
    return AskAll(handlers, request);
  };
}

}  // namespace kinformer::admission
