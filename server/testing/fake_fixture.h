// testing/fake_fixture.h
//
// A server in simulated time, and a client whose requests a Fake sees.

#ifndef KINFORMER_TESTING_FAKE_FIXTURE_H_
#define KINFORMER_TESTING_FAKE_FIXTURE_H_

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/testing/fake.h"

namespace kinformer::testing {

inline const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

inline corev1::ConfigMapMutable Map(const std::string& name, const std::string& colour,
                                    const std::string& namespace_ = "default") {
  corev1::ConfigMapMutable map;
  map.metadata.namespace_ = namespace_;
  map.metadata.name = name;
  map.data["colour"] = colour;
  return map;
}

inline std::string ColourOf(const Result<Ref<corev1::ConfigMap>>& map) {
  if (!map) return map.error().ToString();
  return std::string((**map).data()["colour"]);
}

class FakeTest : public ::testing::Test {
 protected:
  // Calls `body`, which may block, on a simulated thread.
  void Run(const std::function<void()>& body) {
    ASSERT_TRUE(sim_.RunBlocking(body, std::chrono::minutes(10)));
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_}};
  ApiServer server_{sim_};
  const Fake fake_;
  const Client client_ = fake_.NewClient(server_);
  const ResourceClient<corev1::ConfigMap> maps_ = client_.For<corev1::ConfigMap>("default");
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_FAKE_FIXTURE_H_
