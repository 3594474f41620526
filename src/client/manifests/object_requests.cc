#include "client/manifests/object_requests.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "kinformer/client/discovery.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/rest_request.h"

namespace kinformer::internal::manifests {
namespace {

constexpr std::int64_t kPage = 500;

Error Malformed(std::string message) { return {Reason::kInvalidArgument, std::move(message)}; }

// Completes a request to one object.
RestRequest To(const Target& target, RestRequest request) {
  request.NamespaceIfScoped(target.namespace_, target.mapping.namespaced)
      .Resource(target.mapping.resource.resource)
      .Name(target.name);
  return request;
}

RestClient Rest(const Client& client, const RestMapping& mapping) {
  return RestClient(client, {.group = mapping.resource.group, .version = mapping.resource.version});
}

// Returns what stands between the first quote and its end: conflict with "a \"b\"" using v1.
std::string Quoted(std::string_view text) {
  std::string out;
  std::size_t at = text.find('"');
  if (at == std::string_view::npos) return out;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    out += text[at];
  }
  return out;
}

}  // namespace

std::string Target::ToString() const {
  std::string text;
  for (const char c : mapping.kind.kind) {
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!mapping.resource.group.empty()) text += "." + mapping.resource.group;
  return text + "/" + name;
}

Result<Target> ObjectRequests::Resolve(const Manifest& manifest,
                                       const DefaultNamespace& default_) const {
  if (!manifest.object.is_object()) return Malformed("the document is no object");
  const GroupVersionKind kind = manifest.kind();
  if (kind.kind.empty()) return Malformed("the object has no kind");
  if (kind.version.empty()) return Malformed("the object has no apiVersion");
  Target target;
  target.name = manifest.name();
  if (target.name.empty()) {
    return Malformed(manifest.object["metadata"]["generateName"].is_string()
                         ? "metadata.generateName makes a new object each time, which create can "
                           "do and apply cannot: give metadata.name"
                         : "the object has no metadata.name");
  }
  const Result<CallOptions> left = Left();
  if (!left) return left.error();
  Result<RestMapping> mapping = client_.Discovery().MappingFor(kind, *left);
  if (IsNotFound(mapping)) {
    return Error(Reason::kNotFound, "no matches for kind \"" + kind.kind + "\" in version \"" +
                                        kind.apiVersion() + "\"");
  }
  if (!mapping) return std::move(mapping).error();
  target.mapping = *std::move(mapping);
  const std::string named = manifest.namespace_();
  if (!target.mapping.namespaced) return target;
  target.namespace_ = named.empty() ? default_.name : named;
  if (default_.enforced && target.namespace_ != default_.name) {
    return Malformed("the object is in namespace " + named + ", and the namespace " +
                     default_.name + " is asked for");
  }
  return target;
}

Result<std::optional<json::Value>> ObjectRequests::Get(const Target& target) const {
  const Result<CallOptions> left = Left();
  if (!left) return left.error();
  const Result<RestResponse> answer = To(target, Rest(client_, target.mapping).Get()).Do(*left);
  if (IsNotFound(answer)) return std::optional<json::Value>();
  if (!answer) return answer.error();
  Result<json::Value> object = answer->Json();
  if (!object) return std::move(object).error();
  return std::optional<json::Value>(*std::move(object));
}

Result<std::vector<json::Value>> ObjectRequests::List(const RestMapping& mapping,
                                                      const std::string& namespace_,
                                                      const std::string& label_selector) const {
  std::vector<json::Value> objects;
  ListOptions options;
  options.labelSelector = label_selector;
  options.limit = kPage;
  do {
    const Result<CallOptions> left = Left();
    if (!left) return left.error();
    RestRequest request = Rest(client_, mapping).Get();
    if (!namespace_.empty()) request.NamespaceIfScoped(namespace_, mapping.namespaced);
    request.Resource(mapping.resource.resource).VersionedParams(options);
    const Result<RestResponse> answer = request.Do(*left);
    if (!answer) return answer.error();
    const Result<json::Value> page = answer->Json();
    if (!page) return page.error();
    for (const json::Value& object : (*page)["items"].items()) objects.push_back(object);
    options.continue_ = (*page)["metadata"]["continue"].StringOrEmpty();
  } while (!options.continue_.empty());
  return objects;
}

Result<Applied> ObjectRequests::Apply(const Target& target, const json::Value& object,
                                      const PatchOptions& options) const {
  const Result<CallOptions> left = Left();
  if (!left) return left.error();
  RestRequest request = To(target, Rest(client_, target.mapping).Patch(PatchType::kApply));
  request.VersionedParams(options).Body(object.Dump());
  const Result<RestResponse> answer = request.Do(*left);
  if (!answer) return answer.error();
  Result<json::Value> now = answer->Json();
  if (!now) return std::move(now).error();
  return Applied{.object = *std::move(now), .created = answer->WasCreated()};
}

Result<void> ObjectRequests::Delete(const Target& target, const std::string& uid,
                                    bool dry_run) const {
  const Result<CallOptions> left = Left();
  if (!left) return left.error();
  DeleteOptions options{.uid = uid, .propagationPolicy = "Background"};
  if (dry_run) options.dryRun = {"All"};
  Result<void> done =
      client_.Dynamic(target.mapping, target.namespace_).Delete(target.name, options, *left);
  // The object is gone, or another one has its name.
  if (IsNotFound(done) || IsConflict(done)) return {};
  return done;
}

Error At(const std::string& place, Error error) {
  if (!place.empty()) error.WithContext(place);
  return error;
}

std::vector<FieldConflict> ConflictsOf(const Error& error) {
  std::vector<FieldConflict> conflicts;
  if (!IsConflict(error)) return conflicts;
  for (const StatusCause& cause : error.details().causes) {
    if (cause.reason != "FieldManagerConflict") continue;
    const std::string manager = Quoted(cause.message);
    const auto same =
        std::find_if(conflicts.begin(), conflicts.end(),
                     [&](const FieldConflict& known) { return known.manager == manager; });
    if (same == conflicts.end()) {
      conflicts.push_back({.manager = manager, .fields = {cause.field}});
    } else {
      same->fields.push_back(cause.field);
    }
  }
  return conflicts;
}

}  // namespace kinformer::internal::manifests
