// kinformer/client/clientset.h
//
// Clientset: client-go's way to the built-in resources, each with the verbs that the API has.
//
//   #include "kinformer/client/clientset.h"
//   #include "kinformer/clientset/appsv1.h"  // what AppsV1() returns
//   #include "kinformer/clientset/corev1.h"
//   ...
//   const Clientset clientset = Clientset::NewForConfig(config).OrExit();
//   auto pods = clientset.CoreV1().Pods("default").List().OrExit();
//   clientset.AppsV1().Deployments("default").Delete("web").OrExit();
//
// docs/guide/clientset.md has the verbs.

#ifndef KINFORMER_CLIENT_CLIENTSET_H_
#define KINFORMER_CLIENT_CLIENTSET_H_

#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/internal/clientset_versions.h"

namespace kinformer {

// A copyable handle: names over a Client, whose connections and limits it shares. Thread-safe;
// methods block only where they say so. What CoreV1() and the others return is in
// kinformer/clientset/corev1.h and so on: a program pays for the versions that it includes.
// Counterpart: kubernetes.Clientset, and those of apiextensions, kube-aggregator and metrics.
class Clientset : public internal::ClientsetVersions {
 public:
  explicit Clientset(Client client) : ClientsetVersions(std::move(client)) {}
  // Create a clientset and its Client, as the functions of Client.
  static Result<Clientset> NewForConfig(const Config& config, const ClientOptions& options = {});
  static Result<Clientset> FromEnvironment(const ClientOptions& options = {});

  [[nodiscard]] const Client& client() const { return client_; }
  // Returns the resources that the server has. Needs discovery.h.
  [[nodiscard]] DiscoveryClient Discovery() const;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_CLIENTSET_H_
