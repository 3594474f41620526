#include "kinformer/apiserver/api_server.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/json/yaml.h"

#include "apiserver/authorization/authorizer.h"
#include "apiserver/authorization/bootstrap_policy.h"
#include "apiserver/builtin/bootstrap_objects.h"
#include "apiserver/builtin/plugin_names.h"
#include "apiserver/builtin/service_addresses.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/custom_object.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/registry/state_keeper.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/server/manifest_errors.h"
#include "apiserver/server/request_router.h"
#include "apiserver/server/shared_objects.h"
#include "apiserver/server/whole_state.h"
#include "apiserver/server/workload_writes.h"
#include "apiserver/store/saved_state.h"
#include "apiserver/store/storage.h"
#include "apiserver/workloads/workloads.h"
#include "apiserver/write/background/cluster_details.h"
#include "apiserver/write/background/lifecycle.h"
#include "apiserver/write/background/node_relations_keeper.h"
#include "apiserver/write/background/role_keeper.h"
#include "apiserver/write/object/object_writer.h"
#include "base/text/uuid.h"
#include "object/transcode/transcode.h"

namespace kinformer::apiserver {
namespace {

// Renewal interval of the server's lease, which lasts an hour. A real server renews it every ten
// seconds, which would be an event for every watch of leases.
constexpr Duration kLeaseRenewal = std::chrono::minutes(10);

// Returns the error of in-process calls that name a resource which is not served.
Error UnknownResource(const GroupVersionResource& resource) {
  return Error(Reason::kNotFound, "the server does not serve " + resource.resource + " in \"" +
                                      (resource.group.empty() ? "" : resource.group + "/") +
                                      resource.version + "\"")
      .WithHttpStatus(404);
}

// Returns `unknown field "spec.x"` for each field that the object's kind lacks.
std::vector<std::string> UnknownFieldsOf(const ResourceAt& at, const json::Value& object) {
  std::vector<std::string> problems = UnknownFieldProblems(at, object);
  if (const auto* message = at.version->message; message != nullptr) {
    internal::FieldProblems found;
    // Other problems are reported when it is written.
    if (internal::JsonToProtobuf(*message, object.Dump(), &found)) {
      problems.insert(problems.end(), found.unknown.begin(), found.unknown.end());
    }
  }
  return problems;
}

// Returns the resource in which manifests of a kind are stored.
ResourceAt FindKind(const ResourceTable& resources, std::string_view api_version,
                    std::string_view kind) {
  for (const auto& resource : resources.all()) {
    for (const auto& version : resource->versions) {
      if (version->served && version->kind == kind && version->api_version == api_version) {
        return {.resource = resource, .version = version};
      }
    }
  }
  return {};
}

}  // namespace

struct ApiServer::Impl {
  Impl(ApiServer& self, Env& env, ApiServerOptions options)
      : state(env, std::move(options)),
        writer(state),
        lifecycle(state, writer),
        authorizer(state.options.authorization == AuthorizationMode::kAlwaysAllow
                       ? nullptr
                       : std::make_unique<Authorizer>(state.options.authorization ==
                                                      AuthorizationMode::kNodeAndRbac)),
        roles(authorizer == nullptr ? nullptr
                                    : std::make_unique<RoleKeeper>(state, writer, *authorizer)),
        node_relations(authorizer == nullptr || authorizer->node_relations() == nullptr
                           ? nullptr
                           : std::make_unique<NodeRelationsKeeper>(state, writer,
                                                                   *authorizer->node_relations())),
        details(state.options.cluster_details ? std::make_unique<ClusterDetails>(state, writer)
                                              : nullptr),
        faults(env),
        router(self, state, writer, faults) {
    if (state.options.storage != nullptr) TakeUp();
    if (state.options.shared_storage != nullptr) Share();
    for (const char* name : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
      const ResourceAt namespaces = state.resources.Find("", "v1", "namespaces");
      (void)writer
          .Create(
              {.at = namespaces, .name = name},
              json::Value::MakeObject({{"metadata", json::Value::MakeObject({{"name", name}})}}))
          .ok();
    }
    if (state.options.simulate_workloads != nullptr) {
      writes = std::make_unique<WorkloadWrites>(state, router.mutations());
      workloads = std::make_unique<workloads::Workloads>(state, writer, *writes,
                                                         *state.options.simulate_workloads);
    }
    if (details != nullptr) details->Register();
    if (state.options.bootstrap_objects) MakeBootstrapObjects();
    state.authorizer = authorizer.get();
  }

