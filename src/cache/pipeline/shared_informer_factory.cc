#include "kinformer/shared_informer_factory.h"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>
#include <vector>

#include "kinformer/discovery.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/unstructured.h"

#include "base/deadline.h"
#include "base/mutex.h"
#include "cache/pipeline/informer_impl.h"

namespace kinformer {
namespace internal {
namespace {

// The terms of two selectors: what matches both.
std::string Both(const std::string& a, const std::string& b) {
  return a + (a.empty() || b.empty() ? "" : ",") + b;
}

// What an informer asks the server to select.
struct Selectors {
  std::string labels;
  std::string fields;
  auto operator<=>(const Selectors&) const = default;
};

Selectors SelectorsOf(const InformerSettings& settings) {
  // The API has no text for nothing.
  return {settings.label_selector.MatchesNothing() ? "nothing,!nothing"
                                                   : settings.label_selector.ToString(),
          settings.field_selector.ToString()};
}

// The factory's tweak, and then the informer's own selectors.
std::function<void(ListOptions&)> Selecting(Selectors selectors,
                                            std::function<void(ListOptions&)> tweak) {
  if (selectors == Selectors()) return tweak;
  return [selectors = std::move(selectors), tweak = std::move(tweak)](ListOptions& options) {
    if (tweak) tweak(options);
    options.labelSelector = Both(options.labelSelector, selectors.labels);
    options.fieldSelector = Both(options.fieldSelector, selectors.fields);
  };
}

// `where` as Where gives it.
std::string Described(const TypeInfo& type, const std::string& where, const Selectors& selectors) {
  std::string text(type.resource);
  if (!type.group.empty()) text += "." + std::string(type.group);
  if (!where.empty()) {
    text += (where.find(',') == std::string::npos ? " in namespace " : " in namespaces ") + where;
  }
  if (!selectors.labels.empty()) text += " with labels " + selectors.labels;
  if (!selectors.fields.empty()) text += " with fields " + selectors.fields;
  return text;
}

// The namespaces that an informer looks at, in a text; empty: all.
std::string Where(const InformerSettings& settings) {
  std::string text;
  for (const std::string& name : NamespacesOf(settings)) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// What an informer of all namespaces falls back to, as a text.
std::string Instead(const IfForbidden& instead) {
  std::string text = instead.watch_namespaces ? "watched" : "";
  for (const std::string& name : instead.namespaces) text += "," + name;
  return text;
}

// The Namespaces that there are: their names will do.
const TypeInfo& NamespacesType() {
  static const TypeInfo* const type = MetadataTypeInfo("", "v1", "Namespace", "namespaces", false);
  return *type;
}

class ClientProvider final : public ListerWatcherProvider {
 public:
  explicit ClientProvider(Client client) : client_(std::move(client)) {}
  [[nodiscard]] Env& env() const override { return client_.env(); }
  std::unique_ptr<ListerWatcher> NewListWatch(
      const TypeInfo& type, const std::string& namespace_,
      const std::function<void(ListOptions&)>& tweak) override {
    return internal::NewListWatch(client_, type, namespace_, tweak);
  }

 private:
  Client client_;
};

// What tells the informers of a factory apart.
struct InformerKey {
  std::string apiVersion;
  std::string resource;
  // Typed, dynamic and metadata-only informers of one resource hold different objects; those of two
  // structs do, too. One struct, one address.
  std::string message;  // "json" where there is none
  const void* structure = nullptr;
  std::string where;
  std::string if_forbidden;
  Selectors selectors;
  // Who wants more fields than a running informer keeps gets one of their own. Empty: everything.
  std::string kept;

  auto operator<=>(const InformerKey&) const = default;

  // An informer of this kind, with everything of its objects, can serve their metadata.
  [[nodiscard]] bool HasMetadataFor(const InformerKey& wanted) const {
    return apiVersion == wanted.apiVersion && resource == wanted.resource &&
           where == wanted.where && if_forbidden == wanted.if_forbidden &&
           selectors == wanted.selectors && kept.empty();
  }
};

InformerKey KeyFor(const TypeInfo& type, const InformerSettings& settings, Selectors selectors,
                   std::string kept) {
  return {.apiVersion = type.apiVersion(),
          .resource = std::string(type.resource),
          .message = type.message == nullptr ? "json" : std::string(type.message->name),
          .structure = type.structure,
          .where = Where(settings),
          .if_forbidden = Instead(settings.if_forbidden),
          .selectors = std::move(selectors),
          .kept = std::move(kept)};
}

}  // namespace

struct FactoryCore::Impl {
  std::shared_ptr<ListerWatcherProvider> provider;
  SharedInformerFactoryOptions options;
  base::Mutex mutex;
  std::map<InformerKey, std::shared_ptr<InformerCore>> informers KINFORMER_GUARDED_BY(mutex);
  bool started KINFORMER_GUARDED_BY(mutex) = false;
  bool shutting_down KINFORMER_GUARDED_BY(mutex) = false;

