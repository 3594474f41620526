#include "cli/asked_requests.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kinformer/json/json.h"

namespace kinformer::cli {
namespace {

using json::Value;

constexpr int kCreated = 201;

// Returns whether the role system:discovery or system:public-info-viewer, which every user has,
// allows to read the path.
bool EverybodyReads(std::string_view path) {
  constexpr auto kWhole = std::to_array<std::string_view>(
      {"/", "/api", "/apis", "/healthz", "/livez", "/readyz", "/openapi", "/version"});
  constexpr auto kBelow = std::to_array<std::string_view>(
      {"/api/", "/apis/", "/healthz/", "/livez/", "/readyz/", "/openapi/", "/version/"});
  return std::find(kWhole.begin(), kWhole.end(), path) != kWhole.end() ||
         std::any_of(kBelow.begin(), kBelow.end(),
                     [&](std::string_view start) { return path.starts_with(start); });
}

// Returns whether the role system:basic-user, which every user has, allows the request.
bool EverybodyMay(const AskedRequest& request) {
  if (request.resource.empty()) return request.verb == "get" && EverybodyReads(request.path);
  if (request.verb != "create") return false;
  return (request.group == "authorization.k8s.io" &&
          (request.resource == "selfsubjectaccessreviews" ||
           request.resource == "selfsubjectrulesreviews")) ||
         (request.group == "authentication.k8s.io" && request.resource == "selfsubjectreviews");
}

AskedRequest RequestOf(const Value& event) {
  const Value& object = event["objectRef"];
  AskedRequest out{.verb = event["verb"].StringOrEmpty(),
                   .group = object["apiGroup"].StringOrEmpty(),
                   .resource = object["resource"].StringOrEmpty(),
                   .namespace_ = object["namespace"].StringOrEmpty(),
                   .name = object["name"].StringOrEmpty(),
                   .user = event["impersonatedUser"]["username"].StringOrEmpty(),
                   .user_agent = event["userAgent"].StringOrEmpty()};
  if (out.user.empty()) out.user = event["user"]["username"].StringOrEmpty();
  if (out.resource.empty()) {
    out.path = event["requestURI"].StringOrEmpty();
    out.path.erase(std::min(out.path.find('?'), out.path.size()));
    return out;
  }
  // The path of a namespace names it twice.
  if (out.resource == "namespaces" && out.group.empty()) out.namespace_.clear();
  if (const std::string sub = object["subresource"].StringOrEmpty(); !sub.empty()) {
    out.resource += "/" + sub;
  }
  return out;
}

}  // namespace

Result<std::vector<AskedRequest>> ReadAuditLog(std::istream& in, const std::string& file) {
  std::vector<AskedRequest> out;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const Result<Value> event = json::Parse(line);
    if (!event) {
      if (in.eof()) break;
      return Error(Reason::kDecode, file + ", line " + std::to_string(number) + ": " +
                                        std::string(event.error().message()));
    }
    const Value& read = *event;
    if (read["kind"].StringOrEmpty() != "Event" || read["verb"].StringOrEmpty().empty()) {
      return Error(Reason::kDecode, file + ", line " + std::to_string(number) +
                                        ": is no event of audit.k8s.io; write the log with "
                                        "--audit-log-path, as JSON");
    }
    AskedRequest request = RequestOf(read);
    if (EverybodyMay(request)) continue;
    const bool made = request.verb == "patch" && request.resource.find('/') == std::string::npos &&
                      read["responseStatus"]["code"].AsInt64() == kCreated;
    out.push_back(request);
    if (!made) continue;
    request.verb = "create";
    out.push_back(std::move(request));
  }
  return out;
}

}  // namespace kinformer::cli
