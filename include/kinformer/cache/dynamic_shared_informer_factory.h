// kinformer/cache/dynamic_shared_informer_factory.h
//
// DynamicSharedInformerFactory: informers of resources whose names are known only at run time. Kind
// and scope come from the server's discovery.
//
//   DynamicSharedInformerFactory factory(client);
//   SharedInformer<Unstructured> widgets =
//       factory.ForResource({"example.com", "v1", "widgets"}).OrExit();
//   // At the version that the server prefers.
//   SharedInformer<Unstructured> gadgets = factory.ForResource("gadgets.example.com").OrExit();

#ifndef KINFORMER_CACHE_DYNAMIC_SHARED_INFORMER_FACTORY_H_
#define KINFORMER_CACHE_DYNAMIC_SHARED_INFORMER_FACTORY_H_

#include <optional>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/cache/reader.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {

// A SharedInformerFactory whose types come from discovery; see there for the rest. Thread-safe.
// Methods that ask the server block for the first question (discovery.h), and are kWouldDeadlock on
// a loop's thread. Counterpart: dynamicinformer.DynamicSharedInformerFactory.
class DynamicSharedInformerFactory {
 public:
  explicit DynamicSharedInformerFactory(const Client& client,
                                        SharedInformerFactoryOptions options = {})
      : client_(client), factory_(client, std::move(options)) {}

  // Returns the informer of a resource. Asks the server; kNotFound if it does not have the resource
  // (a CRD may be created later: call again, or give kind and scope).
  Result<SharedInformer<Unstructured>> ForResource(const GroupVersionResource& resource,
                                                   InformerOptions<Unstructured> options = {}) {
    return ForMapping(client_.Discovery().MappingFor(resource), std::move(options));
  }
  // Returns the informer of a resource by its typed name: "widgets.example.com",
  // "Widget.example.com", "widgets.v1.example.com", "po". Without a version, it uses the version
  // that the server prefers now, and does not change it later.
  Result<SharedInformer<Unstructured>> ForResource(std::string_view name,
                                                   InformerOptions<Unstructured> options = {}) {
    return ForMapping(client_.Discovery().MappingFor(name), std::move(options));
  }
  // Returns the informer of the first of `resources` that the server has: give the versions that
  // the program supports, best first. Errors: those of DiscoveryClient::FirstServed; see
  // SharedInformerFactory::InformerForFirstServed.
  Result<SharedInformer<Unstructured>> ForFirstServed(
      const std::vector<GroupVersionResource>& resources,
      InformerOptions<Unstructured> options = {}) {
    return ForMapping(client_.Discovery().FirstServed(resources), std::move(options));
  }

  // Returns the informer of a resource that may not exist yet; does not ask the server. While the
  // resource is missing, the informer is not synced and its state is kAbsent; it syncs some seconds
  // after the CRD was created.
  SharedInformer<Unstructured> ForResource(const GroupVersionResource& resource,
                                           std::string_view kind, bool namespaced,
                                           InformerOptions<Unstructured> options = {}) {
    return factory_.ForResource(resource, kind, namespaced, std::move(options));
  }

  // Returns a reader of a resource, of the place the options name. Asks the server as ForResource.
  Result<Reader<Unstructured>> ReaderFor(const GroupVersionResource& resource) {
    Result<RestMapping> mapping = client_.Discovery().MappingFor(resource);
    if (!mapping) return std::move(mapping).error();
    return factory_.ReaderFor(*mapping);
  }

  void Start() { factory_.Start(); }
  Result<void> WaitForCacheSync(const std::stop_token& stop = {}, SyncWaitOptions options = {}) {
    return factory_.WaitForCacheSync(stop, options);
  }
  Result<void> WaitForHandlersSync(const std::stop_token& stop = {},
                                   std::optional<Duration> timeout = {}) {
    return factory_.WaitForHandlersSync(stop, timeout);
  }
  Result<void> WaitUntilCurrent(const std::stop_token& stop = {},
                                std::optional<Duration> timeout = {},
                                std::optional<SteadyTime> since = {}) {
    return factory_.WaitUntilCurrent(stop, timeout, since);
  }
  void Shutdown() { factory_.Shutdown(); }
  void Release(const SharedInformer<Unstructured>& informer) { factory_.Release(informer); }

 private:
  Result<SharedInformer<Unstructured>> ForMapping(const Result<RestMapping>& mapping,
                                                  InformerOptions<Unstructured> options) {
    if (!mapping) return mapping.error();
    return factory_.ForResource(*mapping, std::move(options));
  }

  Client client_;
  SharedInformerFactory factory_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_DYNAMIC_SHARED_INFORMER_FACTORY_H_
