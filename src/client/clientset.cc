#include "kinformer/client/clientset.h"

#include <string>
#include <string_view>
#include <utility>

#include "kinformer/client/config.h"
#include "kinformer/client/discovery.h"
#include "kinformer/internal/subresource_verbs.h"

namespace kinformer {

Result<Clientset> Clientset::NewForConfig(const Config& config, const ClientOptions& options) {
  Result<Client> client = Client::NewForConfig(config, options);
  if (!client) return std::move(client).error();
  return Clientset(*std::move(client));
}

Result<Clientset> Clientset::FromEnvironment(const ClientOptions& options) {
  Result<Client> client = Client::FromEnvironment(options);
  if (!client) return std::move(client).error();
  return Clientset(*std::move(client));
}

DiscoveryClient Clientset::Discovery() const { return client_.Discovery(); }

namespace internal {

std::string JoinSchemeNamePort(std::string_view scheme, std::string_view name,
                               std::string_view port) {
  std::string joined;
  if (!scheme.empty()) joined.append(scheme).append(":");
  joined.append(name);
  if (!scheme.empty() || !port.empty()) joined.append(":").append(port);
  return joined;
}

}  // namespace internal
}  // namespace kinformer
