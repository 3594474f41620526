#include "client/request_path.h"

#include <algorithm>

#include "transport/query.h"

namespace kinformer::internal::client {
namespace {

using transport::kUnreserved;
using transport::PercentEncode;

}  // namespace

Result<void> AppendSegment(std::string& out, std::string_view what, std::string_view segment) {
  if (segment == "." || segment == "..") {
    return Error(Reason::kInvalidArgument, std::string(what) + " \"" + std::string(segment) +
                                               "\": may not be \".\" or \"..\"");
  }
  const std::size_t bad = segment.find_first_of("/%");
  if (bad != std::string_view::npos) {
    return Error(Reason::kInvalidArgument, std::string(what) + " \"" + std::string(segment) +
                                               "\": may not contain '" + segment[bad] + "'");
  }
  out += '/';
  // Sub-delimiters are legal in a path; RBAC names use ':'.
  PercentEncode(segment, "-._~:@!$&'()*+,;=", out);
  return {};
}

Result<std::string> BuildPath(const ResourcePath& path) {
  std::string out = path.group.empty() ? "/api" : "/apis";
  struct Part {
    std::string_view what;
    std::string_view text;
  };
  std::vector<Part> parts;
  if (!path.group.empty()) parts.push_back({"group", path.group});
  parts.push_back({"version", path.version});
  if (!path.namespace_.empty()) {
    parts.push_back({"segment", "namespaces"});
    parts.push_back({"namespace", path.namespace_});
  }
  parts.push_back({"resource", path.resource});
  if (!path.name.empty()) parts.push_back({"name", path.name});
  for (const Part& part : parts) {
    if (part.text.empty()) {
      return Error(Reason::kInvalidArgument, "request without a " + std::string(part.what));
    }
    if (Result<void> done = AppendSegment(out, part.what, part.text); !done) return done.error();
  }
  // A subresource may have several segments ("proxy/metrics").
  std::string_view rest = path.subresource;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    if (Result<void> done = AppendSegment(out, "subresource", rest.substr(0, slash)); !done) {
      return done.error();
    }
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  }
  return out;
}

void Query::AddListOptions(const ListOptions& options, bool watch) {
  AddIfSet("labelSelector", options.labelSelector);
  AddIfSet("fieldSelector", options.fieldSelector);
  AddIfSet("shardSelector", options.shardSelector);
  AddIfSet("resourceVersion", options.resourceVersion);
  AddIfSet("resourceVersionMatch", options.resourceVersionMatch);
  AddIfSet("continue", options.continue_);
  if (options.limit > 0) Add("limit", std::to_string(options.limit));
  if (watch) Add("watch", "true");
  if (watch && options.allowWatchBookmarks) Add("allowWatchBookmarks", "true");
  if (options.sendInitialEvents) {
    Add("sendInitialEvents", *options.sendInitialEvents ? "true" : "false");
  }
  if (options.timeoutSeconds) Add("timeoutSeconds", std::to_string(*options.timeoutSeconds));
}

void Query::AddWriteOptions(const CreateOptions& options) {
  for (const std::string& value : options.dryRun) Add("dryRun", value);
  AddIfSet("fieldManager", options.fieldManager);
  AddIfSet("fieldValidation", options.fieldValidation);
}

void Query::AddWriteOptions(const PatchOptions& options) {
  AddWriteOptions(CreateOptions{.dryRun = options.dryRun,
                                .fieldManager = options.fieldManager,
                                .fieldValidation = options.fieldValidation});
  if (options.force) Add("force", *options.force ? "true" : "false");
}

std::string Query::Text() const {
  auto fields = fields_;
  std::stable_sort(fields.begin(), fields.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [name, value] : fields) {
    out += out.empty() ? '?' : '&';
    PercentEncode(name, kUnreserved, out);
    out += '=';
    PercentEncode(value, kUnreserved, out);
  }
  return out;
}

}  // namespace kinformer::internal::client
