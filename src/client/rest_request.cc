#include "kinformer/client/rest_request.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "kinformer/internal/mutable_codec.h"
#include "kinformer/json/json.h"

#include "client/body_feed.h"
#include "client/client_core.h"
#include "client/object_codec.h"
#include "client/request_path.h"
#include "object/values/text_forms.h"
#include "transport/query.h"

namespace kinformer {
namespace {

std::string Quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

void Refuse(internal::RequestParts& parts, std::string message) {
  if (!parts.mistake) parts.mistake = Error(Reason::kInvalidArgument, std::move(message));
}

// Appends a path of several segments to `out`.
void AppendPath(internal::RequestParts& parts, std::string& out, std::string_view path) {
  if (parts.mistake) return;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) {
      const Result<void> done =
          internal::client::AppendSegment(out, "segment of a path", path.substr(0, slash));
      if (!done) parts.mistake = done.error();
    }
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
}

// Sets a part that may be given once, as one escaped segment.
void SetOnce(internal::RequestParts& parts, std::string& part, std::string_view what,
             std::string_view value) {
  if (parts.mistake) return;
  if (!part.empty()) {
    Refuse(parts, "the " + std::string(what) + " of a request is already " +
                      Quoted(std::string_view(part).substr(1)) + "; it cannot become " +
                      Quoted(value));
    return;
  }
  if (value.empty()) {
    Refuse(parts, "the " + std::string(what) + " of a request must not be empty");
    return;
  }
  if (const Result<void> done = internal::client::AppendSegment(part, what, value); !done) {
    parts.mistake = done.error();
  }
}

}  // namespace

Result<json::Value> RestResponse::Json() const { return json::Parse(body); }

Env& RestRequest::env() const { return parts_.client->env(); }

RestRequest& RestRequest::Namespace(std::string_view namespace_) {
  if (parts_.mistake) return *this;
  if (parts_.namespace_ && !parts_.namespace_->empty()) {
    Refuse(parts_, "the namespace of a request is already " +
                       Quoted(std::string_view(*parts_.namespace_).substr(1)) +
                       "; it cannot become " + Quoted(namespace_));
    return *this;
  }
  parts_.namespace_.emplace();
  if (!namespace_.empty()) SetOnce(parts_, *parts_.namespace_, "namespace", namespace_);
  return *this;
}

RestRequest& RestRequest::Resource(std::string_view resource) {
  std::string lower(resource);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  SetOnce(parts_, parts_.resource, "resource", lower);
  return *this;
}

RestRequest& RestRequest::Name(std::string_view name) {
  SetOnce(parts_, parts_.name, "name", name);
  return *this;
}

RestRequest& RestRequest::SubResources(const std::vector<std::string_view>& segments) {
  if (!parts_.subresource.empty()) {
    Refuse(parts_, "the subresource of a request is already " +
                       Quoted(std::string_view(parts_.subresource).substr(1)));
  }
  for (const std::string_view segment : segments) {
    std::string escaped;
    SetOnce(parts_, escaped, "subresource", segment);
    parts_.subresource += escaped;
  }
  return *this;
}

RestRequest& RestRequest::AbsPath(std::string_view path) {
  std::string prefix;
  AppendPath(parts_, prefix, path);
  if (path.ends_with('/')) prefix += '/';
  parts_.prefix = std::move(prefix);
  return *this;
}

RestRequest& RestRequest::Prefix(std::string_view path) {
  if (parts_.prefix.ends_with('/')) parts_.prefix.pop_back();
  AppendPath(parts_, parts_.prefix, path);
  return *this;
}

RestRequest& RestRequest::Suffix(std::string_view path) {
  AppendPath(parts_, parts_.suffix, path);
  return *this;
}

RestRequest& RestRequest::RequestURI(std::string_view path_and_query) {
  if (parts_.mistake) return *this;
  if (!path_and_query.starts_with('/')) {
    Refuse(parts_, "the URI " + Quoted(path_and_query) +
                       " does not begin with '/': give the path and query without the server");
    return *this;
  }
  const std::size_t mark = std::min(path_and_query.find('?'), path_and_query.size());
  parts_.prefix = path_and_query.substr(0, mark);
  parts_.namespace_.reset();
  parts_.resource.clear();
  parts_.name.clear();
  parts_.subresource.clear();
  parts_.suffix.clear();
  parts_.query.clear();
  std::string_view rest = path_and_query.substr(std::min(mark + 1, path_and_query.size()));
  while (!rest.empty()) {
    const std::string_view field = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
    const std::size_t equal = std::min(field.find('='), field.size());
    std::string name;
    std::string value;
    if (!internal::transport::PercentDecode(field.substr(0, equal), true, name) ||
        !internal::transport::PercentDecode(field.substr(std::min(equal + 1, field.size())), true,
                                            value)) {
      Refuse(parts_, "the URI " + Quoted(path_and_query) + " has an invalid escape in its query");
      return *this;
    }
    if (!name.empty()) Param(name, value);
  }
  return *this;
}

RestRequest& RestRequest::Param(std::string_view name, std::string_view value) {
  parts_.query.emplace_back(name, value);
  return *this;
}

RestRequest& RestRequest::VersionedParams(const ListOptions& options) {
  internal::client::Query query;
  query.AddListOptions(options, /*watch=*/false);
  return Params(query.fields());
}

RestRequest& RestRequest::VersionedParams(const GetOptions& options) {
  if (!options.resourceVersion.empty()) Param("resourceVersion", options.resourceVersion);
  return *this;
}

