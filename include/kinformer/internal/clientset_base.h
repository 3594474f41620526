// kinformer/internal/clientset_base.h
//
// Bases of what the generator writes for a Clientset.

#ifndef KINFORMER_INTERNAL_CLIENTSET_BASE_H_
#define KINFORMER_INTERNAL_CLIENTSET_BASE_H_

#include <string>
#include <string_view>
#include <utility>

#include "kinformer/client/client.h"

namespace kinformer {

class RestClient;  // client/rest_request.h

namespace internal {

template <class V>
concept HasClientsetHeader = requires { sizeof(V); };

// Holds the Client of a Clientset.
class ClientsetBase {
 protected:
  explicit ClientsetBase(Client client) : client_(std::move(client)) {}
  ~ClientsetBase() = default;
  ClientsetBase(const ClientsetBase&) = default;
  ClientsetBase& operator=(const ClientsetBase&) = default;
  ClientsetBase(ClientsetBase&&) = default;
  ClientsetBase& operator=(ClientsetBase&&) = default;

  Client client_;
};

// One version of a group. Copyable, thread-safe. Counterpart: CoreV1Interface and its kin.
class VersionInterface : public ClientsetBase {
 public:
  explicit VersionInterface(Client client) : ClientsetBase(std::move(client)) {}

 protected:
  // Returns a client for requests that have no method. R is RestClient.
  template <class R>
  [[nodiscard]] auto RestClientFor(std::string_view group, std::string_view version) const {
    static_assert(HasClientsetHeader<R>,
                  "RESTClient needs its header: #include \"kinformer/client/rest_request.h\"");
    if constexpr (HasClientsetHeader<R>) {
      return R(client_, {std::string(group), std::string(version)});
    }
  }
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_CLIENTSET_BASE_H_
