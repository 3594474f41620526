// LoopFollower: an informer in a host's loop, and a server that changes beside it.

#ifndef KINFORMER_TEST_INTEROP_LOOP_FOLLOWER_H_
#define KINFORMER_TEST_INTEROP_LOOP_FOLLOWER_H_

#include <atomic>
#include <cstddef>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {

// A server on a socket with one ConfigMap, on threads of its own.
class SocketServer {
 public:
  SocketServer() {
    server_.Listen().OrExit();
    Put("first");
  }
  void Put(const std::string& name) {
    json::Value map = json::Value::MakeObject({{"apiVersion", "v1"}, {"kind", "ConfigMap"}});
    map.Ensure("metadata", "name") = name;
    map.Ensure("metadata", "namespace") = "default";
    server_.Create({"", "v1", "configmaps"}, std::move(map)).OrExit();
  }
  [[nodiscard]] Config ClientConfig() const {
    return Config::FromKubeconfig(server_.kubeconfig()).OrExit();
  }

 private:
  ApiServer server_;
};

// Created and destroyed on the host's thread. Counts what its handler is told.
class LoopFollower {
 public:
  LoopFollower(Runtime& runtime, const Config& config)
      : client_(Client::NewForConfig(runtime.env(), config).OrExit()),
        factory_(client_),
        informer_(factory_.InformerFor<corev1::ConfigMap>()),
        handler_(
            informer_
                .AddEventHandler({.on_add = [this](const Added<corev1::ConfigMap>&) { ++told_; }})
                .OrExit()
                .Scoped()) {
    factory_.Start();
  }
  [[nodiscard]] bool HasSynced() const { return informer_.HasSynced(); }
  [[nodiscard]] std::size_t told() const { return told_; }

 private:
  std::atomic<std::size_t> told_ = 0;
  Client client_;
  SharedInformerFactory factory_;
  SharedInformer<corev1::ConfigMap> informer_;
  EventHandlerRegistration::ScopedRegistration handler_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEROP_LOOP_FOLLOWER_H_