RestRequest& RestRequest::VersionedParams(const CreateOptions& options) {
  internal::client::Query query;
  query.AddWriteOptions(options);
  return Params(query.fields());
}

RestRequest& RestRequest::VersionedParams(const PatchOptions& options) {
  internal::client::Query query;
  query.AddWriteOptions(options);
  return Params(query.fields());
}

RestRequest& RestRequest::Params(const std::vector<std::pair<std::string, std::string>>& fields) {
  parts_.query.insert(parts_.query.end(), fields.begin(), fields.end());
  return *this;
}

RestRequest& RestRequest::ParamsOfStruct(const internal::MutableTable& table, const void* options) {
  const json::Value fields =
      json::Parse(internal::EncodeMutableJson(table, options)).value_or(json::Value());
  const auto add = [this](const std::string& name, const json::Value& value) {
    if (value.is_string()) {
      Param(name, value.StringOrEmpty());
    } else if (!value.is_null()) {
      Param(name, value.Dump());
    }
  };
  for (const auto& [name, value] : fields.members()) {
    if (name == "kind" || name == "apiVersion") continue;
    if (!value.is_array()) add(name, value);
    for (const json::Value& item : value.items()) add(name, item);
  }
  return *this;
}

RestRequest& RestRequest::SetHeaders(std::string_view name,
                                     const std::vector<std::string_view>& values) {
  parts_.headers.Remove(name);
  for (const std::string_view value : values) parts_.headers.Add(name, value);
  return *this;
}

RestRequest& RestRequest::BodyOfBytes(std::string bytes) {
  parts_.body = [bytes = std::move(bytes)] { return bytes; };
  parts_.protobuf_body = nullptr;
  parts_.body_source = nullptr;
  return *this;
}

RestRequest& RestRequest::BodyOfJson(const json::Value& value) { return BodyOfBytes(value.Dump()); }

RestRequest& RestRequest::BodyOfStream(const BodyStream& body) {
  if (static_cast<bool>(body.read) == static_cast<bool>(body.open)) {
    Refuse(parts_,
           "a BodyStream has either `read`, which gives a body that is sent once, or `open`");
    return *this;
  }
  parts_.body = nullptr;
  parts_.protobuf_body = nullptr;
  parts_.body_source = std::make_shared<internal::BodySource>(body);
  return *this;
}

RestRequest& RestRequest::BodyOfStruct(const internal::MutableTable& table,
                                       const std::shared_ptr<const void>& object) {
  parts_.body_source = nullptr;
  parts_.body = [&table, object] { return internal::EncodeMutableJson(table, object.get()); };
  parts_.protobuf_body = [&table, object] { return internal::EncodeMutable(table, object.get()); };
  return *this;
}

RestRequest& RestRequest::BodyFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf()))) {
    Refuse(parts_, "the request's body cannot be read from the file " + Quoted(path) + ": " +
                       std::generic_category().message(errno));
    return *this;
  }
  return BodyOfBytes(std::move(text).str());
}

RestRequest& RestRequest::Timeout(TimeSpan timeout) {
  parts_.timeout = timeout;
  return *this;
}

RestRequest& RestRequest::MaxRetries(int retries) {
  parts_.max_retries = std::max(retries, 0);
  return *this;
}

Result<RestResponse> RestRequest::Do(const CallOptions& call) const {
  return BlockOn(env(), internal::SendForResponse(parts_, call));
}

AsyncCall<RestResponse> RestRequest::AsyncDo() const {
  return {env(), [parts = parts_](CallOptions call) {
            return internal::SendForResponse(parts, std::move(call));
          }};
}

Result<internal::ObjectRef> RestRequest::DoIntoObject(const KindInfo& type,
                                                      const CallOptions& call) const {
  return BlockOn(env(), internal::SendForObject(parts_, type, call));
}

Result<void> RestRequest::Stream(const OnData& on_data, const CallOptions& call) const {
  return BlockOn(env(), internal::SendForStream(parts_, on_data, call));
}

AsyncCall<void> RestRequest::AsyncStream(OnData on_data) const {
  return {env(), [parts = parts_, on_data = std::move(on_data)](CallOptions call) {
            return internal::SendForStream(parts, on_data, std::move(call));
          }};
}

Result<std::string> RestRequest::URL() const { return internal::TargetOf(parts_); }

RestRequest& RestRequest::Throttle(std::shared_ptr<flowcontrol::RateLimiter> limiter) {
  parts_.limiter = std::move(limiter);
  return *this;
}

std::shared_ptr<flowcontrol::RateLimiter> RestClient::GetRateLimiter() const {
  return core_->engine()->limiter();
}

RestRequest RestClient::Verb(std::string_view method) const {
  internal::RequestParts parts{.client = core_, .method = std::string(method)};
  if (method.empty() || !std::all_of(method.begin(), method.end(),
                                     [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; })) {
    Refuse(parts, "the verb " + Quoted(method) + " is no HTTP method: it has capital letters only");
  }
  if (!version_.version.empty()) {
    AppendPath(parts, parts.prefix,
               version_.group.empty() ? "api/" + version_.version
                                      : "apis/" + version_.group + "/" + version_.version);
    parts.protobuf_key = version_.group;
  }
  return RestRequest(std::move(parts));
}

RestRequest RestClient::Patch(PatchType type) const {
  RestRequest request = Verb("PATCH");
  request.parts_.content_type = PatchContentType(type);
  return request;
}

}  // namespace kinformer
