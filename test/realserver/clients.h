// test/realserver/clients.h
//
// Common functions of the suites with the real kube-apiserver.

#ifndef KINFORMER_TEST_REALSERVER_CLIENTS_H_
#define KINFORMER_TEST_REALSERVER_CLIENTS_H_

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <thread>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/resource_client.h"

#include "realserver/real_server.h"

namespace kinformer::testing {

// Returns a client of the administrator.
inline Client NewClient(const RealServer& server, bool json = false) {
  const Config config = Config::FromKubeconfigFile(server.kubeconfig()).OrExit();
  return Client::NewForConfig(config, {.qps = -1, .prefer_json = json}).OrExit();
}

inline bool Eventually(const std::function<bool()>& holds,
                       std::chrono::seconds limit = std::chrono::seconds(60)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

inline corev1::ConfigMap::Mutable NewConfigMap(const std::string& name, const std::string& value) {
  corev1::ConfigMap::Mutable map;
  map.metadata.name = name;
  map.metadata.labels["suite"] = "realserver";
  map.data["value"] = value;
  return map;
}

inline void MakeNamespace(const Client& client, const std::string& name) {
  corev1::Namespace::Mutable ns;
  ns.metadata.name = name;
  const auto made = client.For<corev1::Namespace>().Create(ns);
  ASSERT_TRUE(made || IsAlreadyExists(made.error())) << made.error();
}

// resourceVersions by name: of the server (OnServer) and of the informer's cache (InCache).
inline std::map<std::string, std::string> OnServer(const Client& client, const std::string& ns) {
  std::map<std::string, std::string> out;
  auto listed = client.For<corev1::ConfigMap>(ns).List();
  EXPECT_TRUE(listed) << listed.error();
  if (!listed) return out;
  for (corev1::ConfigMap map : *listed) {
    out[std::string(map.metadata().name())] = map.metadata().resourceVersion();
  }
  return out;
}
inline std::map<std::string, std::string> InCache(
    const SharedInformer<corev1::ConfigMap>& informer) {
  std::map<std::string, std::string> out;
  const auto snapshot = informer.Snapshot();
  for (corev1::ConfigMap map : snapshot) {
    out[std::string(map.metadata().name())] = map.metadata().resourceVersion();
  }
  return out;
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_REALSERVER_CLIENTS_H_
