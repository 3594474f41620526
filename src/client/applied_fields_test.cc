// Fields of a struct that a server-side apply sends.

#include "client/applied_fields.h"

#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/apiextensionsv1.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/authorizationv1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/internal/kind_info.h"
#include "kinformer/object/custom_resource.h"

namespace kinformer::internal::client {
namespace {

template <class M>
std::string Applied(const M& object) {
  return AppliedFields(M::View::kind_info(), EncodeJson(object)).OrExit();
}

TEST(AppliedFields, AnEmptyStructHasItsKindOnly) {
  EXPECT_EQ(Applied(corev1::Pod::Mutable()), R"({"kind":"Pod","apiVersion":"v1"})");
  EXPECT_EQ(Applied(appsv1::Deployment::Mutable()),
            R"({"kind":"Deployment","apiVersion":"apps/v1"})");
}

TEST(AppliedFields, SetFields_AreSent_EvenZeroOptionals) {
  appsv1::Deployment::Mutable web;
  web.metadata.name = "web";
  web.spec.replicas = 0;  // an optional that is set to zero
  web.spec.selector.emplace();
  web.spec.template_.metadata.labels["app"] = "";
  corev1::Container::Mutable container;
  container.name = "c";
  container.ports.push_back({.containerPort = 80});
  container.securityContext.emplace().privileged = false;
  web.spec.template_.spec.containers.push_back(container);
  corev1::Volume::Mutable volume;
  volume.name = "scratch";
  volume.emptyDir.emplace();
  web.spec.template_.spec.volumes.push_back(volume);
  const json::Value sent = json::Parse(Applied(web)).OrExit();
  EXPECT_EQ(sent.Find("status"), nullptr);
  EXPECT_EQ(sent["metadata"].Dump(), R"({"name":"web"})");
  const json::Value& spec = sent["spec"];
  EXPECT_EQ(spec["replicas"].AsInt64(), 0);
  EXPECT_EQ(spec["selector"].Dump(), "{}");
  EXPECT_EQ(spec.Find("strategy"), nullptr);
  EXPECT_EQ(spec["template"]["metadata"].Dump(), R"({"labels":{"app":""}})");
  EXPECT_EQ(
      spec["template"]["spec"]["containers"].Dump(),
      R"([{"name":"c","ports":[{"containerPort":80}],"securityContext":{"privileged":false}}])");
  EXPECT_EQ(spec["template"]["spec"]["volumes"].Dump(), R"([{"name":"scratch","emptyDir":{}}])");
}

TEST(AppliedFields, ZeroThatGoAlwaysWrites_IsLeftOut) {
  corev1::Service::Mutable service;
  service.metadata.name = "web";
  service.spec.ports.push_back({.name = "http", .port = 80});
  EXPECT_EQ(json::Parse(Applied(service)).OrExit()["spec"].Dump(),
            R"({"ports":[{"name":"http","port":80}]})");
}

TEST(AppliedFields, EmptyTextInMap_IsSent) {
  corev1::ConfigMap::Mutable map;
  map.metadata.name = "a";
  map.data["empty"] = "";
  EXPECT_EQ(json::Parse(Applied(map)).OrExit()["data"].Dump(), R"({"empty":""})");
}

// The rules of unset fields: empty text, 0, false, {} and [] are those of fields that are no
// optionals.
TEST(AppliedFields, EachKindOfField_IsLeftOutIfItIsEmpty) {
  struct {
    const char* given;
    const char* sent;
  } const rows[] = {
      {R"({"hostname":""})", "{}"},
      {R"({"hostname":"a"})", R"({"hostname":"a"})"},
      {R"({"hostname":"0"})", R"({"hostname":"0"})"},
      {R"({"hostname":null,"priority":null})", "{}"},
      {R"({"hostNetwork":false,"hostPID":true})", R"({"hostPID":true})"},
      {R"({"shareProcessNamespace":false})", R"({"shareProcessNamespace":false})"},
      {R"({"activeDeadlineSeconds":0})", R"({"activeDeadlineSeconds":0})"},
      {R"({"nodeSelector":{}})", "{}"},
      {R"({"nodeSelector":{"a":""}})", R"({"nodeSelector":{"a":""}})"},
      {R"({"containers":[]})", "{}"},
      {R"({"tolerations":[{"key":"","operator":"Exists"},{}]})",
       R"({"tolerations":[{"operator":"Exists"},{}]})"},
      {R"({"securityContext":{}})", R"({"securityContext":{}})"},
      {R"({"securityContext":{"runAsUser":0,"supplementalGroups":[]}})",
       R"({"securityContext":{"runAsUser":0}})"},
      {R"({"overhead":{"cpu":"0","memory":"1Gi"}})", R"({"overhead":{"cpu":"0","memory":"1Gi"}})"},
      {R"({"imagePullSecrets":[{"name":""}]})", R"({"imagePullSecrets":[{}]})"},
      {R"({"hostAliases":[{"ip":"1.2.3.4","hostnames":["",""]}]})",
       R"({"hostAliases":[{"ip":"1.2.3.4","hostnames":["",""]}]})"},
      {R"("text")", R"("text")"},
  };
  for (const auto& row : rows) {
    const Result<std::string> sent =
        AppliedFields(corev1::Pod::kind_info(), R"({"spec":)" + std::string(row.given) + "}");
    ASSERT_TRUE(sent.ok()) << row.given;
    const std::string whole =
        std::string(row.sent) == "{}" ? "{}" : R"({"spec":)" + std::string(row.sent) + "}";
    EXPECT_EQ(*sent, whole) << row.given;
  }
}

TEST(AppliedFields, QuantityOfZero_IsLeftOutOfAStructAndKeptInAMap) {
  struct {
    const char* given;
    const char* sent;
  } const rows[] = {
      {R"({"resource":"limits.cpu","divisor":"0"})", R"({"resource":"limits.cpu"})"},
      {R"({"resource":"limits.cpu","divisor":""})", R"({"resource":"limits.cpu"})"},
      {R"({"resource":"limits.cpu","divisor":"1m"})",
       R"({"resource":"limits.cpu","divisor":"1m"})"},
      {R"({"resource":"0"})", R"({"resource":"0"})"},
  };
  const auto around = [](const std::string& inner) {
    return R"({"spec":{"containers":[{"env":[{"valueFrom":{"resourceFieldRef":)" + inner +
           "}}]}]}}";
  };
  for (const auto& row : rows) {
    EXPECT_EQ(AppliedFields(corev1::Pod::kind_info(), around(row.given)).OrExit(), around(row.sent))
        << row.given;
  }
}

// Lists of text that are messages on the wire, and schemas that are "this or that".
TEST(AppliedFields, UnionsAndMapsOfMessages) {
  const std::string review = R"({"spec":{"user":"u","extra":{"scopes":["a","b"],"none":[]}}})";
  EXPECT_EQ(AppliedFields(authorizationv1::SubjectAccessReview::kind_info(), review).OrExit(),
            review);
  struct {
    const char* given;
    const char* sent;
  } const rows[] = {
      {R"({"type":"object","additionalProperties":false})",
       R"({"type":"object","additionalProperties":false})"},
      {R"({"type":"array","items":{"type":"string"}})",
       R"({"type":"array","items":{"type":"string"}})"},
      {R"({"properties":{"a":{"type":"string","format":""},"b":{}}})",
       R"({"properties":{"a":{"type":"string"},"b":{}}})"},
  };
  for (const auto& row : rows) {
    const auto around = [](const std::string& schema) {
      return R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":)" + schema + "}}]}}";
    };
    EXPECT_EQ(
        AppliedFields(apiextensionsv1::CustomResourceDefinition::kind_info(), around(row.given))
            .OrExit(),
        around(row.sent))
        << row.given;
  }
}

TEST(AppliedFields, RawField_IsSentUnchanged) {
  const std::string revision = R"({"revision":1,"data":{"spec":{"a":"","b":0,"c":{}},"x":null}})";
  EXPECT_EQ(AppliedFields(appsv1::ControllerRevision::kind_info(), revision).OrExit(), revision);
}

TEST(AppliedFields, KindsWithoutADescriptor_LoseEmptyMetadataOnly) {
  const KindInfo& things = *DynamicKindInfo("test.example", "v1", "Thing", "things", true);
  EXPECT_EQ(AppliedFields(
                things,
                R"({"metadata":{"name":"a","generateName":"","labels":{}},"spec":{"x":"","y":0}})")
                .OrExit(),
            R"({"metadata":{"name":"a"},"spec":{"x":"","y":0}})");
  EXPECT_EQ(AppliedFields(things, R"({"spec":{}})").OrExit(), R"({"spec":{}})");
}

struct Widget {
  static constexpr CustomKind kKind{.group = "shop.example", .version = "v1"};
  std::optional<std::int64_t> size;
};

TEST(AppliedFields, CustomResources) {
  CustomResource<Widget>::Mutable widget;
  widget.metadata.name = "w";
  widget.size = 0;
  EXPECT_EQ(Applied(widget),
            R"({"apiVersion":"shop.example/v1","kind":"Widget","metadata":{"name":"w"},"size":0})");
}

TEST(AppliedFields, InvalidJson_IsDecodeError) {
  const Error error = AppliedFields(corev1::Pod::kind_info(), "").error();
  EXPECT_EQ(error.reason(), Reason::kDecode);
  EXPECT_TRUE(error.message().starts_with("the object to be applied: ")) << error;
}

}  // namespace
}  // namespace kinformer::internal::client
