#include "cli/raw_request.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace kinformer::cli {
namespace {

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool IsContentType(std::string_view name) {
  constexpr std::string_view kName = "content-type";
  return name.size() == kName.size() && std::equal(name.begin(), name.end(), kName.begin(),
                                                   [](char a, char b) { return Lower(a) == b; });
}

Result<std::pair<std::string, std::string>> ReadHeader(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon == 0) {
    return Invalid("-H: \"" + text + "\" is no header; write NAME: VALUE");
  }
  const std::size_t value = text.find_first_not_of(' ', colon + 1);
  return std::pair(text.substr(0, colon), value == std::string::npos ? "" : text.substr(value));
}

}  // namespace

Result<RawRequest> ReadRawFlags(const RawFlags& flags) {
  RawRequest request;
  request.path = flags.path;
  if (!flags.path.starts_with('/')) {
    return Invalid("\"" + flags.path + "\" is no path of the server; it begins with a slash: /api");
  }
  if (flags.data && !flags.file.empty()) return Invalid("-d and -f are both a body: give one");
  request.data = flags.data;
  request.file = flags.file;
  if (flags.data && flags.data->starts_with('@')) {
    request.file = flags.data->substr(1);
    request.data.reset();
    if (request.file.empty()) return Invalid("-d: \"@\" lacks the name of a file behind it");
  }
  const bool body = request.data || !request.file.empty();
  request.method = flags.method;
  std::transform(request.method.begin(), request.method.end(), request.method.begin(), Upper);
  if (request.method.empty()) request.method = body ? "POST" : "GET";
  bool typed = false;
  for (const std::string& text : flags.headers) {
    Result<std::pair<std::string, std::string>> header = ReadHeader(text);
    if (!header) return std::move(header).error();
    typed = typed || IsContentType(header->first);
    request.headers.push_back(*std::move(header));
  }
  if (body && !typed && request.method == "PATCH") {
    return Invalid(
        "a patch needs its type: -H 'Content-Type: application/merge-patch+json', or "
        "application/json-patch+json, application/strategic-merge-patch+json, "
        "application/apply-patch+yaml");
  }
  if (body && !typed) request.headers.emplace_back("Content-Type", "application/json");
  return request;
}

}  // namespace kinformer::cli
