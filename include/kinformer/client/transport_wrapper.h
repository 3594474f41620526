// kinformer/client/transport_wrapper.h
//
// Wrappers of the transport that a client makes from a Config: for a header in every request, a
// trace, or a fault in a test. ForwardingTransport: base of the transports that they return.
// NewAuthProxyRoundTripper: the one of a proxy that authenticates users itself.
//
//   struct TenantHeader final : ForwardingTransport {
//     using ForwardingTransport::ForwardingTransport;
//     std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
//       request.headers.Add("X-Tenant", "shop");
//       return inner().Start(std::move(request), receiver);
//     }
//   };
//
//   Config config = Config::LoadDefault().OrExit();
//   config.Wrap([](auto inner) { return std::make_shared<TenantHeader>(inner); });
//   Client client = Client::NewForConfig(config).OrExit();

#ifndef KINFORMER_CLIENT_TRANSPORT_WRAPPER_H_
#define KINFORMER_CLIENT_TRANSPORT_WRAPPER_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"
#include "kinformer/internal/callable.h"

namespace kinformer {

namespace internal {
struct WrapperWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(
        kFits,
        "a wrapper is called with a std::shared_ptr<Transport>, and returns it or another "
        "one: [](auto inner) { return std::make_shared<Mine>(inner); }");
  }
};
}  // namespace internal

// Returns the transport to use in place of `inner`: most often one that keeps it. Called once for
// each client that is made, on the thread that makes it. Counterpart: transport.WrapperFunc.
using WrapperFunc = internal::Callable<std::shared_ptr<Transport>(std::shared_ptr<Transport> inner),
                                       internal::WrapperWords>;

// A Transport that hands everything to `inner`, which it keeps: override what is to differ.
// Loop-confined as every Transport, but for its construction.
//
// It sees what the client sends, before the network transport adds the credentials and the
// impersonation of the Config: a request that has such a header keeps its own. Each attempt of a
// request is a request of its own. To see answers too, hand a receiver of your own to `inner`, and
// keep it in the HttpCall that you return.
class ForwardingTransport : public Transport {
 public:
  explicit ForwardingTransport(std::shared_ptr<Transport> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] std::unique_ptr<HttpCall> Start(HttpRequest request,
                                                ResponseReceiver& receiver) override {
    return inner_->Start(std::move(request), receiver);
  }
  [[nodiscard]] TransportStats Stats() const override { return inner_->Stats(); }
  [[nodiscard]] std::string Describe() const override { return inner_->Describe(); }

 protected:
  [[nodiscard]] Transport& inner() const { return *inner_; }

 private:
  const std::shared_ptr<Transport> inner_;
};

// A user for whom an authenticating proxy sends a request.
struct RemoteUser {
  std::string name{};
  std::string uid{};
  std::vector<std::string> groups{};
  std::map<std::string, std::vector<std::string>> extra{};
};

// Puts the user into the headers X-Remote-User, -Uid, -Group and -Extra-KEY, in place of all that
// the request has of these. A server believes them if the connection shows a certificate of its
// --requestheader-client-ca-file. Counterpart: transport.SetAuthProxyHeaders.
void SetAuthProxyHeaders(HttpRequest& request, const RemoteUser& user);

// Returns a transport that does this to each request. Counterpart:
// transport.NewAuthProxyRoundTripper.
std::shared_ptr<Transport> NewAuthProxyRoundTripper(RemoteUser user,
                                                    std::shared_ptr<Transport> inner);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_TRANSPORT_WRAPPER_H_