  // Where an informer looks that does not say so itself.
  void SetWhere(const TypeInfo& type, InformerSettings& settings) const {
    if (settings.namespace_.empty() && settings.namespaces.empty()) {
      settings.namespace_ = options.namespace_;
      settings.namespaces = options.namespaces;
    }
    if (settings.if_forbidden.IsDefault()) settings.if_forbidden = options.if_forbidden;
    // A namespace means nothing to a kind that has none.
    if (type.namespaced && NamespacesOf(settings).empty()) return;
    settings.if_forbidden = {};
    if (type.namespaced) return;
    settings.namespace_.clear();
    settings.namespaces.clear();
  }
  [[nodiscard]] Duration ResyncOf(const TypeInfo& type) const {
    const auto own = options.resync.find(GroupVersionResource{
        std::string(type.group), std::string(type.version), std::string(type.resource)});
    return own == options.resync.end() ? options.default_resync : own->second;
  }
  std::vector<std::shared_ptr<InformerCore>> All() {
    base::MutexLock lock(mutex);
    std::vector<std::shared_ptr<InformerCore>> all;
    for (const auto& [key, informer] : informers) all.push_back(informer);
    return all;
  }
};

FactoryCore::FactoryCore(std::shared_ptr<ListerWatcherProvider> provider,
                         SharedInformerFactoryOptions options)
    : impl_(std::make_unique<Impl>()) {
  impl_->provider = std::move(provider);
  impl_->options = std::move(options);
}

FactoryCore::~FactoryCore() { Shutdown(); }

std::shared_ptr<InformerCore> FactoryCore::Get(const TypeInfo& type, InformerSettings settings,
                                               bool metadata_only) {
  impl_->SetWhere(type, settings);
  const Selectors selectors = SelectorsOf(settings);
  InformerKey key = KeyFor(type, settings, selectors, EntryOptionsOf(settings).Kept());
  base::MutexLock lock(impl_->mutex);
  auto it = impl_->informers.find(key);
  // One that keeps everything has what a projection would keep.
  if (it == impl_->informers.end()) {
    it = impl_->informers.find(KeyFor(type, settings, selectors, ""));
  }
  if (it != impl_->informers.end()) return it->second;
  if (metadata_only) {
    // Any informer of the resource that keeps everything has the metadata.
    for (const auto& [other, informer] : impl_->informers) {
      if (other.HasMetadataFor(key)) return informer;
    }
  }
  if (settings.resync_period == Duration(0)) settings.resync_period = impl_->ResyncOf(type);
  if (!settings.trace) settings.trace = impl_->options.trace;
  std::string describe = Described(type, Where(settings), selectors);
  // The provider is used only on the loop and while the factory or a handle of the informer is
  // alive.
  ListerWatcherSource source;
  source.objects = [provider = impl_->provider, &type,
                    tweak = Selecting(selectors, impl_->options.tweak_list_options)](
                       const std::string& ns) { return provider->NewListWatch(type, ns, tweak); };
  source.namespaces = [provider = impl_->provider] {
    return provider->NewListWatch(NamespacesType(), "", {});
  };
  source.namespaced = type.namespaced;
  const Result<void> known_paths = settings.projection.CheckFor(type);
  auto informer = InformerCore::Create(impl_->provider->env(), std::move(describe),
                                       std::move(source), std::move(settings));
  informer->LogIfError(known_paths);
  impl_->informers.emplace(std::move(key), informer);
  return informer;
}

std::shared_ptr<InformerCore> FactoryCore::GetOrMake(
    const TypeInfo& type,
    const std::function<std::shared_ptr<InformerCore>(Duration resync)>& make) {
  InformerSettings settings;
  impl_->SetWhere(type, settings);
  const InformerKey key = KeyFor(type, settings, {}, "");
  {
    base::MutexLock lock(impl_->mutex);
    const auto it = impl_->informers.find(key);
    if (it != impl_->informers.end()) return it->second;
  }
  // Outside the lock: the caller's function may ask the factory for other informers.
  std::shared_ptr<InformerCore> made = make(impl_->ResyncOf(type));
  base::MutexLock lock(impl_->mutex);
  return impl_->informers.emplace(key, std::move(made)).first->second;
}

void FactoryCore::Start() {
  {
    base::MutexLock lock(impl_->mutex);
    if (impl_->shutting_down) return;
    impl_->started = true;
  }
  for (const std::shared_ptr<InformerCore>& informer : impl_->All()) {
    if (!informer->HasStarted()) informer->Start();
  }
}

Result<void> FactoryCore::WaitForCacheSync(const std::stop_token& stop,
                                           const SyncWaitOptions& options) {
  std::vector<std::shared_ptr<InformerCore>> started = impl_->All();
  std::erase_if(started, [](const auto& informer) { return !informer->HasStarted(); });
  if (started.empty()) {
    base::MutexLock lock(impl_->mutex);
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
  for (const std::shared_ptr<InformerCore>& informer : impl_->All()) {
    if (!informer->HasStarted()) continue;
    std::optional<Duration> rest;
    if (timeout) rest = std::max(Duration(0), deadline - env.Now());
    Result<void> synced = informer->WaitForHandlersSync(stop, rest);
    if (!synced) return std::move(synced).error().WithContext(informer->Describe());
  }
  return {};
}

void FactoryCore::Release(const std::shared_ptr<InformerCore>& informer) {
  std::shared_ptr<InformerCore> released;  // given up outside the lock: it may be the last
  base::MutexLock lock(impl_->mutex);
  for (auto it = impl_->informers.begin(); it != impl_->informers.end(); ++it) {
    if (it->second != informer) continue;
    released = std::move(it->second);
    impl_->informers.erase(it);
    break;
  }
}

void FactoryCore::Shutdown() {
  std::map<InformerKey, std::shared_ptr<InformerCore>> informers;
  {
    base::MutexLock lock(impl_->mutex);
    impl_->shutting_down = true;
    informers.swap(impl_->informers);
  }
  for (const auto& [key, informer] : informers) informer->Stop();
  Env& env = impl_->provider->env();
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
      while (!informer->IsTornDown()) lock.Wait();
    }
    for (const auto& [key, informer] : informers) informer->WaitIdle();
  }
}

}  // namespace internal

SharedInformerFactory::SharedInformerFactory(const Client& client,
                                             SharedInformerFactoryOptions options)
    : SharedInformerFactory(std::make_shared<internal::ClientProvider>(client),
                            std::move(options)) {}

SharedInformerFactory::SharedInformerFactory(std::shared_ptr<ListerWatcherProvider> provider,
                                             SharedInformerFactoryOptions options)
    : core_(std::make_unique<internal::FactoryCore>(std::move(provider), std::move(options))) {}

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
  return Typed<Unstructured>(*internal::DynamicTypeInfo(resource.group, resource.version, kind,
                                                        resource.resource, namespaced),
                             std::move(options), false);
}

SharedInformer<Unstructured> SharedInformerFactory::ForResource(
    const GroupVersionResource& resource, std::string_view kind, bool namespaced) {
  return ForResource(resource, kind, namespaced, InformerOptions<Unstructured>());
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
      *internal::MetadataTypeInfo(resource.group, resource.version, kind, resource.resource,
                                  namespaced),
      std::move(options), true);
}

}  // namespace kinformer
