#include "kinformer/client/discovery.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/client/async_discovery.h"
#include "kinformer/json/json.h"

#include "base/text/edit_distance.h"
#include "client/client_core.h"

namespace kinformer {
namespace {

using Groups = std::vector<ApiGroupVersion>;

constexpr Duration kDiscoveryTimeout = std::chrono::seconds(32);
constexpr std::string_view kAggregatedAccept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

using Core = std::shared_ptr<internal::ClientCore>;

Task<Result<json::Value>> GetJson(Core core, std::string target, std::string_view accept,
                                  CallOptions call) {
  internal::ExchangeRequest request;
  request.target = std::move(target);
  request.accept = accept;
  if (call.timeout <= Duration::zero()) call.timeout = kDiscoveryTimeout;
  const std::string asked = request.target;
  Result<internal::client::RawResponse> response =
      co_await internal::ClientCore::Call(core, std::move(request), std::move(call));
  if (!response) co_return std::move(response).error();
  Result<json::Value> document = json::Parse(response->body);
  if (!document) {
    co_return Error(Reason::kDecode,
                    core->engine()->Describe() + " does not answer " + asked +
                        " as a Kubernetes API server does: " + document.error().message() +
                        ". Is this its address, or a proxy's login page?");
  }
  co_return document;
}

std::vector<std::string> Strings(const json::Value& array) {
  std::vector<std::string> out;
  for (const json::Value& item : array.items()) out.push_back(item.StringOrEmpty());
  return out;
}

void AddAggregated(const json::Value& document, Groups& groups) {
  for (const json::Value& group : document["items"].items()) {
    bool first = true;
    for (const json::Value& version : group["versions"].items()) {
      ApiGroupVersion out;
      out.group = group["metadata"]["name"].StringOrEmpty();
      out.version = version["version"].StringOrEmpty();
      if (version["freshness"].StringOrEmpty() == "Stale") {
        out.error = "the server has no current discovery document of this group version";
      } else {
        out.preferred = std::exchange(first, false);
      }
      for (const json::Value& resource : version["resources"].items()) {
        const json::Value& kind = resource["responseKind"];
        if (kind["kind"].StringOrEmpty().empty()) continue;
        ApiResource item;
        item.resource = {out.group, out.version, resource["resource"].StringOrEmpty()};
        item.kind = kind["kind"].StringOrEmpty();
        item.singularName = resource["singularResource"].StringOrEmpty();
        item.namespaced = resource["scope"].StringOrEmpty() == "Namespaced";
        item.verbs = Strings(resource["verbs"]);
        item.shortNames = Strings(resource["shortNames"]);
        item.categories = Strings(resource["categories"]);
        out.resources.push_back(std::move(item));
      }
      groups.push_back(std::move(out));
    }
  }
}

// Reads a document of one group version, as servers without aggregated discovery send it.
void FillFromResourceList(const json::Value& document, ApiGroupVersion& out) {
  for (const json::Value& resource : document["resources"].items()) {
    const std::string& name = resource["name"].StringOrEmpty();
    if (name.empty() || name.find('/') != std::string::npos) continue;
    ApiResource item;
    item.resource = {out.group, out.version, name};
    item.kind = resource["kind"].StringOrEmpty();
    item.singularName = resource["singularName"].StringOrEmpty();
    item.namespaced = resource["namespaced"].AsBool().value_or(false);
    item.verbs = Strings(resource["verbs"]);
    item.shortNames = Strings(resource["shortNames"]);
    item.categories = Strings(resource["categories"]);
    out.resources.push_back(std::move(item));
  }
}

// Fetches all discovery documents, aggregated or not, depending on the server.
class Fetch {
 public:
  static Task<Result<Groups>> All(Core core, CallOptions call) {
    Fetch fetch(std::move(core), std::move(call));
    Result<void> done = co_await fetch.Run();
    if (!done) co_return std::move(done).error();
    co_return std::move(fetch.groups_);
  }

 private:
  Fetch(Core core, CallOptions call) : core_(std::move(core)), call_(std::move(call)) {}

  Task<Result<void>> Run() {
    Result<void> done = co_await ReadCore();
    if (!done) co_return done;
    done = co_await ReadNamedGroups();
    if (!done) co_return done;
    for (const std::size_t i : plain_) {
      done = co_await ReadResources(groups_[i]);
      if (!done) co_return done;
    }
    co_return done;
  }

  // Returns nullopt where the server has no such document. Adds aggregated groups at once.
  Task<Result<std::optional<json::Value>>> Read(std::string target) {
    Result<json::Value> document =
        co_await GetJson(core_, std::move(target), kAggregatedAccept, call_);
    if (!document) {
      if (!IsNotFound(document.error())) co_return std::move(document).error();
      co_return std::optional<json::Value>();
    }
    if ((*document)["kind"].StringOrEmpty() != "APIGroupDiscoveryList") {
      co_return std::optional<json::Value>(*std::move(document));
    }
    AddAggregated(*document, groups_);
    co_return std::optional<json::Value>();
  }

