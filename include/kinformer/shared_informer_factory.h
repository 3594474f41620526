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
// Go's accessors, factory.Core().V1().Pods().Informer(), are in factory_accessors.h.

#ifndef KINFORMER_SHARED_INFORMER_FACTORY_H_
#define KINFORMER_SHARED_INFORMER_FACTORY_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client.h"
#include "kinformer/internal/factory_groups.h"
#include "kinformer/list_options.h"
#include "kinformer/namespace_scope.h"
#include "kinformer/object_name.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/shared_informer.h"

namespace kinformer {

struct RestMapping;  // discovery.h
class Unstructured;  // unstructured.h

namespace metav1 {
class PartialObjectMetadata;  // partial_object_metadata.h
}  // namespace metav1

// Counterpart: informers.SharedInformerOption (WithNamespace, WithTweakListOptions,
// WithCustomResyncConfig).
struct SharedInformerFactoryOptions {
  std::string namespace_{};  // empty: all namespaces
  // Of informers that name no namespace of their own: see InformerOptions.
  std::vector<std::string> namespaces{};
  IfForbidden if_forbidden{};
  // Changes the options of every list and watch, with the same selectors each time. Called on the
  // loop, and once more at each start of an informer, which learns in this way what its cache
  // leaves out.
  std::function<void(ListOptions&)> tweak_list_options{};
  Duration default_resync{0};  // of informers that do not say otherwise; 0: never
  std::map<GroupVersionResource, Duration> resync{};  // per resource, before default_resync
  // Of every informer that does not set its own.
  std::function<void(const TraceEvent&)> trace{};
};

namespace internal {

// What all instances of the templates share.
class FactoryCore {
 public:
  FactoryCore(std::shared_ptr<ListerWatcherProvider> provider,
              SharedInformerFactoryOptions options);
  ~FactoryCore();
  FactoryCore(const FactoryCore&) = delete;
  FactoryCore& operator=(const FactoryCore&) = delete;

  // The informer for a type in a namespace, made with `settings` by the first who asks.
  // `metadata_only`: a full informer for the same resource will do.
  std::shared_ptr<InformerCore> Get(const TypeInfo& type, InformerSettings settings,
                                    bool metadata_only);
  // The informer for a type in the factory's own namespace, made by `make` for the first who asks.
  std::shared_ptr<InformerCore> GetOrMake(
      const TypeInfo& type,
      const std::function<std::shared_ptr<InformerCore>(Duration resync)>& make);

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
class SharedInformerFactory : public accessors::Groups {
 public:
  explicit SharedInformerFactory(const Client& client, SharedInformerFactoryOptions options = {});
  // Over anything that makes ListerWatchers. For tests.
  explicit SharedInformerFactory(std::shared_ptr<ListerWatcherProvider> provider,
                                 SharedInformerFactoryOptions options = {});
  ~SharedInformerFactory();  // Shutdown

  // The informer for T. The first call makes it; later calls give the same one and add the indexes
  // that it lacks, while their other options are not looked at, except which objects they select
  // (another informer for each selector) and what they keep of them: who keeps more than a running
  // informer does (drop_managed_fields, projection) gets another one, and who keeps less is given
  // one that keeps everything.
  template <kinformer::Resource T>
  SharedInformer<T> InformerFor(InformerOptions<T> options = {}) {
    return Typed<T>(T::type_info(), std::move(options), false);
  }

  // The informer for T as made by a function of the caller's, which gets the resync period that the
  // factory would use. An informer for T that exists is returned as it is. Counterpart:
  // InformerFor(obj, newFunc).
  template <kinformer::Resource T>
  SharedInformer<T> InformerFor(const std::function<SharedInformer<T>(Duration resync)>& make) {
    return SharedInformer<T>(
        core_->GetOrMake(T::type_info(), [&make](Duration resync) { return make(resync).core(); }));
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
  template <kinformer::Resource T, class Metadata = metav1::PartialObjectMetadata>
  SharedInformer<Metadata> MetadataInformerFor(InformerOptions<Metadata> options = {}) {
    const internal::TypeInfo& t = T::type_info();
    return Typed<Metadata>(
        *internal::MetadataTypeInfo(t.group, t.version, t.kind, t.resource, t.namespaced),
        std::move(options), true);
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

 private:
  template <class T>
  SharedInformer<T> Typed(const internal::TypeInfo& type, InformerOptions<T> options,
                          bool metadata_only) {
    auto core = core_->Get(type, internal::SettingsOf(options), metadata_only);
    core->LogIfError(internal::AddMissingIndexers<T>(*core, std::move(options.indexers)));
    return SharedInformer<T>(std::move(core));
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
