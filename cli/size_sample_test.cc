// Samples of collections on an API server.

#include "cli/size_sample.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {
namespace {

using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::Pair;

const GroupVersionResource kMaps{.group = "", .version = "v1", .resource = "configmaps"};

class SizeSampleTest : public ::testing::Test {
 protected:
  void Add(int objects, const std::string& prefix, std::size_t bytes,
           const std::string& namespace_ = "default") {
    for (int i = 0; i < objects; ++i) {
      json::Value map = json::Value::MakeObject();
      map.Ensure("metadata").Ensure("name") = prefix + "-" + std::to_string(i);
      map.Ensure("metadata").Ensure("namespace") = namespace_;
      if (i % 2 == 0) map.Ensure("metadata").Ensure("labels").Ensure("even") = "yes";
      map.Ensure("data").Ensure("text") = std::string(bytes, 't');
      ASSERT_TRUE(server_.Create(kMaps, std::move(map)).ok());
    }
  }
  SizeSample Take(const Selection& selection, SampleOptions options = {}) {
    std::optional<Result<SizeSample>> sample;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] { sample.emplace(TakeSample(client_, selection, options, {})); }, minutes(5)));
    return std::move(*sample).OrExit();
  }
  static Selection Maps() {
    Selection selection;
    selection.mapping = {kMaps, {"", "v1", "ConfigMap"}, true};
    selection.type = &corev1::ConfigMap::kind_info();
    return selection;
  }
  static double Sum(const SizeSample& sample) {
    double sum = 0;
    for (const SampledObject& one : sample.sampled) {
      sum += one.weight * static_cast<double>(one.object->payload().size());
    }
    return sum;
  }

  Simulation sim_;
  apiserver::ApiServer server_{sim_.env(), {.bootstrap_objects = false}};
  Client client_ =
      Client::ForTransport(sim_.env(), NewInMemoryTransport(sim_.env(), server_), {.qps = -1});
};

TEST_F(SizeSampleTest, SmallCollection_IsReadWhole) {
  server_.Create({"", "v1", "namespaces"}, json::Parse(R"({"metadata":{"name":"other"}})").OrExit())
      .OrExit();
  Add(20, "a", 10);
  Add(30, "b", 10, "other");
  const SizeSample sample = Take(Maps());
  EXPECT_EQ(sample.objects, 50U);
  EXPECT_TRUE(sample.complete());
  EXPECT_EQ(sample.error, 0);
  EXPECT_TRUE(sample.watch_list);
  EXPECT_THAT(sample.namespaces, ElementsAre(Pair("default", 20), Pair("other", 30)));
}

TEST_F(SizeSampleTest, LargerCollection_IsCountedAndSampledFromAllPages) {
  Add(1500, "settings", 100);
  Add(20, "bundle", 50'000);
  const SizeSample sample = Take(Maps());
  EXPECT_EQ(sample.objects, 1520U);
  EXPECT_EQ(sample.names, 1520U);
  EXPECT_FALSE(sample.complete());
  EXPECT_EQ(sample.sampled.size(), 200U);
  EXPECT_LT(sample.error, 0.02);
  double weights = 0;
  for (const SampledObject& one : sample.sampled) weights += one.weight;
  EXPECT_NEAR(weights, 1520, 1e-6);
  double real = 0;
  for (const std::string prefix : {"settings", "bundle"}) {
    for (const SampledObject& one : sample.sampled) {
      if (!one.object->name().starts_with(prefix)) continue;
      real +=
          (prefix == "bundle" ? 20.0 : 1500.0) * static_cast<double>(one.object->payload().size());
      break;
    }
  }
  EXPECT_NEAR(Sum(sample) / real, 1, 0.01);
}

TEST_F(SizeSampleTest, Selector_CountsWhatItSelects) {
  Add(1200, "settings", 10);
  Selection selection = Maps();
  selection.label_selector = "even=yes";
  EXPECT_EQ(Take(selection).objects, 600U);
}

TEST_F(SizeSampleTest, Limit_EndsTheSampleWithAWiderInterval) {
  // Sizes that the metadata does not tell.
  for (int i = 0; i < 400; ++i) {
    json::Value map = json::Value::MakeObject();
    map.Ensure("metadata").Ensure("name") = "thing-" + std::to_string(i);
    map.Ensure("metadata").Ensure("namespace") = "default";
    map.Ensure("data").Ensure("text") = std::string(i % 13 == 0 ? 20'000 : 10, 't');
    ASSERT_TRUE(server_.Create(kMaps, std::move(map)).ok());
  }
  const SizeSample sample = Take(Maps(), {.most = 60});
  EXPECT_EQ(sample.sampled.size(), 60U);
  EXPECT_GT(sample.error, 0.1);
}

TEST_F(SizeSampleTest, EmptyCollection_HasNoObjects) {
  const SizeSample sample = Take(Maps());
  EXPECT_EQ(sample.objects, 0U);
  EXPECT_TRUE(sample.sampled.empty());
}

}  // namespace
}  // namespace kinformer::cli
