#include "kinformer/cache/shared_informer_factory.h"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>
#include <vector>

#include "kinformer/client/discovery.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/object/unstructured.h"

#include "base/core/deadline.h"
#include "base/core/forked.h"
#include "base/core/mutex.h"
#include "cache/factory/factory_settings.h"
#include "cache/store/store_part.h"

namespace kinformer {
namespace internal {
namespace {

using cache::FactoryPlaces;
using cache::FactorySettings;

// Returns the places to which an informer of all namespaces falls back, as text.
std::string Instead(const IfForbidden& instead) {
  std::string text = instead.watch_namespaces ? "watched" : "";
  for (const std::string& name : instead.namespaces) text += "," + name;
  return text;
}

// Namespaces as metadata: only their names are needed.
const KindInfo& NamespacesType() {
  static const KindInfo* const type = MetadataKindInfo("", "v1", "Namespace", "namespaces", false);
  return *type;
}

class ClientProvider final : public ListerWatcherProvider {
 public:
  explicit ClientProvider(Client client) : client_(std::move(client)) {}
  [[nodiscard]] Env& env() const override { return client_.env(); }
  std::unique_ptr<ListerWatcher> NewListWatch(
      const KindInfo& type, const std::string& namespace_,
      const std::function<void(ListOptions&)>& tweak) override {
    return internal::NewListWatch(client_, type, namespace_, tweak);
  }

 private:
  Client client_;
};

// Identifies an informer within a factory.
struct InformerKey {
  std::string apiVersion{};
  std::string resource{};
  // Typed, dynamic and metadata-only informers of one resource hold different objects, as do those
  // of two structs; `structure` is the address that identifies the struct. `message`: "json" if the
  // type has none; empty for a resource that is not to be cached.
  std::string message{};
  const void* structure = nullptr;
  // Namespaces, and the selectors in each.
  decltype(FactoryPlaces::selectors) places{};
  std::string if_forbidden{};
  // The kept fields: a projection that keeps other fields needs its own informer. Empty: all.
  std::string kept{};

  auto operator<=>(const InformerKey&) const = default;

  [[nodiscard]] std::string_view group() const {
    const std::size_t slash = apiVersion.find('/');
    return slash == std::string::npos ? std::string_view()
                                      : std::string_view(apiVersion).substr(0, slash);
  }

  // Returns whether this informer can serve the metadata of its objects: it keeps all of it, or the
  // same fields.
  [[nodiscard]] bool HasMetadataFor(const InformerKey& wanted) const {
    return apiVersion == wanted.apiVersion && resource == wanted.resource &&
           places == wanted.places && if_forbidden == wanted.if_forbidden &&
           (kept.empty() || kept == wanted.kept);
  }
};

InformerKey KeyFor(const KindInfo& type, const FactorySettings& of, std::string kept) {
  return {.apiVersion = type.apiVersion(),
          .resource = std::string(type.resource),
          .message = type.message == nullptr ? "json" : std::string(type.message->name),
          .structure = type.structure,
          .places = of.places.selectors,
          .if_forbidden = Instead(of.settings.if_forbidden),
          .kept = std::move(kept)};
}

std::string Kept(const FactorySettings& of) { return EntryOptionsOf(of.settings).Kept(); }

}  // namespace

struct FactoryCore::Impl {
  std::shared_ptr<ListerWatcherProvider> provider;
  std::optional<Client> client;
  SharedInformerFactoryOptions options;
  base::Mutex mutex;
  std::map<InformerKey, std::shared_ptr<InformerCore>> informers KINFORMER_GUARDED_BY(mutex);
  bool started KINFORMER_GUARDED_BY(mutex) = false;
  bool shutting_down KINFORMER_GUARDED_BY(mutex) = false;
  bool said_shut_down KINFORMER_GUARDED_BY(mutex) = false;

