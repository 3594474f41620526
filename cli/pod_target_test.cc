#include "cli/pod_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/object/object_from_json.h"

namespace kinformer::cli {
namespace {

using ::testing::HasSubstr;

Ref<corev1::Pod> Pod(const std::string& meta, const std::string& status) {
  return ObjectFromJson(corev1::Pod::kind_info(),
                        R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0")" + meta +
                            R"(},"spec":{"initContainers":[{"name":"init"}],"containers":)"
                            R"([{"name":"app"},{"name":"proxy"}]},"status":{)" +
                            status + "}}")
      .OrExit()
      .As<corev1::Pod>();
}

TEST(PodTarget, APodThatRunsAndIsReadyServesBetter) {
  const std::string ready = R"("phase":"Running","conditions":[{"type":"Ready","status":"True"}])";
  const Ref<corev1::Pod> good = Pod("", ready);
  const Ref<corev1::Pod> not_ready = Pod("", R"("phase":"Running")");
  const Ref<corev1::Pod> pending = Pod("", R"("phase":"Pending")");
  const Ref<corev1::Pod> ending = Pod(R"(,"deletionTimestamp":"2024-01-01T00:00:00Z")", ready);
  const Ref<corev1::Pod> restarted =
      Pod("", ready + R"(,"containerStatuses":[{"name":"app","restartCount":3}])");
  EXPECT_TRUE(ServesBetter(*good, *not_ready));
  EXPECT_TRUE(ServesBetter(*not_ready, *pending));
  EXPECT_TRUE(ServesBetter(*pending, *ending));
  EXPECT_TRUE(ServesBetter(*good, *restarted));
  EXPECT_FALSE(ServesBetter(*good, *good));
}

TEST(PodTarget, TheDefaultContainerIsThatOfTheAnnotationOrTheFirst) {
  const Ref<corev1::Pod> plain = Pod("", "");
  const ContainerChoice first = ChooseContainer(*plain, "").OrExit();
  EXPECT_EQ(first.name, "app");
  EXPECT_EQ(first.note, "Defaulted container \"app\" out of: app, proxy, init (init)");
  const Ref<corev1::Pod> annotated =
      Pod(R"(,"annotations":{"kubectl.kubernetes.io/default-container":"proxy"})", "");
  EXPECT_EQ(ChooseContainer(*annotated, "").OrExit().name, "proxy");
  EXPECT_EQ(ChooseContainer(*annotated, "").OrExit().note, "");
  EXPECT_EQ(ChooseContainer(*plain, "init").OrExit().name, "init");
  EXPECT_THAT(ChooseContainer(*plain, "nope").error().message(), HasSubstr("it has app, proxy"));
}

TEST(PodTarget, SelectorsOfServicesAndWorkloadsChooseTheirPods) {
  const auto selector = [](const std::string& text) {
    return PodSelectorOf(json::Parse(text).OrExit());
  };
  EXPECT_EQ(*selector(R"({"spec":{"selector":{"app":"web"}}})"), "app=web");
  EXPECT_EQ(*selector(R"({"spec":{"selector":{"matchLabels":{"app":"web"},)"
                      R"("matchExpressions":[{"key":"t","operator":"In","values":["a","b"]}]}}})"),
            "app=web,t in (a,b)");
  EXPECT_THAT(selector(R"({"kind":"Service","metadata":{"name":"x"},"spec":{}})").error().message(),
              HasSubstr("Service x selects no pods"));
}

}  // namespace
}  // namespace kinformer::cli
