// Server-side apply of structs, with the real kube-apiserver, which decides about field ownership.
// Label `realserver`.

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/delegating_client.h"

#include "realserver/clients.h"
#include "realserver/real_server.h"

namespace kinformer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Data = std::vector<std::pair<std::string, std::string>>;

corev1::ConfigMap::Mutable Settings(const Data& data) {
  corev1::ConfigMap::Mutable map;
  map.metadata.namespace_ = "default";
  map.metadata.name = "settings";
  for (const auto& [key, value] : data) map.data[key] = value;
  return map;
}

class RealApply : public ::testing::Test {
 protected:
  void SetUp() override {
    real_.Start();
    client_.emplace(NewClient(real_));
    factory_ = std::make_shared<SharedInformerFactory>(*client_);
    cached_.emplace(*client_, factory_);
    // Reads start the informer and wait for this client's writes.
    factory_->Start();
  }
  void TearDown() override {
    cached_.reset();
    factory_->Shutdown();
  }

  Result<Ref<corev1::ConfigMap>> Apply(const std::string& manager, const Data& data,
                                       bool force = false) {
    return cached_->Apply(Settings(data), {.fieldManager = manager, .force = force});
  }
  Data Now() {
    const auto map = cached_->Get<corev1::ConfigMap>({"default", "settings"}).OrExit();
    Data data;
    for (const auto& [key, value] : map->data()) data.emplace_back(key, value);
    std::sort(data.begin(), data.end());
    return data;
  }

  RealServer real_;
  std::optional<Client> client_;
  std::shared_ptr<SharedInformerFactory> factory_;
  std::optional<DelegatingClient> cached_;
};

TEST_F(RealApply, FieldsBelongToWhoAppliedThem) {
  ASSERT_TRUE(Apply("painter", {{"color", "blue"}, {"gloss", "high"}}));
  const auto sized = Apply("sizer", {{"size", "9"}});
  ASSERT_TRUE(sized) << sized.error();
  EXPECT_THAT(Now(), ElementsAre(Pair("color", "blue"), Pair("gloss", "high"), Pair("size", "9")));

  const auto refused = Apply("sizer", {{"size", "9"}, {"color", "red"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason(), Reason::kConflict);
  EXPECT_THAT(refused.error().message(), HasSubstr("conflict with \"painter\": .data.color"));
  EXPECT_THAT(Now(), ElementsAre(Pair("color", "blue"), Pair("gloss", "high"), Pair("size", "9")));

  // A field that two managers apply with the same value belongs to both.
  ASSERT_TRUE(Apply("sizer", {{"size", "9"}, {"color", "blue"}}));
  ASSERT_TRUE(Apply("painter", {{"gloss", "high"}}));
  EXPECT_THAT(Now(), ElementsAre(Pair("color", "blue"), Pair("gloss", "high"), Pair("size", "9")));
  // A field is removed when its only owner no longer applies it.
  ASSERT_TRUE(Apply("painter", {{"shape", "round"}}));
  EXPECT_THAT(Now(), ElementsAre(Pair("color", "blue"), Pair("shape", "round"), Pair("size", "9")));

  ASSERT_TRUE(Apply("painter", {{"color", "red"}, {"shape", "round"}}, /*force=*/true));
  EXPECT_THAT(Now(), ElementsAre(Pair("color", "red"), Pair("shape", "round"), Pair("size", "9")));
  const auto lost = Apply("sizer", {{"size", "10"}, {"color", "blue"}});
  EXPECT_EQ(lost.error().reason(), Reason::kConflict);
  ASSERT_TRUE(Apply("sizer", {{"size", "10"}}));
  EXPECT_THAT(Now(), ElementsAre(Pair("color", "red"), Pair("shape", "round"), Pair("size", "10")));
}

TEST_F(RealApply, OnlyWhatIsSetIsSent) {
  appsv1::Deployment::Mutable wanted;
  wanted.metadata.namespace_ = "default";
  wanted.metadata.name = "web";
  wanted.spec.replicas = 0;  // set to zero
  wanted.spec.selector.emplace().matchLabels["app"] = "web";
  wanted.spec.template_.metadata.labels["app"] = "web";
  auto& main = wanted.spec.template_.spec.containers.emplace_back();
  main.name = "main";
  main.image = "web:1";
  const auto made = cached_->Apply(wanted, {.fieldManager = "deployer"});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ((*made)->spec().replicas(), 0);

  // Another owner's container is merged into the list by its name.
  appsv1::Deployment::Mutable sidecar;
  sidecar.metadata.namespace_ = "default";
  sidecar.metadata.name = "web";
  auto& proxy = sidecar.spec.template_.spec.containers.emplace_back();
  proxy.name = "proxy";
  proxy.image = "proxy:1";
  const auto joined = cached_->Apply(sidecar, {.fieldManager = "mesh"});
  ASSERT_TRUE(joined) << joined.error();
  std::vector<std::string> names;
  for (const corev1::Container container : (*joined)->spec().template_().spec().containers()) {
    names.emplace_back(container.name());
  }
  EXPECT_THAT(names, UnorderedElementsAre("main", "proxy"));
  EXPECT_EQ((*joined)->spec().replicas(), 0) << "it did not say a number";

  appsv1::Deployment::Mutable status;
  status.metadata.namespace_ = "default";
  status.metadata.name = "web";
  status.status.observedGeneration = 7;
  const auto observed = cached_->Status().Apply(status, {.fieldManager = "observer"});
  ASSERT_TRUE(observed) << observed.error();
  const auto cached = cached_->Get<appsv1::Deployment>({"default", "web"}).OrExit();
  EXPECT_EQ(cached->status().observedGeneration(), 7);
  EXPECT_EQ(cached->spec().template_().spec().containers().size(), 2U);
}

}  // namespace
}  // namespace kinformer::testing
