#include "client/url_template.h"

#include <cstddef>
#include <set>
#include <vector>

namespace kinformer::internal::client {
namespace {

using Segments = std::vector<std::string_view>;

std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

Segments SegmentsOf(std::string_view path) {
  Segments segments;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    if (end != 0) segments.push_back(path.substr(0, end));
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
  }
  return segments;
}

// Returns the index behind group and version: that of the resource, or of "namespaces". 0: the path
// is none of the API.
std::size_t Begin(const Segments& segments) {
  if (segments.empty()) return 0;
  if (segments[0] == "api") return 2;
  return segments[0] == "apis" ? 3 : 0;
}

bool IsWholeObjectPart(std::string_view segment) {
  return segment == "finalize" || segment == "status";
}

// Replaces names. `begin`: as above.
void Generalize(Segments& segments, std::size_t begin) {
  const std::size_t count = segments.size() < begin ? 0 : segments.size() - begin;
  if (count == 2) segments[begin + 1] = "{name}";
  if (count == 3) {
    segments[begin + 1] = IsWholeObjectPart(segments[begin + 2]) ? "{name}" : "{namespace}";
  }
  if (count >= 4) {
    segments[begin + 1] = "{namespace}";
    if (!IsWholeObjectPart(segments[begin + 3])) segments[begin + 3] = "{name}";
  }
}

// Returns the names of the parameters, each once and sorted: "?limit={value}&watch={value}".
std::string QueryTemplate(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {};
  std::set<std::string_view> names;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view field = rest.substr(0, end);
    if (!field.empty()) names.insert(field.substr(0, field.find('=')));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  std::string out;
  for (const std::string_view name : names) {
    out.append(out.empty() ? "?" : "&").append(name).append("={value}");
  }
  return out;
}

}  // namespace

std::string UrlTemplate(std::string_view target) {
  const std::string_view path = PathOf(target);
  Segments segments = SegmentsOf(path);
  if (segments.size() <= 1) return std::string(path) + QueryTemplate(target);
  const std::size_t begin = Begin(segments);
  if (begin == 0) return "/{prefix}";
  Generalize(segments, begin);
  std::string out;
  for (const std::string_view segment : segments) out.append("/").append(segment);
  return out + QueryTemplate(target);
}

std::string ResourceOfTarget(std::string_view target) {
  const Segments segments = SegmentsOf(PathOf(target));
  const std::size_t begin = Begin(segments);
  if (begin == 0 || segments.size() <= begin) return {};
  // "/api/v1/namespaces/a/pods": the parts of a Namespace itself are no resources.
  const std::size_t behind = begin + 2;
  const bool in_namespace = segments[begin] == "namespaces" && segments.size() > behind &&
                            !IsWholeObjectPart(segments[behind]);
  std::string resource(segments[in_namespace ? behind : begin]);
  if (begin == 3) resource.append(".").append(segments[1]);
  return resource;
}

}  // namespace kinformer::internal::client
