// Golden objects of the k8s.io/api module through mutable structs: decoding and encoding must give
// the same bytes.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "kinformer/api/admissionregistrationv1_mutable.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/autoscalingv2_mutable.h"
#include "kinformer/api/batchv1_mutable.h"
#include "kinformer/api/certificatesv1_mutable.h"
#include "kinformer/api/coordinationv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/discoveryv1_mutable.h"
#include "kinformer/api/eventsv1_mutable.h"
#include "kinformer/api/flowcontrolv1_mutable.h"
#include "kinformer/api/networkingv1_mutable.h"
#include "kinformer/api/policyv1_mutable.h"
#include "kinformer/api/rbacv1_mutable.h"
#include "kinformer/api/resourcev1_mutable.h"
#include "kinformer/api/schedulingv1_mutable.h"
#include "kinformer/api/storagev1_mutable.h"
#include "kinformer/json/json.h"

#include "object/values/text_forms.h"

namespace kinformer {
namespace {

template <class Kind>
class MutableFixtures : public testing::Test {};

using Kinds = testing::Types<
    corev1::Pod, corev1::Service, corev1::Node, corev1::ConfigMap, corev1::Secret,
    corev1::Namespace, corev1::PersistentVolume, corev1::PersistentVolumeClaim,
    corev1::ReplicationController, corev1::Event, corev1::Endpoints, corev1::ServiceAccount,
    corev1::ResourceQuota, corev1::LimitRange, appsv1::Deployment, appsv1::StatefulSet,
    appsv1::DaemonSet, appsv1::ReplicaSet, appsv1::ControllerRevision, batchv1::Job,
    batchv1::CronJob, coordinationv1::Lease, discoveryv1::EndpointSlice, eventsv1::Event,
    networkingv1::Ingress, networkingv1::NetworkPolicy, rbacv1::ClusterRole, rbacv1::RoleBinding,
    storagev1::StorageClass, storagev1::CSINode, storagev1::VolumeAttachment,
    policyv1::PodDisruptionBudget, autoscalingv2::HorizontalPodAutoscaler,
    resourcev1::ResourceClaim, resourcev1::ResourceSlice, schedulingv1::PriorityClass,
    certificatesv1::CertificateSigningRequest, flowcontrolv1::FlowSchema,
    admissionregistrationv1::ValidatingWebhookConfiguration,
    admissionregistrationv1::ValidatingAdmissionPolicy>;
TYPED_TEST_SUITE(MutableFixtures, Kinds);

TYPED_TEST(MutableFixtures, RoundTrip) {
  const char* folder = std::getenv("KINFORMER_K8S_API_TESTDATA");
  if (folder == nullptr) GTEST_SKIP() << "KINFORMER_K8S_API_TESTDATA does not name a folder";
  const KindInfo& type = TypeParam::kind_info();
  const std::string group = type.group.empty() ? "core" : std::string(type.group);
  const std::filesystem::path path =
      std::filesystem::path(folder) / "HEAD" /
      (group + "." + std::string(type.version) + "." + std::string(type.kind) + ".json");
  std::ifstream in(path);
  ASSERT_TRUE(in.is_open()) << path;
  std::string json;
  internal::AppendCompactJson(std::string(std::istreambuf_iterator<char>(in), {}), json);

  const auto object = internal::DecodeJson<typename TypeParam::Mutable>(json);
  ASSERT_TRUE(object) << object.error();
  EXPECT_EQ(internal::EncodeJson(*object), json);
  const auto again =
      internal::DecodeProtobuf<typename TypeParam::Mutable>(internal::EncodeProtobuf(*object));
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(internal::EncodeJson(*again), json);
}

// Objects of older releases, if those have the kind. Members that are new since then and always
// written may be added.
TYPED_TEST(MutableFixtures, RoundTripOfOlderReleases) {
  const char* folder = std::getenv("KINFORMER_K8S_API_TESTDATA");
  if (folder == nullptr) GTEST_SKIP() << "KINFORMER_K8S_API_TESTDATA does not name a folder";
  const KindInfo& type = TypeParam::kind_info();
  const std::string group = type.group.empty() ? "core" : std::string(type.group);
  const std::string name = group + "." + std::string(type.version) + "." + std::string(type.kind);
  std::size_t releases = 0;
  for (const auto& release : std::filesystem::directory_iterator(folder)) {
    if (release.path().filename() == "HEAD") continue;
    const auto read = [&](const std::string& ending, const char* other = nullptr) {
      std::string compact;
      const std::filesystem::path of =
          other == nullptr ? release.path() : std::filesystem::path(folder) / other;
      if (std::ifstream in(of / (name + ending)); in.is_open()) {
        internal::AppendCompactJson(std::string(std::istreambuf_iterator<char>(in), {}), compact);
      }
      return compact;
    };
    const std::string json = read(".json");
    if (json.empty()) continue;
    ++releases;
    std::string changed = read(".after_roundtrip.json");
    // An older module does not know what newer types add. v1.33.0 is the newest module's.
    if (changed.empty() && json == read(".json", "v1.33.0")) {
      changed = read(".after_roundtrip.json", "v1.33.0");
    }
    const auto object = internal::DecodeJson<typename TypeParam::Mutable>(json);
    ASSERT_TRUE(object) << release.path() << ": " << object.error();
    // Nothing may be lost, not even fields that were removed since, which Go drops. Members may be
    // added, as in Go.
    const json::Value written = json::Parse(internal::EncodeJson(*object)).value();
    EXPECT_TRUE(written == json::Parse(json).value() ||
                (!changed.empty() && written == json::Parse(changed).value()))
        << release.path();
    const auto again =
        internal::DecodeProtobuf<typename TypeParam::Mutable>(internal::EncodeProtobuf(*object));
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(*again, *object) << release.path();
  }
  EXPECT_GE(releases, 2U);
}

}  // namespace
}  // namespace kinformer
