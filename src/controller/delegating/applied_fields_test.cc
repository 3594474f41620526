// Fields of a struct that a server-side apply sends.

#include "controller/delegating/applied_fields.h"

#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/custom_resource.h"

namespace kinformer::internal::delegating {
namespace {

template <class M>
std::string Applied(const M& object) {
  return AppliedFields(M::View::type_info(), EncodeJson(object)).OrExit();
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

struct Widget {
  static constexpr std::string_view kGroup = "shop.example";
  static constexpr std::string_view kVersion = "v1";
  static constexpr std::string_view kKind = "Widget";
  static constexpr std::string_view kPlural = "widgets";
  static constexpr bool kNamespaced = true;
  std::optional<std::int64_t> size;
  static constexpr auto kFields = std::tuple(Field("size", &Widget::size));
};

TEST(AppliedFields, CustomResources) {
  CustomResource<Widget>::Mutable widget;
  widget.metadata.name = "w";
  widget.size = 0;
  EXPECT_EQ(Applied(widget),
            R"({"apiVersion":"shop.example/v1","kind":"Widget","metadata":{"name":"w"},"size":0})");
}

TEST(AppliedFields, InvalidJson_IsDecodeError) {
  EXPECT_EQ(AppliedFields(corev1::Pod::type_info(), "").error().reason(), Reason::kDecode);
}

}  // namespace
}  // namespace kinformer::internal::delegating