  // Some servers have no core group.
  Task<Result<void>> ReadCore() {
    Result<std::optional<json::Value>> api = co_await Read("/api");
    if (!api) co_return std::move(api).error();
    bool first = true;
    if (*api) {
      for (const json::Value& version : (**api)["versions"].items()) {
        AddPlain("", version.StringOrEmpty(), std::exchange(first, false));
      }
    }
    co_return Result<void>();
  }

  Task<Result<void>> ReadNamedGroups() {
    Result<std::optional<json::Value>> apis = co_await Read("/apis");
    if (!apis) co_return std::move(apis).error();
    if (*apis) AddNamedGroups(**apis);
    co_return Result<void>();
  }
  void AddNamedGroups(const json::Value& apis) {
    for (const json::Value& group : apis["groups"].items()) {
      const std::string& preferred = group["preferredVersion"]["version"].StringOrEmpty();
      // Adds the preferred version first, so that it is the first match of a name.
      for (const bool wanted : {true, false}) {
        for (const json::Value& version : group["versions"].items()) {
          const std::string& text = version["version"].StringOrEmpty();
          if ((text == preferred) == wanted) AddPlain(group["name"].StringOrEmpty(), text, wanted);
        }
      }
    }
  }

  void AddPlain(std::string group, std::string version, bool preferred) {
    ApiGroupVersion out;
    out.group = std::move(group);
    out.version = std::move(version);
    out.preferred = preferred;
    plain_.push_back(groups_.size());
    groups_.push_back(std::move(out));
  }

  Task<Result<void>> ReadResources(ApiGroupVersion& out) {
    std::string target =
        out.group.empty() ? "/api/" + out.version : "/apis/" + out.group + "/" + out.version;
    Result<json::Value> document =
        co_await GetJson(core_, std::move(target), internal::client::kJsonMediaType, call_);
    if (document) {
      FillFromResourceList(*document, out);
      co_return Result<void>();
    }
    const Reason reason = document.error().reason();
    if (reason == Reason::kCanceled || reason == Reason::kDeadlineExceeded) {
      co_return std::move(document).error();
    }
    out.error = document.error().message();  // the other groups can be used nevertheless
    co_return Result<void>();
  }