  void MakeBootstrapPolicy() {
    for (PolicyObject& made : BootstrapPolicy()) {
      const ResourceAt at = state.resources.Find(kRbacGroup, "v1", made.resource);
      const json::Value& metadata = std::as_const(made.object)["metadata"];
      const WriteTarget target{.at = at,
                               .namespace_ = metadata["namespace"].StringOrEmpty(),
                               .name = metadata["name"].StringOrEmpty()};
      (void)writer.Create(target, std::move(made.object)).ok();
    }
    roles->Aggregate();
  }

  void MakeBootstrapObjects() {
    if (authorizer != nullptr) MakeBootstrapPolicy();
    std::string identity = internal::base::NewUuid(state.env);
    std::erase(identity, '-');
    for (BootstrapObject& made : BootstrapObjects(state.options, state.env.WallNow(), identity)) {
      const ResourceAt at = state.resources.Find(made.group, made.version, made.plural);
      if (!at) continue;
      // An earlier server with the same storage has left its own.
      if (made.plural == "leases" && !lease.name.empty()) continue;
      const json::Value& metadata = std::as_const(made.object)["metadata"];
      const WriteTarget target{.at = at,
                               .namespace_ = metadata["namespace"].StringOrEmpty(),
                               .name = metadata["name"].StringOrEmpty(),
                               .keep_status = true};
      (void)writer.Create(target, std::move(made.object)).ok();
      if (made.plural == "leases") lease = target;
    }
    ScheduleRenewal();
  }

  // Begins with what the storage has, or has it keep all that is written.
  void TakeUp() {
    state.keeper = std::make_unique<StateKeeper>(state.options.storage);
    std::optional<KeptState> kept = state.options.storage->TakeKept();
    if (!kept) return state.keeper->KeepAll(state.resources, state.resource_version);
    TakeUpState(state, lifecycle, writer, *std::move(kept));
    FindLease();
  }
  // Begins with what other servers have stored, and shares what is written with them.
  void Share() {
    auto objects = std::make_unique<SharedObjects>(
        state, writer, lifecycle, state.options.shared_storage, [this] { Reload(); });
    SharedObjects& shared = *objects;
    state.shared = std::move(objects);
    shared.TakeUp();
    FindLease();
  }
  // Has the parts that remember objects, and observe no replacement, read them again.
  void Reload() const {
    if (roles != nullptr) roles->Reload();
    if (node_relations != nullptr) node_relations->Reload();
    if (workloads != nullptr) workloads->Reload();
  }
  // After all that is stored was replaced.
  void KeepAll() {
    if (state.keeper != nullptr) state.keeper->KeepAll(state.resources, state.resource_version);
  }

  // Keeps renewing a server's lease where all that is stored was replaced.
  void FindLease() {
    const ResourceAt leases = state.resources.Find("coordination.k8s.io", "v1", "leases");
    if (leases.resource->Find(lease.namespace_, lease.name) != nullptr) return;
    leases.resource->store->Walk(
        NamespacePrefix("kube-system"), {}, state.resource_version,
        [&](const StoredObjectPtr& stored) {
          if (stored->Label("apiserver.kubernetes.io/identity") != "kube-apiserver") return true;
          lease = {.at = leases,
                   .namespace_ = std::string(stored->namespace_()),
                   .name = std::string(stored->name())};
          return false;
        });
  }

  Result<void> Replace(SavedState saved) {
    if (Result<void> may = CheckMayReplace(); !may) return may;
    // Above all versions that clients of either have seen.
    const std::int64_t next = std::max(state.resource_version, saved.resource_version) + 1;
    saved.resource_version = next;
    if (Result<void> replaced = ReplaceState(state, lifecycle, writer, std::move(saved), next);
        !replaced) {
      return replaced;
    }
    KeepAll();
    FindLease();
    return {};
  }

