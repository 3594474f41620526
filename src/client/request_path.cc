#include "client/request_path.h"

#include <algorithm>
#include <array>

#include "transport/query.h"

namespace kinformer::internal::client {
namespace {

using transport::kUnreserved;
using transport::PercentEncode;

// Sub-delimiters are legal in a path; RBAC names use ':'.
constexpr std::string_view kPlain = "-._~:@!$&'()*+,;=";

// The characters of a segment that stand for themselves.
constexpr std::array<bool, 256> kStay = [] {
  std::array<bool, 256> stay{};
  for (char c = 'a'; c <= 'z'; ++c) stay[static_cast<unsigned char>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) stay[static_cast<unsigned char>(c)] = true;
  for (char c = '0'; c <= '9'; ++c) stay[static_cast<unsigned char>(c)] = true;
  for (const char c : kPlain) stay[static_cast<unsigned char>(c)] = true;
  return stay;
}();

}  // namespace

Result<void> AppendSegment(std::string& out, std::string_view what, std::string_view segment) {
  if (segment == "." || segment == "..") {
    return Error(Reason::kInvalidArgument, std::string(what) + " \"" + std::string(segment) +
                                               "\": may not be \".\" or \"..\"");
  }
  const bool plain = std::all_of(segment.begin(), segment.end(),
                                 [](char c) { return kStay[static_cast<unsigned char>(c)]; });
  if (plain) {
    out += '/';
    out += segment;
    return {};
  }
  const std::size_t bad = segment.find_first_of("/%");
  if (bad != std::string_view::npos) {
    return Error(Reason::kInvalidArgument, std::string(what) + " \"" + std::string(segment) +
                                               "\": may not contain '" + segment[bad] + "'");
  }
  out += '/';
  PercentEncode(segment, kPlain, out);
  return {};
}

Result<std::string> BuildPath(const ResourcePath& path) {
  struct Part {
    std::string_view what;
    std::string_view text;
    bool required = false;
  };
  const std::string_view namespaces = path.namespace_.empty() ? "" : "namespaces";
  const std::array<Part, 6> parts{{{"group", path.group},
                                   {"version", path.version, true},
                                   {"segment", namespaces},
                                   {"namespace", path.namespace_},
                                   {"resource", path.resource, true},
                                   {"name", path.name}}};
  std::string out;
  std::size_t size = sizeof "/apis" + path.subresource.size() + 1;
  for (const Part& part : parts) size += part.text.size() + 1;
  out.reserve(size);
  out += path.group.empty() ? "/api" : "/apis";
  for (const Part& part : parts) {
    if (part.text.empty()) {
      if (!part.required) continue;
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