  const Core core_;
  const CallOptions call_;
  Groups groups_{};
  std::vector<std::size_t> plain_{};  // indexes of group versions without resources yet
};

struct Found {
  std::shared_ptr<const Groups> groups{};
  bool fetched = false;  // by this call
};

Task<Result<Found>> Cached(Core core, CallOptions call) {
  auto& cache = core->discovery_cache();
  Found found;
  {
    const std::lock_guard<std::mutex> lock(cache.mutex);
    found.groups = cache.groups;
  }
  if (found.groups != nullptr) co_return found;
  Result<Groups> groups = co_await Fetch::All(core, std::move(call));
  if (!groups) co_return std::move(groups).error();
  found.groups = std::make_shared<const Groups>(*std::move(groups));
  found.fetched = true;
  const std::lock_guard<std::mutex> lock(cache.mutex);
  cache.groups = found.groups;
  co_return found;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool Contains(const std::vector<std::string>& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

RestMapping MappingOf(const ApiGroupVersion& group, const ApiResource& resource) {
  return {resource.resource, {group.group, group.version, resource.kind}, resource.namespaced};
}

// One way to read what a user typed.
struct Wanted {
  std::string name;
  std::string group;
  std::string version;
  bool any_group = true;
};

bool MayHave(const ApiGroupVersion& group, const Wanted& wanted) {
  if (!wanted.any_group && group.group != wanted.group) return false;
  return wanted.version.empty() || group.version == wanted.version;
}

enum class NamedBy : std::uint8_t { kResource, kKind, kShortName };

bool IsCalled(const ApiResource& resource, const std::string& name, NamedBy by) {
  switch (by) {
    case NamedBy::kResource:
      return resource.resource.resource == name;
    case NamedBy::kKind:
      return resource.singularName == name || Lower(resource.kind) == name;
    case NamedBy::kShortName:
      return Contains(resource.shortNames, name);
  }
  return false;
}

const ApiResource* FindIn(const Groups& groups, const Wanted& wanted,
                          const ApiGroupVersion** where) {
  // Full names take precedence over short ones, regardless of the order of groups.
  for (const NamedBy by : {NamedBy::kResource, NamedBy::kKind, NamedBy::kShortName}) {
    for (const ApiGroupVersion& group : groups) {
      if (!MayHave(group, wanted)) continue;
      for (const ApiResource& resource : group.resources) {
        if (!IsCalled(resource, wanted.name, by)) continue;
        *where = &group;
        return &resource;
      }
    }
  }
  return nullptr;
}

const ApiResource* FindExactly(const Groups& groups, const GroupVersionResource& wanted,
                               const ApiGroupVersion** where) {
  for (const ApiGroupVersion& group : groups) {
    for (const ApiResource& candidate : group.resources) {
      if (candidate.resource != wanted) continue;
      *where = &group;
      return &candidate;
    }
  }
  return nullptr;
}

// Returns whether the group version exists, but its resources are unknown.
bool IsUnknown(const Groups& groups, const GroupVersionResource& wanted) {
  return std::any_of(groups.begin(), groups.end(), [&](const ApiGroupVersion& group) {
    return group.group == wanted.group && group.version == wanted.version && !group.error.empty();
  });
}

std::vector<Wanted> Readings(std::string_view typed) {
  const std::string name = Lower(typed);
  std::vector<Wanted> readings;
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return {{name, "", "", true}};
  const std::string first = name.substr(0, dot);
  const std::string rest = name.substr(dot + 1);
  const std::size_t second = rest.find('.');
  if (second != std::string::npos) {
    readings.push_back({first, rest.substr(second + 1), rest.substr(0, second), false});
  }
  readings.push_back({first, rest, "", false});
  return readings;
}

Error NoSuchResource(const Groups& groups, std::string_view typed) {
  std::string message = "the server doesn't have a resource type \"" + std::string(typed) + "\"";
  const std::string name = Lower(typed.substr(0, typed.find('.')));
  std::string nearest;
  std::size_t best = 3;
  for (const ApiGroupVersion& group : groups) {
    for (const ApiResource& resource : group.resources) {
      for (const std::string& candidate : {resource.resource.resource, resource.singularName}) {
        if (candidate.empty() || !internal::base::IsNear(candidate, name)) continue;
        const std::size_t distance = internal::base::EditDistance(candidate, name);
        if (distance < best) {
          best = distance;
          nearest = resource.resource.resource;
        }
      }
    }
  }
  if (!nearest.empty()) message += "; did you mean \"" + nearest + "\"?";
  for (const ApiGroupVersion& group : groups) {
    if (group.error.empty()) continue;
    message +=
        " (" + group.group + "/" + group.version + " could not be read: " + group.error + ")";
    break;
  }
  return Error(Reason::kNotFound, std::move(message));
}

// Neither core group nor others: the server or the path is not a Kubernetes API.
Error NoApiServer(const internal::ClientCore& core, std::string_view typed) {
  return Error(Reason::kNotFound,
               "the server doesn't have a resource type \"" + std::string(typed) +
                   "\": " + core.engine()->Describe() +
                   " has nothing under /api and /apis. Is this the address of a Kubernetes API "
                   "server, path included?");
}

// Returns the resource in `groups`, and its group; null: it is not there.
using Find = std::function<const ApiResource*(const Groups& groups, const ApiGroupVersion** where)>;

// Searches the cached groups and, if that fails, once in newly fetched ones.
Task<Result<RestMapping>> Search(Core core, CallOptions call, std::string typed, Find find) {
  while (true) {
    const Result<Found> found = co_await Cached(core, call);
    if (!found) co_return found.error();
    const Groups& groups = *found->groups;
    const ApiGroupVersion* where = nullptr;
    if (const ApiResource* resource = find(groups, &where)) co_return MappingOf(*where, *resource);
    if (found->fetched && groups.empty()) co_return NoApiServer(*core, typed);
    if (found->fetched) co_return NoSuchResource(groups, typed);
    DiscoveryClient(core).Invalidate();
  }
}

Task<Result<std::vector<ApiGroupVersion>>> AllGroups(Core core, CallOptions call) {
  const Result<Found> found = co_await Cached(std::move(core), std::move(call));
  if (!found) co_return found.error();
  co_return *found->groups;
}

Task<Result<RestMapping>> SearchFirstServed(Core core, std::vector<GroupVersionResource> resources,
                                            CallOptions call) {
  if (resources.empty()) {
    co_return Error(Reason::kInvalidArgument, "FirstServed needs the resources to choose from");
  }
  std::string names;
  for (const GroupVersionResource& wanted : resources) {
    names += (names.empty() ? "" : ", ") + wanted.resource + "." + wanted.version;
    if (!wanted.group.empty()) names += "." + wanted.group;
  }
  bool unknown = false;
  Find find = [&](const Groups& groups, const ApiGroupVersion** where) -> const ApiResource* {
    unknown = false;
    for (const GroupVersionResource& wanted : resources) {
      if (const ApiResource* served = FindExactly(groups, wanted, where)) return served;
      unknown = unknown || IsUnknown(groups, wanted);
    }
    return nullptr;
  };
  Result<RestMapping> found =
      co_await Search(std::move(core), std::move(call), std::move(names), std::move(find));
  if (!found && unknown && IsNotFound(found.error())) {
    co_return Error(Reason::kServiceUnavailable, found.error().message());
  }
  co_return found;
}

Task<Result<std::string>> VersionOfServer(Core core, CallOptions call) {
  Result<json::Value> version = co_await GetJson(std::move(core), "/version",
                                                 internal::client::kJsonMediaType, std::move(call));
  if (!version) co_return std::move(version).error();
  co_return (*version)["gitVersion"].StringOrEmpty();
}

AsyncCall<RestMapping> Searching(const Core& core, std::string typed, Find find) {
  return {core->env(), [core, typed = std::move(typed), find = std::move(find)](CallOptions call) {
            return Search(core, std::move(call), typed, find);
          }};
}

template <class T>
Result<T> Blocked(AsyncCall<T> call, const CallOptions& options) {
  Env& env = call.env();
  return BlockOn(env, std::move(call)
                          .WithStop(options.stop)
                          .WithTimeout(options.timeout)
                          .WithTrace(options.traceparent, options.tracestate)
                          .AsTask());
}

}  // namespace

bool ApiResource::Supports(std::string_view verb) const { return Contains(verbs, verb); }

const KindInfo& RestMapping::dynamic_type() const {
  return *internal::DynamicKindInfo(resource.group, resource.version, kind.kind, resource.resource,
                                    namespaced);
}

const KindInfo& RestMapping::metadata_type() const {
  return *internal::MetadataKindInfo(resource.group, resource.version, kind.kind, resource.resource,
                                     namespaced);
}

AsyncCall<std::vector<ApiGroupVersion>> AsyncDiscoveryClient::ServerGroupsAndResources() const {
  return {core_->env(),
          [core = core_](CallOptions call) { return AllGroups(core, std::move(call)); }};
}

AsyncCall<RestMapping> AsyncDiscoveryClient::MappingFor(std::string name) const {
  Find find = [readings = Readings(name)](const Groups& groups,
                                          const ApiGroupVersion** where) -> const ApiResource* {
    for (const Wanted& wanted : readings) {
      if (const ApiResource* found = FindIn(groups, wanted, where)) return found;
    }
    return nullptr;
  };
  return Searching(core_, std::move(name), std::move(find));
}

AsyncCall<RestMapping> AsyncDiscoveryClient::MappingFor(
    const GroupVersionResource& resource) const {
  return Searching(core_, resource.resource,
                   [resource](const Groups& groups, const ApiGroupVersion** where) {
                     return FindExactly(groups, resource, where);
                   });
}

AsyncCall<RestMapping> AsyncDiscoveryClient::MappingFor(const GroupVersionKind& kind) const {
  return Searching(
      core_, kind.kind,
      [kind](const Groups& groups, const ApiGroupVersion** where) -> const ApiResource* {
        for (const ApiGroupVersion& group : groups) {
          if (group.group != kind.group || group.version != kind.version) continue;
          for (const ApiResource& candidate : group.resources) {
            if (candidate.kind != kind.kind) continue;
            *where = &group;
            return &candidate;
          }
        }
        return nullptr;
      });
}

AsyncCall<RestMapping> AsyncDiscoveryClient::FirstServed(
    const std::vector<GroupVersionResource>& resources) const {
  return {core_->env(), [core = core_, resources](CallOptions call) {
            return SearchFirstServed(core, resources, std::move(call));
          }};
}

AsyncCall<std::string> AsyncDiscoveryClient::ServerVersion() const {
  return {core_->env(),
          [core = core_](CallOptions call) { return VersionOfServer(core, std::move(call)); }};
}

Result<std::vector<ApiGroupVersion>> DiscoveryClient::ServerGroupsAndResources(
    const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(core_).ServerGroupsAndResources(), call);
}

Result<RestMapping> DiscoveryClient::MappingFor(std::string_view name,
                                                const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(core_).MappingFor(std::string(name)), call);
}

Result<RestMapping> DiscoveryClient::MappingFor(const GroupVersionResource& resource,
                                                const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(core_).MappingFor(resource), call);
}

Result<RestMapping> DiscoveryClient::MappingFor(const GroupVersionKind& kind,
                                                const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(core_).MappingFor(kind), call);
}

Result<RestMapping> DiscoveryClient::FirstServed(const std::vector<GroupVersionResource>& resources,
                                                 const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(core_).FirstServed(resources), call);
}

Result<std::string> DiscoveryClient::ServerVersion(const CallOptions& call) const {
  return Blocked(AsyncDiscoveryClient(core_).ServerVersion(), call);
}

void DiscoveryClient::Invalidate() const {
  auto& cache = core_->discovery_cache();
  const std::lock_guard<std::mutex> lock(cache.mutex);
  cache.groups = nullptr;
}

}  // namespace kinformer
