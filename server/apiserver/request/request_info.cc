#include "apiserver/request/request_info.h"

namespace kinformer::apiserver {
namespace {

Verb VerbOfMethod(std::string_view method) {
  if (method == "GET") return Verb::kGet;
  if (method == "POST") return Verb::kCreate;
  if (method == "PUT") return Verb::kUpdate;
  if (method == "PATCH") return Verb::kPatch;
  if (method == "DELETE") return Verb::kDelete;
  return Verb::kOther;
}

// Returns whether it is a subresource of the Namespace object itself, and not a resource in the
// namespace.
bool IsNamespaceSubresource(std::string_view part) {
  return part == "status" || part == "finalize";
}

void ParseResource(std::size_t first, RequestInfo& info) {
  const auto left = [&] { return info.parts.size() - first; };
  const auto part = [&](std::size_t i) -> const std::string& { return info.parts[first + i]; };
  bool watch_prefix = false;
  if (left() > 1 && (part(0) == "watch" || part(0) == "proxy")) {
    watch_prefix = part(0) == "watch";
    ++first;
  }
  if (part(0) == "namespaces" && left() > 1) {
    info.namespace_ = part(1);
    if (left() > 2 && !IsNamespaceSubresource(part(2))) first += 2;
  }
  info.resource = part(0);
  if (left() > 1) info.name = part(1);
  if (left() > 2) info.subresource = part(2);
  if (watch_prefix) {
    info.verb = Verb::kWatch;
    if (!info.name.empty()) info.query.Set("fieldSelector", "metadata.name=" + info.name);
    info.name.clear();
  } else if (info.name.empty()) {
    if (info.verb == Verb::kGet) {
      info.verb = info.query.GetBool("watch").value_or(false) ? Verb::kWatch : Verb::kList;
    } else if (info.verb == Verb::kDelete) {
      info.verb = Verb::kDeleteCollection;
    }
  }
}

}  // namespace

std::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
    case Verb::kOther:
      break;
  }
  return "";
}

Result<RequestInfo> ParseRequest(std::string_view method, std::string_view target) {
  RequestInfo info;
  const std::size_t question = target.find('?');
  const std::string_view path = target.substr(0, question);
  if (path.empty() || path[0] != '/') {
    return Error(Reason::kBadRequest, "the request target must be a path that starts with '/'");
  }
  if (question != std::string_view::npos) info.query = Query(target.substr(question + 1));
  info.verb = VerbOfMethod(method);

  std::string decoded;
  if (!PercentDecode(path, false, decoded)) {
    return Error(Reason::kBadRequest, "the request path is badly percent-encoded");
  }
  info.trailing_slash = decoded.size() > 1 && decoded.back() == '/';
  info.empty_part = decoded.find("//") != std::string::npos;
  for (std::size_t at = 1; at < decoded.size();) {
    std::size_t end = decoded.find('/', at);
    if (end == std::string::npos) end = decoded.size();
    if (end > at) info.parts.push_back(decoded.substr(at, end - at));
    at = end + 1;
  }
  if (decoded.starts_with("//")) info.parts.clear();
  for (const std::string& part : info.parts) info.path.append("/").append(part);
  if (info.path.empty()) info.path = "/";

  const bool core = !info.parts.empty() && info.parts[0] == "api";
  const bool named = !info.parts.empty() && info.parts[0] == "apis";
  const std::size_t prefix = core ? 2 : 3;
  if ((!core && !named) || info.parts.size() <= prefix || info.empty_part) return info;
  info.is_resource_request = true;
  if (named) info.group = info.parts[1];
  info.version = info.parts[prefix - 1];
  ParseResource(prefix, info);
  return info;
}

}  // namespace kinformer::apiserver