  // Refuses to replace objects that other servers have, too.
  [[nodiscard]] Result<void> CheckMayReplace() const {
    if (state.shared == nullptr) return {};
    return Error(Reason::kInvalidArgument,
                 "the objects are in etcd, where other servers use them: restore etcd itself, or "
                 "load manifests");
  }

  void ScheduleRenewal() {
    state.deadlines.Add(state.env.Now() + kLeaseRenewal, [this] {
      (void)writer
          .ModifyOutline(lease,
                         [this](json::Value& outline) {
                           outline.Ensure("spec").Set("renewTime", LeaseTime(state.env.WallNow()));
                         })
          .ok();
      ScheduleRenewal();
    });
  }

  // ---- in-process calls

  Result<WriteTarget> TargetFor(const GroupVersionResource& resource, const json::Value& object,
                                WriteOptions options) const {
    const ResourceAt at = state.resources.Find(resource.group, resource.version, resource.resource);
    if (!at) return UnknownResource(resource);
    return WriteTarget{.at = at,
                       .namespace_ = object.At("/metadata/namespace").StringOrEmpty(),
                       .name = object.At("/metadata/name").StringOrEmpty(),
                       .keep_status = options.keep_status};
  }

  static Result<json::Value> Shown(const ResourceAt& at, const StoredObject& stored) {
    if (MustAskToConvert(at, stored)) return ConversionTakesTime(at);
    return ObjectIn(at, stored);
  }
  static Result<json::Value> ValueOf(const ResourceAt& at, const Result<WriteOutcome>& outcome) {
    if (!outcome) return outcome.error();
    return Shown(at, *outcome->stored);
  }

