// kinformer/shared_informer_factory.h
//
// SharedInformerFactory: one informer per resource for a whole program, however many parts of it
// ask.
//
//   SharedInformerFactory factory(client);
//   SharedInformer<corev1::Pod> pods = factory.InformerFor<corev1::Pod>();
//   Lister<corev1::Node> nodes = factory.InformerFor<corev1::Node>().lister();
//   factory.Start();
//   factory.WaitForCacheSync(stop.token()).OrExit();
//
// factory_options.h says what holds for all of them, or for those of one resource.
// Go's accessors, factory.Core().V1().Pods().Informer(), are in factory_accessors.h.

#ifndef KINFORMER_SHARED_INFORMER_FACTORY_H_
#define KINFORMER_SHARED_INFORMER_FACTORY_H_

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kinformer/client.h"
#include "kinformer/factory_options.h"
#include "kinformer/internal/factory_groups.h"
#include "kinformer/internal/factory_misuse.h"
#include "kinformer/internal/live_reader.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/object_name.h"
#include "kinformer/reader.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/shared_informer.h"

namespace kinformer {

struct RestMapping;  // discovery.h
class Unstructured;  // unstructured.h

namespace metav1 {
class PartialObjectMetadata;  // partial_object_metadata.h
}  // namespace metav1

namespace internal {

// What all instances of the templates share.
class FactoryCore {
 public:
  // `client`: for what informers do not do; empty: they must do.
  FactoryCore(std::shared_ptr<ListerWatcherProvider> provider, std::optional<Client> client,
              SharedInformerFactoryOptions options);
  ~FactoryCore();
  FactoryCore(const FactoryCore&) = delete;
  FactoryCore& operator=(const FactoryCore&) = delete;

  // The informer for a type in a namespace, made with `settings` by the first who asks.
  // `metadata_only`: a full informer for the same resource will do.
  std::shared_ptr<InformerCore> Get(const TypeInfo& type, InformerSettings settings,
                                    bool metadata_only);
  // The same with the factory's own settings, where somebody has asked for it; never makes one.
  [[nodiscard]] std::shared_ptr<InformerCore> Find(const TypeInfo& type, bool metadata_only) const;
  // Those of the type's group and resource, in any version and form, that look where the factory's
  // own settings say; not what stands for informers of what is not to be cached.
  [[nodiscard]] std::vector<std::shared_ptr<InformerCore>> InformersOf(const TypeInfo& type) const;
  // The informer for a type with the factory's own options, made by `make` for the first who asks.
  std::shared_ptr<InformerCore> GetOrMake(
      const TypeInfo& type,
      const std::function<std::shared_ptr<InformerCore>(Duration resync)>& make);
  // Empty: the type is cached.
  [[nodiscard]] std::optional<LiveReader> LiveReaderOf(const TypeInfo& type) const;
  // The place of the first of these that the server serves.
  [[nodiscard]] Result<std::size_t> FirstServed(const std::vector<const TypeInfo*>& types) const;