  [[nodiscard]] FactorySettings Completed(const KindInfo& type, InformerSettings own,
                                          bool metadata_only = false) const {
    return cache::Completed(options, type, std::move(own), metadata_only);
  }
  // Returns an informer that serves the objects for that key; null if there is none.
  [[nodiscard]] std::shared_ptr<InformerCore> Find(const KindInfo& type, const FactorySettings& of,
                                                   const InformerKey& key, bool metadata_only) const
      KINFORMER_REQUIRES(mutex) {
    auto it = informers.find(key);
    // An informer that keeps all fields serves any projection.
    if (it == informers.end()) it = informers.find(KeyFor(type, of, ""));
    if (it != informers.end()) return it->second;
    if (!metadata_only) return nullptr;
    for (const auto& [other, informer] : informers) {
      if (other.HasMetadataFor(key)) return informer;
    }
    return nullptr;
  }
  std::shared_ptr<InformerCore> GetOrCreate(const KindInfo& type, FactorySettings complete,
                                            InformerKey key, bool metadata_only, bool& is_new);
  std::vector<std::shared_ptr<InformerCore>> All() {
    base::MutexLock lock(mutex);
    std::vector<std::shared_ptr<InformerCore>> all;
    for (const auto& [key, informer] : informers) all.push_back(informer);
    return all;
  }
  // Uses the provider only on the loop, and while the factory or a handle of the informer is
  // alive.
  [[nodiscard]] ListerWatcherSource SourceOf(const KindInfo& type,
                                             const FactoryPlaces& places) const {
    ListerWatcherSource source;
    source.objects = [provider = provider, &type, places,
                      tweak = options.tweak_list_options](const std::string& place) {
      return provider->NewListWatch(type, place == cache::kOtherNamespaces ? "" : place,
                                    cache::Selecting(places.AskedFor(place), tweak));
    };
    source.others = places.HasOthers();
    source.namespaces = [provider = provider] {
      return provider->NewListWatch(NamespacesType(), "", {});
    };
    source.namespaced = type.namespaced;
    return source;
  }
  // Returns the informer that stands for a resource that is not to be cached. It belongs to the
  // factory, so that the factory never counts as synced.
  std::shared_ptr<InformerCore> Refused(const KindInfo& type) {
    base::MutexLock lock(mutex);
    std::shared_ptr<InformerCore>& informer = informers[{.apiVersion = type.apiVersion(),
                                                         .resource = std::string(type.resource),
                                                         .kept = "nothing"}];
    if (informer == nullptr) {
      const std::string name(type.resource);
      const Error why(Reason::kInvalidArgument,
                      "there is no cache of " + name +
                          ", and no informer: the factory's options "
                          "say so (by_resource); read them with ReaderFor");
      informer =
          InformerCore::CreateRefused(provider->env(), name + " (not cached: by_resource)", why);
      informer->LogIfError(why);
    }
    return informer;
  }
};

FactoryCore::FactoryCore(std::shared_ptr<ListerWatcherProvider> provider,
                         std::optional<Client> client, SharedInformerFactoryOptions options)
    : impl_(std::make_unique<Impl>()) {
  impl_->provider = std::move(provider);
  impl_->client = std::move(client);
  impl_->options = std::move(options);
}

FactoryCore::~FactoryCore() {
  if (!base::LeaveIfForkedOff(impl_->provider->env(), impl_)) Shutdown();
}

std::shared_ptr<InformerCore> FactoryCore::Get(const KindInfo& type, InformerSettings settings,
                                               bool metadata_only) {
  const InformerSettings asked = settings;
  FactorySettings complete = impl_->Completed(type, std::move(settings), metadata_only);
  if (!complete.cached && !metadata_only) return impl_->Refused(type);
  InformerKey key = KeyFor(type, complete, Kept(complete));
  bool is_new = false;
  std::shared_ptr<InformerCore> informer =
      impl_->GetOrCreate(type, std::move(complete), std::move(key), metadata_only, is_new);
  // Outside the lock: the log may be a user's function.
  if (!is_new) informer->NameDroppedOptions(asked);
  return informer;
}

std::shared_ptr<InformerCore> FactoryCore::Impl::GetOrCreate(const KindInfo& type,
                                                             FactorySettings complete,
                                                             InformerKey key, bool metadata_only,
                                                             bool& is_new) {
  base::MutexLock lock(mutex);
  if (auto found = Find(type, complete, key, metadata_only)) return found;
  is_new = true;
  std::string describe = cache::Described(type, complete);
  auto informer =
      InformerCore::Create(provider->env(), std::move(describe), SourceOf(type, complete.places),
                           std::move(complete.settings));
  informer->LogIfError(complete.known_paths);
  informer->LogIfError(informer->SetDefaultTransform(std::move(complete.places.transform)));
  if (shutting_down) informer->FactoryEnded();
  informers.emplace(std::move(key), informer);
  return informer;
}

std::shared_ptr<InformerCore> FactoryCore::Find(const KindInfo& type, bool metadata_only) const {
  const FactorySettings settings = impl_->Completed(type, {}, metadata_only);
  const InformerKey key = KeyFor(type, settings, Kept(settings));
  base::MutexLock lock(impl_->mutex);
  return impl_->Find(type, settings, key, metadata_only);
}

std::vector<std::shared_ptr<InformerCore>> FactoryCore::InformersOf(const KindInfo& type) const {
  const FactorySettings settings = impl_->Completed(type, {});
  const InformerKey key = KeyFor(type, settings, "");
  std::vector<std::shared_ptr<InformerCore>> found;
  base::MutexLock lock(impl_->mutex);
  for (const auto& [other, informer] : impl_->informers) {
    if (other.resource == type.resource && other.group() == type.group &&
        other.places == key.places && other.if_forbidden == key.if_forbidden &&
        !other.message.empty()) {
      found.push_back(informer);
    }
  }
  return found;
}

std::vector<FactoryInformerStats> FactoryCore::Stats() const {
  std::vector<std::pair<InformerKey, std::shared_ptr<InformerCore>>> all;
  {
    base::MutexLock lock(impl_->mutex);
    all.assign(impl_->informers.begin(), impl_->informers.end());
  }
  std::vector<FactoryInformerStats> stats;
  for (const auto& [key, informer] : all) {
    if (key.message.empty()) continue;  // stands for a resource that is not cached
    stats.push_back({.name = informer->Describe(),
                     .apiVersion = key.apiVersion,
                     .resource = key.resource,
                     .synced = informer->HasSynced(),
                     .stats = informer->Stats()});
  }
  return stats;
}

std::shared_ptr<InformerCore> FactoryCore::GetOrMake(
    const KindInfo& type,
    const std::function<std::shared_ptr<InformerCore>(Duration resync)>& make) {
  FactorySettings complete = impl_->Completed(type, {});
  if (!complete.cached) return impl_->Refused(type);
  const InformerKey key = KeyFor(type, complete, Kept(complete));
  {
    base::MutexLock lock(impl_->mutex);
    const auto it = impl_->informers.find(key);
    if (it != impl_->informers.end()) return it->second;
  }
  // Outside the lock: the user's function may request other informers from the factory.
  std::shared_ptr<InformerCore> made = make(complete.settings.resync_period);
  if (complete.places.transform) {
    made->LogIfError(made->SetDefaultTransform(std::move(complete.places.transform)));
  }
  base::MutexLock lock(impl_->mutex);
  if (impl_->shutting_down) made->FactoryEnded();
  return impl_->informers.emplace(key, std::move(made)).first->second;
}

std::optional<LiveReader> FactoryCore::LiveReaderOf(const KindInfo& type) const {
  const FactorySettings complete = impl_->Completed(type, {});
  if (complete.cached) return std::nullopt;
  std::optional<ResourceCore> server;
  if (impl_->client) server.emplace(impl_->client->core(), type, "");
  const bool everywhere = complete.places.IsAll() || complete.places.HasOthers();
  return LiveReader(std::move(server), type,
                    everywhere ? FactoryPlaces::Names() : complete.places.Named());
}

Result<std::size_t> FactoryCore::FirstServed(const std::vector<const KindInfo*>& types) const {
  if (!impl_->client) {
    return Error(Reason::kInvalidArgument,
                 "the factory was made without a Client: there is nobody to ask what is served");
  }
  std::vector<GroupVersionResource> resources;
  for (const KindInfo* type : types) resources.push_back(ResourceOfType(*type));
  const Result<RestMapping> first = impl_->client->Discovery().FirstServed(resources);
  if (!first) return first.error();
  const auto at = std::find(resources.begin(), resources.end(), first->resource);
  return static_cast<std::size_t>(at - resources.begin());
}

void FactoryCore::Start() {
  bool over = false;
  bool say = false;
  {
    base::MutexLock lock(impl_->mutex);
    if (!impl_->shutting_down) impl_->started = true;
    over = impl_->shutting_down;
    say = over && !std::exchange(impl_->said_shut_down, true);
  }
  if (say) {
    impl_->provider->env().log().Log(
        LogLevel::kWarning, "Start does nothing: " + InformerCore::FactoryIsShutDown().message(),
        {});
  }
  if (over) return;
  // A function of the user that an informer calls may end this factory, on any thread: from here on
  // only the informers are used.
  for (const std::shared_ptr<InformerCore>& informer : impl_->All()) {
    if (informer->HasStarted()) continue;
    informer->Start();
    // A Shutdown that began meanwhile may have come too early for this one.
    if (informer->HasFactoryEnded()) informer->Stop();
  }
}

Result<void> FactoryCore::WaitForCacheSync(const std::stop_token& stop,
                                           const SyncWaitOptions& options) {
  std::vector<std::shared_ptr<InformerCore>> started = impl_->All();
  std::erase_if(started, [](const auto& informer) { return !informer->HasStarted(); });
  if (started.empty()) {
    base::MutexLock lock(impl_->mutex);
    if (impl_->shutting_down) return InformerCore::FactoryIsShutDown();
    if (!impl_->started) {
      return Error(Reason::kNotSynced,
                   "the factory is not started: none of its informers would ever sync; call Start");
    }
  }
  return WaitForSync(impl_->provider->env(), started, stop, options);
}

Result<void> FactoryCore::WaitForHandlersSync(const std::stop_token& stop,
                                              std::optional<Duration> timeout) {
  Env& env = impl_->provider->env();
  const SteadyTime deadline = base::After(env.Now(), timeout.value_or(Duration(0)));
  std::vector<std::shared_ptr<InformerCore>> started = impl_->All();
  std::erase_if(started, [](const auto& informer) { return !informer->HasStarted(); });
  if (started.empty()) {
    base::MutexLock lock(impl_->mutex);
    if (impl_->shutting_down) return InformerCore::FactoryIsShutDown();
  }
  for (const std::shared_ptr<InformerCore>& informer : started) {
    std::optional<Duration> rest;
    if (timeout) rest = std::max(Duration(0), deadline - env.Now());
    Result<void> synced = informer->WaitForHandlersSync(stop, rest);
    if (!synced) return std::move(synced).error().WithContext(informer->Describe());
  }
  return {};
}

std::vector<std::shared_ptr<InformerCore>> FactoryCore::Running() const {
  std::vector<std::shared_ptr<InformerCore>> running = impl_->All();
  std::erase_if(running, [](const auto& informer) {
    return !informer->HasStarted() || informer->IsStopped();
  });
  return running;
}

Result<void> FactoryCore::WaitUntilCurrent(const std::stop_token& stop,
                                           std::optional<Duration> timeout,
                                           std::optional<SteadyTime> since) {
  return internal::WaitUntilCurrent(impl_->provider->env(), Running(), stop, timeout, since);
}

std::vector<std::string> FactoryCore::NotCurrentSince(SteadyTime when) const {
  std::vector<std::string> names;
  for (const std::shared_ptr<InformerCore>& informer : impl_->All()) {
    if (!informer->HasStarted() || informer->IsStopped() || informer->WasCurrentAt(when)) continue;
    names.push_back(informer->Describe());
  }
  return names;
}

void FactoryCore::Release(const std::shared_ptr<InformerCore>& informer) {
  std::shared_ptr<InformerCore> released;  // freed outside the lock: it may be the last one
  base::MutexLock lock(impl_->mutex);
  for (auto it = impl_->informers.begin(); it != impl_->informers.end(); ++it) {
    if (it->second != informer) continue;
    released = std::move(it->second);
    impl_->informers.erase(it);
    break;
  }
}

void FactoryCore::Shutdown() {
  Env& env = impl_->provider->env();
  if (base::IsForkedOff(env)) return;
  std::map<InformerKey, std::shared_ptr<InformerCore>> informers;
  {
    base::MutexLock lock(impl_->mutex);
    impl_->shutting_down = true;
    informers.swap(impl_->informers);
  }
  for (const auto& [key, informer] : informers) {
    informer->FactoryEnded();
    informer->Stop();
  }
  if (!informers.empty() && !env.loop().InThisExecutor()) {
    const std::shared_ptr<Monitor> monitor = env.NewMonitor();
    const auto wake = [monitor] {
      MonitorLock lock(*monitor);
      monitor->NotifyAll();
    };
    std::vector<std::shared_ptr<void>> observations;
    for (const auto& [key, informer] : informers) observations.push_back(informer->Observe(wake));
    for (const auto& [key, informer] : informers) {
      MonitorLock lock(*monitor);
      while (informer->IsEnding()) lock.Wait();
    }
    for (const auto& [key, informer] : informers) informer->WaitIdle();
  }
}

}  // namespace internal

SharedInformerFactory::SharedInformerFactory(const Client& client,
                                             SharedInformerFactoryOptions options)
    : core_(std::make_unique<internal::FactoryCore>(
          std::make_shared<internal::ClientProvider>(client), client, std::move(options))) {}

SharedInformerFactory::SharedInformerFactory(std::shared_ptr<ListerWatcherProvider> provider,
                                             SharedInformerFactoryOptions options)
    : core_(std::make_unique<internal::FactoryCore>(std::move(provider), std::nullopt,
                                                    std::move(options))) {}

SharedInformerFactory::~SharedInformerFactory() = default;

SharedInformer<Unstructured> SharedInformerFactory::ForResource(
    const RestMapping& mapping, InformerOptions<Unstructured> options) {
  return Typed<Unstructured>(mapping.dynamic_type(), std::move(options), false);
}

SharedInformer<Unstructured> SharedInformerFactory::ForResource(const RestMapping& mapping) {
  return ForResource(mapping, InformerOptions<Unstructured>());
}

SharedInformer<Unstructured> SharedInformerFactory::ForResource(
    const GroupVersionResource& resource, std::string_view kind, bool namespaced,
    InformerOptions<Unstructured> options) {
  return Typed<Unstructured>(*internal::DynamicKindInfo(resource.group, resource.version, kind,
                                                        resource.resource, namespaced),
                             std::move(options), false);
}

SharedInformer<Unstructured> SharedInformerFactory::ForResource(
    const GroupVersionResource& resource, std::string_view kind, bool namespaced) {
  return ForResource(resource, kind, namespaced, InformerOptions<Unstructured>());
}

Reader<Unstructured> SharedInformerFactory::ReaderFor(const RestMapping& mapping) {
  if (auto live = core_->LiveReaderOf(mapping.dynamic_type())) {
    return Reader<Unstructured>(*std::move(live));
  }
  return Reader<Unstructured>(ForResource(mapping).lister());
}

SharedInformer<metav1::PartialObjectMetadata> SharedInformerFactory::MetadataInformerFor(
    const GroupVersionResource& resource, std::string_view kind, bool namespaced) {
  return MetadataInformerFor(resource, kind, namespaced,
                             InformerOptions<metav1::PartialObjectMetadata>());
}

SharedInformer<metav1::PartialObjectMetadata> SharedInformerFactory::MetadataInformerFor(
    const GroupVersionResource& resource, std::string_view kind, bool namespaced,
    InformerOptions<metav1::PartialObjectMetadata> options) {
  return Typed<metav1::PartialObjectMetadata>(
      *internal::MetadataKindInfo(resource.group, resource.version, kind, resource.resource,
                                  namespaced),
      std::move(options), true);
}

}  // namespace kinformer
