// kinformer/internal/eviction_interface.h
//
// policyv1::EvictionInterface, the client that PolicyV1().Evictions(namespace) of a Clientset gives
// out.

#ifndef KINFORMER_INTERNAL_EVICTION_INTERFACE_H_
#define KINFORMER_INTERNAL_EVICTION_INTERFACE_H_

#include <string>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/typed_client.h"
#include "kinformer/internal/clientset_base.h"
#include "kinformer/internal/verb_list.h"

namespace kinformer {

namespace corev1 {
class Pod;  // api/corev1.h
}  // namespace corev1

namespace policyv1 {

// Evicts pods of one namespace. Copyable, thread-safe; blocks as every client. Counterpart:
// EvictionInterface of policy/v1.
class EvictionInterface {
 public:
  EvictionInterface(Client client, std::string namespace_)
      : client_(std::move(client)), scope_(std::move(namespace_)) {}

  // Does the same as CoreV1().Pods(namespace).EvictV1(eviction). Needs api/corev1.h and
  // api/policyv1_mutable.h.
  template <class M, class P = corev1::Pod>
  Result<void> Evict(const M& eviction, const CreateOptions& options = {},
                     const CallOptions& call = {}) const {
    static_assert(internal::HasClientsetHeader<P>,
                  "Evict needs the header of pods: #include \"kinformer/api/corev1.h\"");
    if constexpr (internal::HasClientsetHeader<P>) {
      return TypedClient<P, Verbs>(client_, scope_).EvictV1(eviction, options, call);
    } else {
      return {};
    }
  }

 private:
  struct Verbs {
    using List = internal::VerbList<internal::EvictionVerb>;
  };

  Client client_;
  std::string scope_;
};

}  // namespace policyv1
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_EVICTION_INTERFACE_H_
