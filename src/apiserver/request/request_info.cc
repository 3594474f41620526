#include "apiserver/request/request_info.h"

#include <algorithm>

#include "base/number_in.h"

namespace kinformer::apiserver {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

Verb VerbOfMethod(std::string_view method) {
  if (method == "GET") return Verb::kGet;
  if (method == "POST") return Verb::kCreate;
  if (method == "PUT") return Verb::kUpdate;
  if (method == "PATCH") return Verb::kPatch;
  if (method == "DELETE") return Verb::kDelete;
  return Verb::kOther;
}

// Sub-resources of the Namespace object itself, which would otherwise read as resources inside of
// it.
bool IsNamespaceSubresource(std::string_view part) {
  return part == "status" || part == "finalize";
}

void ParseResource(std::size_t first, RequestInfo& info) {
  std::vector<std::string> rest(info.parts.begin() + static_cast<std::ptrdiff_t>(first),
                                info.parts.end());
  bool watch_prefix = false;
  if (rest.size() > 1 && (rest[0] == "watch" || rest[0] == "proxy")) {
    watch_prefix = rest[0] == "watch";
    rest.erase(rest.begin());
  }
  if (rest[0] == "namespaces" && rest.size() > 1) {
    info.namespace_ = rest[1];
    if (rest.size() > 2 && !IsNamespaceSubresource(rest[2]))
      rest.erase(rest.begin(), rest.begin() + 2);
  }
  info.resource = rest[0];
  if (rest.size() > 1) info.name = rest[1];
  if (rest.size() > 2) info.subresource = rest[2];
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

bool PercentDecode(std::string_view text, bool plus_is_space, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return false;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return false;
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      out.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return true;
}

Query::Query(std::string_view encoded) {
  while (!encoded.empty()) {
    const std::string_view pair = encoded.substr(0, encoded.find('&'));
    encoded.remove_prefix(std::min(encoded.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    std::string name;
    std::string value;
    // As Go's url.Values does with what it cannot decode: leave it out.
    if (!PercentDecode(pair.substr(0, equals), true, name)) continue;
    if (equals != std::string_view::npos && !PercentDecode(pair.substr(equals + 1), true, value))
      continue;
    values_.emplace_back(std::move(name), std::move(value));
  }
}

bool Query::Has(std::string_view name) const {
  return std::any_of(values_.begin(), values_.end(),
                     [&](const auto& v) { return v.first == name; });
}

std::string_view Query::Get(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return value;
  }
  return {};
}

std::vector<std::string> Query::All(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [key, value] : values_) {
    if (key == name) out.push_back(value);
  }
  return out;
}

std::optional<bool> Query::GetBool(std::string_view name) const {
  if (!Has(name)) return std::nullopt;
  const std::string_view value = Get(name);
  return value != "0" && !EqualsIgnoreCase(value, "false");
}

Result<std::optional<std::int64_t>> Query::GetInt(std::string_view name) const {
  const std::string_view text = Get(name);
  if (text.empty()) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> value = internal::base::NumberIn(text);
  if (!value) {
    return Error(Reason::kBadRequest, "query parameter " + std::string(name) + "=\"" +
                                          std::string(text) + "\" is not an integer");
  }
  return value;
}

void Query::Set(std::string_view name, std::string_view value) {
  for (auto& [key, old] : values_) {
    if (key == name) {
      old = value;
      return;
    }
  }
  values_.emplace_back(name, value);
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
  for (std::size_t at = 0; at < decoded.size();) {
    std::size_t end = decoded.find('/', at);
    if (end == std::string::npos) end = decoded.size();
    if (end > at) info.parts.push_back(decoded.substr(at, end - at));
    at = end + 1;
  }
  if (decoded.starts_with("//")) info.parts.clear();
  for (const std::string& part : info.parts) info.path += "/" + part;
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
