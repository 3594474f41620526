// kinformer/dynamic_shared_informer_factory.h
//
// DynamicSharedInformerFactory: informers of resources that are known only by name at run time.
// Kind and scope are asked from the server's discovery.
//
//   DynamicSharedInformerFactory factory(client);
//   SharedInformer<Unstructured> widgets =
//       factory.ForResource({"example.com", "v1", "widgets"}).OrExit();

#ifndef KINFORMER_DYNAMIC_SHARED_INFORMER_FACTORY_H_
#define KINFORMER_DYNAMIC_SHARED_INFORMER_FACTORY_H_

#include <stop_token>
#include <string_view>
#include <utility>

#include "kinformer/client.h"
#include "kinformer/discovery.h"
#include "kinformer/shared_informer_factory.h"
#include "kinformer/unstructured.h"

namespace kinformer {

// Thread-safe. A SharedInformerFactory whose types come from discovery; the rest is documented
// there. Counterpart: dynamicinformer.DynamicSharedInformerFactory.
class DynamicSharedInformerFactory {
 public:
  explicit DynamicSharedInformerFactory(const Client& client,
                                        SharedInformerFactoryOptions options = {})
      : client_(client), factory_(client, std::move(options)) {}

  // The informer of a resource. Blocks for the first question to the server. kNotFound if it does
  // not serve the resource (a CRD may come later: ask again, or name kind and scope);
  // kWouldDeadlock on the loop thread.
  Result<SharedInformer<Unstructured>> ForResource(const GroupVersionResource& resource,
                                                   InformerOptions<Unstructured> options = {}) {
    Result<RestMapping> mapping = client_.Discovery().MappingFor(resource);
    if (!mapping) return std::move(mapping).error();
    return factory_.ForResource(*mapping, std::move(options));
  }

  // The informer of a resource that the server may not have yet; asks nobody. While there is no
  // such resource it is not synced, and its state is kAbsent; it is synced some seconds after its
  // CRD has come.
  SharedInformer<Unstructured> ForResource(const GroupVersionResource& resource,
                                           std::string_view kind, bool namespaced,
                                           InformerOptions<Unstructured> options = {}) {
    return factory_.ForResource(resource, kind, namespaced, std::move(options));
  }

  void Start() { factory_.Start(); }
  Result<void> WaitForCacheSync(const std::stop_token& stop = {}, SyncWaitOptions options = {}) {
    return factory_.WaitForCacheSync(stop, options);
  }
  void Shutdown() { factory_.Shutdown(); }

 private:
  Client client_;
  SharedInformerFactory factory_;
};

}  // namespace kinformer

#endif  // KINFORMER_DYNAMIC_SHARED_INFORMER_FACTORY_H_
