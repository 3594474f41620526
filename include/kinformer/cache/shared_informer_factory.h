// kinformer/cache/shared_informer_factory.h
//
// SharedInformerFactory: one informer per resource for a whole program, shared by all parts that
// need it.
//
//   SharedInformerFactory factory(client);
//   SharedInformer<corev1::Pod> pods = factory.InformerFor<corev1::Pod>();
//   Lister<corev1::Node> nodes = factory.InformerFor<corev1::Node>().lister();
//   factory.Start();
//   factory.WaitForCacheSync(stop.token()).OrExit();
//
// factory_options.h has the options for all informers, and for those of one resource. Go's
// accessors, factory.Core().V1().Pods().Informer(), are in factory_accessors.h.

#ifndef KINFORMER_CACHE_SHARED_INFORMER_FACTORY_H_
#define KINFORMER_CACHE_SHARED_INFORMER_FACTORY_H_

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/cache/factory_options.h"
#include "kinformer/cache/reader.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/internal/factory_groups.h"
#include "kinformer/internal/factory_misuse.h"
#include "kinformer/internal/live_reader.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/resource.h"

namespace kinformer {

struct RestMapping;  // rest_mapping.h
class Unstructured;  // unstructured.h

namespace metav1 {
class PartialObjectMetadata;  // partial_object_metadata.h
}  // namespace metav1

namespace internal {

// Untyped half of SharedInformerFactory.
class FactoryCore {
 public:
  // Creates the core. `client`: for reads without an informer; empty: these fail.
  FactoryCore(std::shared_ptr<ListerWatcherProvider> provider, std::optional<Client> client,
              SharedInformerFactoryOptions options);
  ~FactoryCore();
  FactoryCore(const FactoryCore&) = delete;
  FactoryCore& operator=(const FactoryCore&) = delete;

  // Returns the informer for a type in a namespace; the first call creates it with `settings`.
  // `metadata_only`: a full informer for the same resource is acceptable.
  std::shared_ptr<InformerCore> Get(const KindInfo& type, InformerSettings settings,
                                    bool metadata_only);
  // Returns the informer with the factory's own settings, if it exists; never creates one.
  [[nodiscard]] std::shared_ptr<InformerCore> Find(const KindInfo& type, bool metadata_only) const;
  // Returns the informers of the type's group and resource, in any version and form, whose scope is
  // that of the factory's own settings; without the placeholders for resources that are not cached.
  [[nodiscard]] std::vector<std::shared_ptr<InformerCore>> InformersOf(const KindInfo& type) const;
  // Returns the informers that have started and not stopped.
  [[nodiscard]] std::vector<std::shared_ptr<InformerCore>> Running() const;
  // Returns the informer for a type with the factory's options; the first call uses `make`.
  std::shared_ptr<InformerCore> GetOrMake(
      const KindInfo& type,
      const std::function<std::shared_ptr<InformerCore>(Duration resync)>& make);
  // Returns a reader from the server; empty: the type is cached.
  [[nodiscard]] std::optional<LiveReader> LiveReaderOf(const KindInfo& type) const;
  // Returns the position of the first of `types` that the server has.
  [[nodiscard]] Result<std::size_t> FirstServed(const std::vector<const KindInfo*>& types) const;

  [[nodiscard]] std::vector<FactoryInformerStats> Stats() const;

  void Start();
  Result<void> WaitForCacheSync(const std::stop_token& stop, const SyncWaitOptions& options);
  Result<void> WaitForHandlersSync(const std::stop_token& stop, std::optional<Duration> timeout);
  Result<void> WaitUntilCurrent(const std::stop_token& stop, std::optional<Duration> timeout,
                                std::optional<SteadyTime> since);
  // Returns the names of running informers that are not known to have had all at that time.
  [[nodiscard]] std::vector<std::string> NotCurrentSince(SteadyTime when) const;
  void Shutdown();
  void Release(const std::shared_ptr<InformerCore>& informer);

 private:
  struct Impl;
  internal::Pimpl<Impl> impl_;
};

}  // namespace internal

// Shares informers. Holds a handle on each until Shutdown or Release. Thread-safe. Not copyable:
// pass it by reference.
//
// All informers of one resource and namespace share one watch and one store. Metadata informers use
// the full informer of their resource if it exists. Go's accessors,
// factory.Core().V1().Pods().Informer(), need factory_accessors.h. Counterpart:
// informers.SharedInformerFactory, dynamicinformer and metadatainformer in one.
class SharedInformerFactory : public accessors::Groups, private internal::FactoryMisuse {
 public:
  using FactoryMisuse::ForResource;
  using FactoryMisuse::InformerFor;
  using FactoryMisuse::MetadataInformerFor;
  using FactoryMisuse::Release;
  using FactoryMisuse::Start;
  using FactoryMisuse::WaitForCacheSync;
  using FactoryMisuse::WaitForHandlersSync;

