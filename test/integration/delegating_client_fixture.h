// test/integration/delegating_client_fixture.h
//
// DelegatingClientTest: a DelegatingClient with the embedded API server in simulated time, whose
// watches can be delayed.

#ifndef KINFORMER_TEST_INTEGRATION_DELEGATING_CLIENT_FIXTURE_H_
#define KINFORMER_TEST_INTEGRATION_DELEGATING_CLIENT_FIXTURE_H_

#include <algorithm>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/testing/api_server.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::testing {

inline const RestMapping kMaps{{"", "v1", "configmaps"}, {"", "v1", "ConfigMap"}, true};

class DelegatingClientTest : public ::testing::Test {
 protected:
  using ConfigMap = corev1::ConfigMap;
  using Pod = corev1::Pod;
  static constexpr std::chrono::seconds kLag{2};

  void Run(Closure body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(10)));
  }

  // Delays all events of watches that begin from now on, by at most `lag`.
  void Lag(const std::string& resource, Duration lag = kLag) {
    server_.faults().Clear();
    server_.faults().Add({.verb = "watch",
                          .resource = resource,
                          .action = apiserver::FaultAction::kDrip,
                          .delay = lag});
  }
  // Replaces the factory and the client.
  void Use(SharedInformerFactoryOptions factory, DelegatingClientOptions options = {}) {
    factory_ = std::make_shared<SharedInformerFactory>(client_, std::move(factory));
    cached_ = DelegatingClient(client_, factory_, std::move(options));
  }
  // Reads from the cache without waiting for anything.
  template <class T>
  [[nodiscard]] Result<Ref<T>> InCache(const ObjectName& name) const {
    return factory_->InformerFor<T>().lister().Get(name.namespace_, name.name);
  }
  [[nodiscard]] Duration TimeOf(const std::function<void()>& work) {
    const SteadyTime before = sim_.env().Now();
    work();
    return sim_.env().Now() - before;
  }

  static ConfigMap::Mutable Map(const std::string& name, const std::string& color = "blue",
                                const std::string& namespace_ = "default") {
    ConfigMap::Mutable map;
    map.metadata.namespace_ = namespace_;
    map.metadata.name = name;
    map.data["color"] = color;
    return map;
  }
  static LabelSelector Labels(std::string_view text) { return LabelSelector::Parse(text).OrExit(); }
  static FieldSelector Fields(std::string_view text) { return FieldSelector::Parse(text).OrExit(); }
  // Creates an object without the client under test.
  void Make(const std::string& namespace_, const std::string& name, const std::string& app,
            const std::string& color = "blue") {
    ConfigMap::Mutable map = Map(name, color, namespace_);
    map.metadata.labels["app"] = app;
    ASSERT_TRUE(client_.For<ConfigMap>(namespace_).Create(map).ok());
  }
  void MakeFour() {
    Make("default", "a", "web");
    Make("default", "b", "db");
    Make("kube-system", "c", "web");
    Make("kube-public", "d", "db");
  }
  static ObjectName Named(const std::string& name) { return {"default", name}; }
  static std::string ColorOf(const Result<Ref<ConfigMap>>& map) {
    if (!map) return std::string(ReasonName(map.error().reason()));
    return std::string((*map)->data()["color"]);
  }
  static std::vector<std::string> NamesOf(const Result<std::vector<Ref<ConfigMap>>>& maps) {
    if (!maps) return {maps.error().ToString()};
    std::vector<std::string> names;
    for (const Ref<ConfigMap>& map : *maps) names.emplace_back(map->metadata().name());
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_}};
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  std::shared_ptr<SharedInformerFactory> factory_ =
      std::make_shared<SharedInformerFactory>(client_);
  DelegatingClient cached_{client_, factory_};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_DELEGATING_CLIENT_FIXTURE_H_
