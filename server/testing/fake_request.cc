#include "testing/fake_request.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "apiserver/request/negotiation.h"
#include "apiserver/request/request_info.h"
#include "apiserver/write/request/request_body.h"

namespace kinformer::internal::kit {
namespace {

using apiserver::RequestInfo;
using testing::Action;

std::optional<PatchType> PatchTypeOf(const HttpRequest& request) {
  const std::string_view content_type = request.headers.Get("Content-Type");
  for (const PatchType type : {PatchType::kJsonPatch, PatchType::kMergePatch,
                               PatchType::kStrategicMerge, PatchType::kApply}) {
    if (apiserver::IsMediaType(content_type, PatchContentType(type))) return type;
  }
  return std::nullopt;
}

json::Value BodyOf(const HttpRequest& request, bool is_patch) {
  if (request.body.empty()) return {};
  // JSON is YAML, too, and a patch may be either.
  const std::string_view content_type =
      is_patch ? "application/yaml" : request.headers.Get("Content-Type");
  return apiserver::DecodeBody(content_type, request.body).value_or(json::Value());
}

std::string InSmallLetters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

}  // namespace

Action ActionOf(const HttpRequest& request) {
  Action action{.verb = InSmallLetters(request.method)};
  if (const std::size_t mark = request.target.find('?'); mark != std::string::npos) {
    action.query = request.target.substr(mark + 1);
  }
  const Result<RequestInfo> info = apiserver::ParseRequest(request.method, request.target);
  if (!info || !info->is_resource_request) {
    action.path = info ? info->path : request.target;
    return action;
  }
  if (info->verb != apiserver::Verb::kOther) action.verb = apiserver::VerbName(info->verb);
  action.resource = {info->group, info->version, info->resource};
  action.subresource = info->subresource;
  action.namespace_ = info->namespace_;
  // The path of a namespace names it twice.
  if (info->resource == "namespaces" && info->group.empty()) action.namespace_.clear();
  action.name = info->name;
  action.label_selector = info->query.Get("labelSelector");
  action.field_selector = info->query.Get("fieldSelector");
  const bool is_patch = info->verb == apiserver::Verb::kPatch;
  action.object = BodyOf(request, is_patch);
  if (is_patch) action.patch_type = PatchTypeOf(request);
  if (action.name.empty() && info->verb == apiserver::Verb::kCreate) {
    action.name = std::as_const(action.object).At("/metadata/name").StringOrEmpty();
  }
  return action;
}

void SetBody(const json::Value& object, HttpRequest& request) {
  request.body = object.is_null() ? std::string() : object.Dump();
  if (request.method == "PATCH") return;  // whose type says what the patch means
  request.headers.Remove("Content-Type");
  request.headers.Add("Content-Type", "application/json");
}

void AskForJson(HttpRequest& request) {
  std::string accept;
  std::string_view rest = request.headers.Get("Accept");
  while (!rest.empty()) {
    const std::string_view clause = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(clause.size() + 1, rest.size()));
    if (clause.find("protobuf") != std::string_view::npos) continue;
    accept += (accept.empty() ? "" : ",") + std::string(clause);
  }
  request.headers.Remove("Accept");
  request.headers.Add("Accept", accept.empty() ? "application/json" : accept);
}

bool AsksForInitialEvents(const HttpRequest& request) {
  const Result<RequestInfo> info = apiserver::ParseRequest(request.method, request.target);
  return info && info->query.GetBool("sendInitialEvents").value_or(false);
}

}  // namespace kinformer::internal::kit