  explicit SharedInformerFactory(const Client& client, SharedInformerFactoryOptions options = {});
  // Creates a factory over any source of ListerWatchers.
  explicit SharedInformerFactory(std::shared_ptr<ListerWatcherProvider> provider,
                                 SharedInformerFactoryOptions options = {});
  template <class Options>
    requires(!std::convertible_to<const Options&, SharedInformerFactoryOptions>)
  SharedInformerFactory(const Client& client, const Options& /*options*/)
      : SharedInformerFactory(client) {
    internal::ExplainFactoryOptions<Options>();
  }
  template <class Wrong, class... Rest>
    requires(!std::convertible_to<Wrong &&, const Client&> &&
             !std::convertible_to<Wrong &&, std::shared_ptr<ListerWatcherProvider>> &&
             !std::same_as<std::remove_cvref_t<Wrong>, SharedInformerFactory>)
  explicit SharedInformerFactory(Wrong&& wrong, const Rest&... /*rest*/)
      : SharedInformerFactory(internal::NoClient(wrong)) {}
  ~SharedInformerFactory();                                      // Shutdown
  SharedInformerFactory(const SharedInformerFactory&) = delete;  // share it: std::shared_ptr
  SharedInformerFactory& operator=(const SharedInformerFactory&) = delete;

  // Returns the informer for T. The first call creates it; later calls return the same one and add
  // missing indexes. Options that select other objects, or keep other fields, lead to another
  // informer: one for each selector; a request for more fields than a running informer keeps
  // (drop_managed_fields, projection) gets a new one, and a request for fewer gets one that keeps
  // everything. Other options of later calls have no effect; those that differ from the informer's
  // are logged, each once.
  template <KnownKind T>
  SharedInformer<T> InformerFor(InformerOptions<T> options = {}) {
    return Typed<T>(T::kind_info(), std::move(options), false);
  }

  // Returns the informer for T, created by the caller's function, which gets the resync period that
  // the factory would use. If an informer for T exists, returns it unchanged. Counterpart:
  // InformerFor(obj, newFunc).
  template <KnownKind T, std::convertible_to<std::function<SharedInformer<T>(Duration)>> Make>
  SharedInformer<T> InformerFor(const Make& make) {
    const std::function<SharedInformer<T>(Duration)> function = make;
    return SharedInformer<T>(core_->GetOrMake(
        T::kind_info(), [&function](Duration resync) { return function(resync).core(); }));
  }

  // Return an informer of any resource, whose objects are JSON; `kind` and scope come from
  // discovery or are known to the caller. Counterpart: dynamicinformer's ForResource. Needs
  // unstructured.h.
  SharedInformer<Unstructured> ForResource(const RestMapping& mapping,
                                           InformerOptions<Unstructured> options);
  SharedInformer<Unstructured> ForResource(const RestMapping& mapping);
  SharedInformer<Unstructured> ForResource(const GroupVersionResource& resource,
                                           std::string_view kind, bool namespaced,
                                           InformerOptions<Unstructured> options);
  SharedInformer<Unstructured> ForResource(const GroupVersionResource& resource,
                                           std::string_view kind, bool namespaced = true);

  // Return an informer of the metadata of any resource. Counterpart: metadatainformer's
  // ForResource. Needs partial_object_metadata.h.
  SharedInformer<metav1::PartialObjectMetadata> MetadataInformerFor(
      const GroupVersionResource& resource, std::string_view kind, bool namespaced = true);
  SharedInformer<metav1::PartialObjectMetadata> MetadataInformerFor(
      const GroupVersionResource& resource, std::string_view kind, bool namespaced,
      InformerOptions<metav1::PartialObjectMetadata> options);
  template <KnownKind T, class Metadata = metav1::PartialObjectMetadata>
  SharedInformer<Metadata> MetadataInformerFor(InformerOptions<Metadata> options = {}) {
    const KindInfo& t = T::kind_info();
    return Typed<Metadata>(
        *internal::MetadataKindInfo(t.group, t.version, t.kind, t.resource, t.namespaced),
        std::move(options), true);
  }

  // Returns a reader of T: from the cache of InformerFor<T>(), which it creates if necessary, or
  // from the server if T is not cached (ResourceCacheOptions::cached). Without cache and Client,
  // every read is kInvalidArgument.
  template <KnownKind T>
  Reader<T> ReaderFor() {
    if (auto live = core_->LiveReaderOf(T::kind_info())) return Reader<T>(*std::move(live));
    return Reader<T>(InformerFor<T>().lister());
  }
  // Does the same for a resource that is known only by name. Needs unstructured.h.
  Reader<Unstructured> ReaderFor(const RestMapping& mapping);

