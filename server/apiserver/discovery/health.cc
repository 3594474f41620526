#include "apiserver/discovery/health.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";

std::vector<std::string_view> ChecksOf(std::string_view which) {
  std::vector<std::string_view> checks = {"ping", "log", "etcd"};
  const bool ready = which == "readyz";
  if (ready) checks.insert(checks.end(), {"etcd-readiness", "informer-sync"});
  checks.insert(
      checks.end(),
      {"poststarthook/start-apiextensions-controllers", "poststarthook/crd-informer-synced",
       "poststarthook/start-system-namespaces-controller", "poststarthook/rbac/bootstrap-roles",
       "poststarthook/scheduling/bootstrap-system-priority-classes",
       "poststarthook/bootstrap-controller", "autoregister-completion",
       "poststarthook/apiservice-openapi-controller",
       "poststarthook/apiservice-openapiv3-controller"});
  if (ready) checks.emplace_back("shutdown");
  return checks;
}

std::string Verbose(const std::string& which, const Query& query) {
  const std::vector<std::string> asked = query.All("exclude");
  std::set<std::string, std::less<>> excluded(asked.begin(), asked.end());
  std::string text;
  for (const std::string_view check : ChecksOf(which)) {
    const auto out = excluded.find(check);
    text.append("[+]").append(check).append(out == excluded.end() ? " ok\n" : " excluded: ok\n");
    if (out != excluded.end()) excluded.erase(out);
  }
  std::string unknown;
  for (const std::string& name : excluded) {
    unknown += unknown.empty() ? "" : ",";
    json::AppendQuoted(unknown, name);
  }
  if (!unknown.empty()) {
    text += "warn: some health checks cannot be excluded: no matches for " + unknown + "\n";
  }
  return text + which + " check passed\n";
}

}  // namespace

ResponsePtr AnswerHealth(const RequestInfo& info) {
  if (info.parts.empty()) return nullptr;
  const std::string& which = info.parts[0];
  if (which != "healthz" && which != "livez" && which != "readyz") return nullptr;
  const auto missing = [] { return WholeResponse(404, kText, "404 page not found\n"); };
  if (info.trailing_slash) return missing();
  if (info.parts.size() == 1) {
    return WholeResponse(200, kText, info.query.Has("verbose") ? Verbose(which, info.query) : "ok");
  }
  const std::string_view one = std::string_view(info.path).substr(which.size() + 2);
  const auto checks = ChecksOf(which);
  if (std::find(checks.begin(), checks.end(), one) == checks.end()) return missing();
  return WholeResponse(200, kText, "ok");
}

}  // namespace kinformer::apiserver
