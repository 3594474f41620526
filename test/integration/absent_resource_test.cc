// Informers of a custom resource whose definition is created, deleted and created again, against
// the embedded API server in simulated time.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/dynamic_shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/object/unstructured.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

const GroupVersionResource kCars{"shop.example", "v1", "cars"};
const GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

constexpr std::string_view kDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cars.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: cars, kind: Car}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
)";

constexpr std::string_view kCar = R"(
apiVersion: shop.example/v1
kind: Car
metadata: {name: beetle, namespace: default}
spec: {color: red}
)";

class DefinitionsComeAndGo : public ::testing::Test {
 protected:
  SharedInformer<Unstructured> Cars() {
    SharedInformer<Unstructured> cars = factory_.ForResource(kCars, "Car", true);
    EXPECT_TRUE(cars.AddEventHandler({
        .on_add = [this](const Added<Unstructured>& e) { heard_.push_back("+" + e.key); },
        .on_delete = [this](const Deleted<Unstructured>& e) { heard_.push_back("-" + e.key); },
    }));
    return cars;
  }
  static Reason WhyNot(const SharedInformer<Unstructured>& cars, std::string_view name) {
    const auto got = cars.lister().Namespace("default").Get(name);
    EXPECT_FALSE(got.ok());
    return got.ok() ? Reason::kUnknown : got.error().reason();
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  DynamicSharedInformerFactory factory_{client_};
  std::vector<std::string> heard_;
};

TEST_F(DefinitionsComeAndGo, TheInformerFollows) {
  const SharedInformer<Unstructured> cars = Cars();
  factory_.Start();
  sim_.RunFor(minutes(30));
  EXPECT_FALSE(cars.HasSynced());
  EXPECT_EQ(cars.Status().state, InformerState::kAbsent);
  EXPECT_EQ(WhyNot(cars, "beetle"), Reason::kNotSynced);

  ASSERT_TRUE(server_.Load(kDefinition));
  ASSERT_TRUE(sim_.RunUntil([&] { return cars.HasSynced(); }, seconds(15)));
  EXPECT_EQ(WhyNot(cars, "beetle"), Reason::kNotFound);
  ASSERT_TRUE(server_.Load(kCar));
  sim_.RunFor(seconds(5));
  EXPECT_THAT(heard_, ElementsAre("+default/beetle"));

  heard_.clear();
  ASSERT_TRUE(server_.Delete(kDefinitions, {"", "cars.shop.example"}));
  sim_.RunFor(minutes(2));
  EXPECT_EQ(cars.Status().state, InformerState::kAbsent);
  EXPECT_THAT(heard_, ElementsAre("-default/beetle"));
  EXPECT_EQ(cars.Snapshot().size(), 0U);
  EXPECT_EQ(WhyNot(cars, "beetle"), Reason::kNotSynced);

  heard_.clear();
  ASSERT_TRUE(server_.Load(kDefinition));
  ASSERT_TRUE(server_.Load(kCar));
  ASSERT_TRUE(sim_.RunUntil([&] { return !heard_.empty(); }, seconds(15)));
  EXPECT_THAT(heard_, ElementsAre("+default/beetle"));
  EXPECT_EQ(WhyNot(cars, "other"), Reason::kNotFound);
  EXPECT_EQ(cars.Status().state, InformerState::kWatching);
}

}  // namespace
}  // namespace kinformer::testing