  // Returns the informer for the first of these types that the server has: give the versions of a
  // resource that the program supports, best first. Each type has its own options.
  //
  //   auto scalers = factory.InformerForFirstServed<autoscalingv2::HorizontalPodAutoscaler,
  //                                                 autoscalingv1::HorizontalPodAutoscaler>();
  //   std::visit([](auto& informer) { ... }, *scalers);
  //
  // Blocks for the first question to the server (discovery.h). kNotFound: it has none of them; a
  // CRD may be created later: call again, or use InformerFor one of them, which waits for it.
  // kServiceUnavailable: one is uncertain, and it has no other. kWouldDeadlock: on a loop's thread.
  // Other errors are those of the request: call again. An informer keeps its version. If an upgrade
  // of the server removes that version, the informer is kAbsent: invalidate the discovery, call
  // again, and Release the old one.
  template <KnownKind... Ts>
    requires(sizeof...(Ts) > 0)
  Result<std::variant<SharedInformer<Ts>...>> InformerForFirstServed(
      std::tuple<InformerOptions<Ts>...> options = {}) {
    const Result<std::size_t> first = core_->FirstServed({&Ts::kind_info()...});
    if (!first) return first.error();
    return Chosen<Ts...>(*first, std::move(options), std::index_sequence_for<Ts...>());
  }

  // Starts the informers that were not started yet. Returns at once. Call it again for informers
  // that were created later; a stopped informer is not restarted.
  void Start() { core_->Start(); }

  // Blocks until all started informers are synced. Otherwise the error names those that are not,
  // each with its last error: kCanceled (`stop` was requested), kDeadlineExceeded, kStopped (one
  // was stopped), kNotSynced (at once: the factory, or the awaited informer, was not started),
  // kWouldDeadlock (called on the loop thread); with fail_fast, an error of the server that waiting
  // does not cure.
  Result<void> WaitForCacheSync(const std::stop_token& stop = {}, SyncWaitOptions options = {}) {
    return core_->WaitForCacheSync(stop, options);
  }

  // Blocks until all handlers of all started informers are synced; see
  // SharedInformer::WaitForHandlersSync. `timeout` is for all together.
  Result<void> WaitForHandlersSync(const std::stop_token& stop = {},
                                   std::optional<Duration> timeout = {}) {
    return core_->WaitForHandlersSync(stop, timeout);
  }

  // Blocks until each started informer has all that the server had when this was called; see
  // SharedInformer::WaitUntilCurrent. `since`: an informer that is known to have had all at that
  // time, or later, does not ask. If the server refuses for one, the others are waited for.
  Result<void> WaitUntilCurrent(const std::stop_token& stop = {},
                                std::optional<Duration> timeout = {},
                                std::optional<SteadyTime> since = {}) {
    return core_->WaitUntilCurrent(stop, timeout, since);
  }

  // Returns the figures of all informers, started or not, by their apiVersions and resources.
  [[nodiscard]] std::vector<FactoryInformerStats> Stats() const { return core_->Stats(); }

  // Stops all informers, releases the handles on them, and blocks until their work has ended: no
  // callback runs afterwards, except the one that calls this. Informers with other handles stay
  // readable. May be called again.
  void Shutdown() { core_->Shutdown(); }

  // Releases the factory's handle on one informer, which stops if there is no other handle.
  template <class T>
  void Release(const SharedInformer<T>& informer) {
    core_->Release(informer.core());
  }

  [[nodiscard]] internal::FactoryCore& core() const { return *core_; }

 private:
  template <class T>
  SharedInformer<T> Typed(const KindInfo& type, InformerOptions<T> options, bool metadata_only) {
    auto core = core_->Get(type, internal::SettingsOf(options), metadata_only);
    core->LogIfError(internal::AddMissingIndexers<T>(*core, std::move(options.indexers)));
    return SharedInformer<T>(std::move(core));
  }

  // Returns the informer for the type at position `place`.
  template <class... Ts, std::size_t... At>
  std::variant<SharedInformer<Ts>...> Chosen(std::size_t place,
                                             std::tuple<InformerOptions<Ts>...> options,
                                             std::index_sequence<At...>) {
    std::optional<std::variant<SharedInformer<Ts>...>> chosen;
    const auto take = [&]<std::size_t I>(std::in_place_index_t<I> in_place) {
      if (I != place) return;
      using T = std::tuple_element_t<I, std::tuple<Ts...>>;
      chosen.emplace(in_place, InformerFor<T>(std::get<I>(std::move(options))));
    };
    (take(std::in_place_index<At>), ...);
    return *std::move(chosen);
  }

  internal::Pimpl<internal::FactoryCore> core_;
};

// Counterpart: informers.NewSharedInformerFactory.
inline SharedInformerFactory NewSharedInformerFactory(const Client& client,
                                                      Duration default_resync) {
  return SharedInformerFactory(client, {.default_resync = default_resync});
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_SHARED_INFORMER_FACTORY_H_