  ServerState state;
  ObjectWriter writer;
  Lifecycle lifecycle;
  const std::unique_ptr<Authorizer> authorizer;  // null: everybody may do everything
  const std::unique_ptr<RoleKeeper> roles;
  const std::unique_ptr<NodeRelationsKeeper> node_relations;  // null: nodes are users like others
  const std::unique_ptr<ClusterDetails> details;              // null: not wanted
  std::unique_ptr<workloads::Workloads> workloads;            // null: none are simulated
  FaultPlan faults;
  RequestRouter router;
  std::unique_ptr<WorkloadWrites> writes;  // null: none are simulated
  WriteTarget lease{};                     // the server's own lease
};

std::int64_t FirstResourceVersionAt(WallTime now) {
  constexpr std::int64_t kPeriod = 90'000'000'000;
  const std::int64_t micros =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
  return 2 + micros % kPeriod;
}

ApiServer::ApiServer(Env& env, ApiServerOptions options)
    : impl_(std::make_unique<Impl>(*this, env, std::move(options))) {
  for (const std::string& name : impl_->state.options.enable_admission_plugins) {
    const PluginKind kind = KindOfPlugin(name);
    if (kind != PluginKind::kUnknown && kind != PluginKind::kMissing) continue;
    env.log().Log(LogLevel::kError,
                  kind == PluginKind::kUnknown
                      ? "enable_admission_plugins names a plug-in that does not exist"
                      : "enable_admission_plugins names a plug-in that this server does not have",
                  {{"plugin", name}});
  }
  const std::string& range = impl_->state.options.service_cluster_ip_range;
  if (range.empty() || ServiceAddresses::IsRange(range)) return;
  env.log().Log(LogLevel::kError,
                "service_cluster_ip_range is not a range of IPv4 addresses such as 10.96.0.0/12: "
                "Services get no addresses",
                {{"range", range}});
}

ApiServer::~ApiServer() {
  if (impl_->state.keeper == nullptr) return;
  impl_->state.keeper->storage().Close(impl_->state.resource_version);
}

std::unique_ptr<ResponseStream> ApiServer::Handle(HttpRequest request) {
  return impl_->router.Handle(std::move(request));
}

std::unique_ptr<ResponseStream> ApiServer::JudgeHead(const HttpRequest& head) {
  return impl_->router.JudgeHead(head);
}

bool ApiServer::Accepts(const std::string& bearer_token) const {
  return impl_->router.Accepts(bearer_token);
}

Result<json::Value> ApiServer::Create(const GroupVersionResource& resource, json::Value object,
                                      WriteOptions options) {
  auto target = impl_->TargetFor(resource, object, options);
  if (!target) return target.error();
  return Impl::ValueOf(target->at, impl_->writer.Create(*target, std::move(object)));
}

Result<json::Value> ApiServer::Update(const GroupVersionResource& resource, json::Value object,
                                      WriteOptions options) {
  auto target = impl_->TargetFor(resource, object, options);
  if (!target) return target.error();
  return Impl::ValueOf(target->at, impl_->writer.Update(*target, std::move(object)));
}

Result<json::Value> ApiServer::UpdateStatus(const GroupVersionResource& resource,
                                            json::Value object) {
  auto target = impl_->TargetFor(resource, object, {.keep_status = true});
  if (!target) return target.error();
  target->subresource = "status";
  return Impl::ValueOf(target->at, impl_->writer.Update(*target, std::move(object)));
}

Result<json::Value> ApiServer::Patch(const GroupVersionResource& resource, const ObjectName& name,
                                     const json::Value& patch, WriteOptions options) {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return UnknownResource(resource);
  return Impl::ValueOf(at, impl_->writer.Modify({.at = at,
                                                 .namespace_ = name.namespace_,
                                                 .name = name.name,
                                                 .keep_status = options.keep_status},
                                                [&](json::Value& object) -> Result<void> {
                                                  object.MergePatch(patch);
                                                  return {};
                                                }));
}

Result<void> ApiServer::Delete(const GroupVersionResource& resource, const ObjectName& name) {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return UnknownResource(resource);
  const auto outcome =
      impl_->writer.Delete({.at = at, .namespace_ = name.namespace_, .name = name.name}, {});
  if (!outcome) return outcome.error();
  return {};
}

Result<json::Value> ApiServer::Get(const GroupVersionResource& resource,
                                   const ObjectName& name) const {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return UnknownResource(resource);
  const StoredObjectPtr stored = at.resource->Find(name.namespace_, name.name);
  if (stored == nullptr) return NotFoundError(at.resource->Subject(name.name));
  return Impl::Shown(at, *stored);
}

Result<std::vector<json::Value>> ApiServer::List(const GroupVersionResource& resource,
                                                 std::string_view namespace_) const {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return UnknownResource(resource);
  if (IsAskedToConvert(at)) return ConversionTakesTime(at);
  std::vector<json::Value> out;
  const std::string prefix = NamespacePrefix(namespace_);
  at.resource->store->Walk(prefix, {}, impl_->state.resource_version,
                           [&](const StoredObjectPtr& stored) {
                             out.push_back(ObjectIn(at, *stored));
                             return true;
                           });
  return out;
}

Result<std::size_t> ApiServer::Load(std::string_view manifests, WriteOptions options,
                                    std::vector<std::string>* warnings) {
  const auto documents = yaml::ParseAll(manifests, {}, warnings);
  if (!documents) return documents.error();
  std::size_t count = 0;
  for (const json::Value& document : *documents) {
    ++count;
    const std::string& kind = document["kind"].StringOrEmpty();
    const std::string& name = document.At("/metadata/name").StringOrEmpty();
    const std::string which = DocumentName(document, count, documents->size());
    const auto fail = [&](Error error) { return error.WithContext(which); };
    const std::string& api_version = document["apiVersion"].StringOrEmpty();
    const ResourceAt at = FindKind(impl_->state.resources, api_version, kind);
    if (!at) return fail(UnknownKind(impl_->state.resources, document));
    if (warnings != nullptr) {
      for (const std::string& problem : UnknownFieldsOf(at, document)) {
        warnings->push_back(which + ": " + problem);
      }
    }
    json::Value object = document;
    if (at.resource->namespaced && object.At("/metadata/namespace").StringOrEmpty().empty()) {
      object.Ensure("metadata").Set("namespace", "default");
    }
    WriteTarget target{
        .at = at,
        .namespace_ = std::as_const(object).At("/metadata/namespace").StringOrEmpty(),
        .name = name,
        .keep_status = options.keep_status};
    auto written = impl_->writer.Create(target, object);
    if (!written && IsAlreadyExists(written.error())) {
      const StoredObjectPtr there = at.resource->Find(target.namespace_, name);
      if (there != nullptr) {
        object.Ensure("metadata").Set("resourceVersion", std::to_string(there->resource_version()));
      }
      written = impl_->writer.Update(target, std::move(object));
    }
    if (!written) return fail(OfManifest(written.error()));
  }
  return count;
}

std::int64_t ApiServer::current_resource_version() const { return impl_->state.resource_version; }

std::map<std::string, std::string> ApiServer::DumpState(
    const GroupVersionResource& resource) const {
  std::map<std::string, std::string> out;
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  if (!at) return out;
  at.resource->store->Walk({}, {}, impl_->state.resource_version,
                           [&](const StoredObjectPtr& stored) {
                             out.emplace(stored->key(), std::to_string(stored->resource_version()));
                             return true;
                           });
  return out;
}

std::size_t ApiServer::ObjectCount(const GroupVersionResource& resource) const {
  const ResourceAt at =
      impl_->state.resources.Find(resource.group, resource.version, resource.resource);
  return at ? at.resource->store->size() : 0;
}

ApiServerStats ApiServer::Stats() const {
  ApiServerStats stats{.requests = impl_->router.requests(), .events = impl_->state.writes};
  for (const auto& resource : impl_->state.resources.all()) {
    if (resource->stored != nullptr) continue;
    stats.objects += resource->store->size();
    stats.watches += resource->watchers->size();
    stats.stored_bytes += resource->store->bytes();
    for (const auto& [version, objects] : resource->converted) {
      stats.watches += objects->watchers->size();
      stats.stored_bytes += objects->store->bytes();
    }
  }
  return stats;
}

void ApiServer::Compact(std::int64_t resource_version) {
  const std::int64_t version = std::min(resource_version, impl_->state.resource_version);
  for (const auto& resource : impl_->state.resources.all()) {
    resource->store->Compact(version);
    for (const auto& [name, objects] : resource->converted) objects->store->Compact(version);
  }
}

Result<void> ApiServer::Restore(std::int64_t resource_version) {
  if (Result<void> may = impl_->CheckMayReplace(); !may) return may;
  ServerState& state = impl_->state;
  const std::int64_t first = state.options.first_resource_version.value_or(1);
  if (resource_version < first || resource_version > state.resource_version) {
    return Error(Reason::kInvalidArgument, "cannot restore resourceVersion " +
                                               std::to_string(resource_version) +
                                               ": it must be from " + std::to_string(first) +
                                               " to " + std::to_string(state.resource_version));
  }
  for (const auto& resource : state.resources.all()) {
    if (resource_version < resource->store->floor()) {
      return Error(Reason::kExpired, "cannot restore resourceVersion " +
                                         std::to_string(resource_version) + ": the history of " +
                                         resource->plural + " begins at " +
                                         std::to_string(resource->store->floor()));
    }
  }
  CloseWatches();
  for (const auto& resource : state.resources.all()) {
    if (resource->stored != nullptr) continue;
    resource->DropConverted();
    resource->store = resource->store->RestoredTo(resource_version, state.env.Now());
  }
  state.resources.ShareStores();
  state.resource_version = resource_version;
  impl_->KeepAll();
  // Observers know objects that are gone again, and none that are there again.
  impl_->writer.StateReplaced();
  impl_->Reload();
  impl_->router.EndOutdatedConversions();
  return {};
}

StateSnapshot ApiServer::Snapshot() const {
  const SavedState state = WholeState(impl_->state);
  std::size_t count = 0;
  for (const SavedResource& resource : state.resources) count += resource.objects.size();
  return {EncodeState(state), state.resource_version, count};
}

Result<void> ApiServer::Restore(const StateSnapshot& snapshot) {
  Result<SavedState> state = DecodeState(snapshot.bytes());
  if (!state) return state.error();
  return impl_->Replace(*std::move(state));
}

void ApiServer::CloseWatches() {
  for (const auto& resource : impl_->state.resources.all()) resource->CloseWatches();
}

FaultPlan& ApiServer::faults() { return impl_->faults; }

}  // namespace kinformer::apiserver