  void Start();
  Result<void> WaitForCacheSync(const std::stop_token& stop, const SyncWaitOptions& options);
  Result<void> WaitForHandlersSync(const std::stop_token& stop, std::optional<Duration> timeout);
  void Shutdown();
  void Release(const std::shared_ptr<InformerCore>& informer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace internal

// Owns one count on each of its informers until Shutdown or Release. Thread-safe. Not copyable:
// pass it by reference.
//
// All informers of one resource and namespace share one watch and one store. Metadata informers use
// the full informer of their resource where one exists.
// Go's accessors, factory.Core().V1().Pods().Informer(), need factory_accessors.h.
// Counterpart: informers.SharedInformerFactory, dynamicinformer and metadatainformer in one.
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
  // Over anything that makes ListerWatchers. For tests.
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

  // The informer for T. The first call makes it; later calls give the same one and add the indexes
  // that it lacks. Which objects they select makes another informer, for each selector, and so does
  // what they keep of them: who keeps more than a running informer does (drop_managed_fields,
  // projection) gets another one, and who keeps less is given one that keeps everything. Their
  // other options do nothing; those that are set to something else than the informer has are named
  // in the log, each once.
  template <KnownKind T>
  SharedInformer<T> InformerFor(InformerOptions<T> options = {}) {
    return Typed<T>(T::type_info(), std::move(options), false);
  }

  // The informer for T as made by a function of the caller's, which gets the resync period that the
  // factory would use. An informer for T that exists is returned as it is. Counterpart:
  // InformerFor(obj, newFunc).
  template <KnownKind T, std::convertible_to<std::function<SharedInformer<T>(Duration)>> Make>
  SharedInformer<T> InformerFor(const Make& make) {
    const std::function<SharedInformer<T>(Duration)> function = make;
    return SharedInformer<T>(core_->GetOrMake(
        T::type_info(), [&function](Duration resync) { return function(resync).core(); }));
  }

  // Objects of any resource as JSON; `kind` and scope come from discovery or from the caller's
  // knowledge.
  // Counterpart: dynamicinformer's ForResource. Needs unstructured.h.
  SharedInformer<Unstructured> ForResource(const RestMapping& mapping,
                                           InformerOptions<Unstructured> options);
  SharedInformer<Unstructured> ForResource(const RestMapping& mapping);
  SharedInformer<Unstructured> ForResource(const GroupVersionResource& resource,
                                           std::string_view kind, bool namespaced,
                                           InformerOptions<Unstructured> options);
  SharedInformer<Unstructured> ForResource(const GroupVersionResource& resource,
                                           std::string_view kind, bool namespaced = true);

  // The metadata of objects of any resource. Counterpart: metadatainformer's ForResource. Needs
  // partial_object_metadata.h.
  SharedInformer<metav1::PartialObjectMetadata> MetadataInformerFor(
      const GroupVersionResource& resource, std::string_view kind, bool namespaced = true);
  SharedInformer<metav1::PartialObjectMetadata> MetadataInformerFor(
      const GroupVersionResource& resource, std::string_view kind, bool namespaced,
      InformerOptions<metav1::PartialObjectMetadata> options);
  template <KnownKind T, class Metadata = metav1::PartialObjectMetadata>
  SharedInformer<Metadata> MetadataInformerFor(InformerOptions<Metadata> options = {}) {
    const internal::TypeInfo& t = T::type_info();
    return Typed<Metadata>(
        *internal::MetadataTypeInfo(t.group, t.version, t.kind, t.resource, t.namespaced),
        std::move(options), true);
  }

  // Reads the objects of T, from the cache of InformerFor<T>(), which this asks for, or from the
  // server where the options say that there is none (ResourceCacheOptions::cached). Every read is
  // kInvalidArgument where there is neither cache nor Client.
  template <KnownKind T>
  Reader<T> ReaderFor() {
    if (auto live = core_->LiveReaderOf(T::type_info())) return Reader<T>(*std::move(live));
    return Reader<T>(InformerFor<T>().lister());
  }
  // The same for a resource that is known by name only. Needs unstructured.h.
  Reader<Unstructured> ReaderFor(const RestMapping& mapping);

  // The informer for the first of these types that the server serves: the versions of a resource
  // that a program can work with, the best first. Each has its options.
  //
  //   auto scalers = factory.InformerForFirstServed<autoscalingv2::HorizontalPodAutoscaler,
  //                                                 autoscalingv1::HorizontalPodAutoscaler>();
  //   std::visit([](auto& informer) { ... }, *scalers);
  //
  // Blocks for the first question to the server (discovery.h). kNotFound: it serves none of them; a
  // CRD may come later: ask again, or take InformerFor one of them, which waits for it.
  // kServiceUnavailable: it cannot say of one of them, and serves no other. kWouldDeadlock: on a
  // loop's thread. Otherwise what went wrong with the question: ask again.
  // An informer stays with its version. Where an upgrade of the server ends that, it is kAbsent:
  // invalidate the discovery, ask again, and Release the old one.
  template <KnownKind... Ts>
    requires(sizeof...(Ts) > 0)
  Result<std::variant<SharedInformer<Ts>...>> InformerForFirstServed(
      std::tuple<InformerOptions<Ts>...> options = {}) {
    const Result<std::size_t> first = core_->FirstServed({&Ts::type_info()...});
    if (!first) return first.error();
    return Chosen<Ts...>(*first, std::move(options), std::index_sequence_for<Ts...>());
  }

  // Starts the informers that have not been started yet. Returns at once. Call it again for
  // informers that are asked for later; one that was stopped stays so.
  void Start() { core_->Start(); }

  // Blocks until all informers that were started are synced. Otherwise the error names those that
  // are not, and what went wrong with each last: kCanceled (stop was requested), kDeadlineExceeded,
  // kStopped (one was stopped), kNotSynced (at once: the factory, or the informer that is waited
  // for, was not started), kWouldDeadlock (called on the loop thread); with fail_fast, the server's
  // own error that waiting does not cure.
  Result<void> WaitForCacheSync(const std::stop_token& stop = {}, SyncWaitOptions options = {}) {
    return core_->WaitForCacheSync(stop, options);
  }

  // Blocks until all handlers of all informers that were started are synced; see
  // SharedInformer::WaitForHandlersSync. `timeout` is for all together.
  Result<void> WaitForHandlersSync(const std::stop_token& stop = {},
                                   std::optional<Duration> timeout = {}) {
    return core_->WaitForHandlersSync(stop, timeout);
  }

  // Stops all informers, gives up the counts on them, and blocks until nothing of them runs: no
  // callback is running afterwards, except the one that calls it. Informers whose handles others
  // hold stay readable. May be called again.
  void Shutdown() { core_->Shutdown(); }

  // Gives up the factory's count on one informer: it stops when nobody else has one.
  template <class T>
  void Release(const SharedInformer<T>& informer) {
    core_->Release(informer.core());
  }

  [[nodiscard]] internal::FactoryCore& core() const { return *core_; }

 private:
  template <class T>
  SharedInformer<T> Typed(const internal::TypeInfo& type, InformerOptions<T> options,
                          bool metadata_only) {
    auto core = core_->Get(type, internal::SettingsOf(options), metadata_only);
    core->LogIfError(internal::AddMissingIndexers<T>(*core, std::move(options.indexers)));
    return SharedInformer<T>(std::move(core));
  }

  // The informer for the type at that place.
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

  std::unique_ptr<internal::FactoryCore> core_;
};

// Counterpart: informers.NewSharedInformerFactory.
inline SharedInformerFactory NewSharedInformerFactory(const Client& client,
                                                      Duration default_resync) {
  return SharedInformerFactory(client, {.default_resync = default_resync});
}

}  // namespace kinformer

#endif  // KINFORMER_SHARED_INFORMER_FACTORY_H_
