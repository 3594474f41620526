#include "cli/forward_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/object/object_from_json.h"

namespace kinformer::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Ref<corev1::Pod> Pod() {
  return ObjectFromJson(corev1::Pod::kind_info(),
                        R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0"},"spec":)"
                        R"({"containers":[{"name":"app","ports":[{"name":"http",)"
                        R"("containerPort":8080}]}]}})")
      .OrExit()
      .As<corev1::Pod>();
}

const json::Value kService =
    json::Parse(R"({"kind":"Service","metadata":{"name":"web"},"spec":{"clusterIP":"10.0.0.1",)"
                R"("ports":[{"name":"web","port":80,"targetPort":"http"},)"
                R"({"name":"admin","port":81,"targetPort":9090},{"name":"same","port":82}]}})")
        .OrExit();

std::vector<std::string> Resolve(const std::vector<std::string>& specs, const json::Value& owner) {
  const Ref<corev1::Pod> pod = Pod();
  return ResolvePorts(specs, owner, *pod).OrExit();
}

TEST(ForwardPorts, PortsOfAPodAreNumbersOrNames) {
  EXPECT_THAT(Resolve({"80", "8000:80", ":80", "http", "9:http"}, {}),
              ElementsAre("80:80", "8000:80", ":80", "8080:8080", "9:8080"));
}

TEST(ForwardPorts, PortsOfAServiceStandForItsTargets) {
  EXPECT_THAT(Resolve({"80", "8000:web", ":admin", "81", "82"}, kService),
              ElementsAre("80:8080", "8000:8080", ":9090", "81:9090", "82:82"));
}

TEST(ForwardPorts, APortThatIsNotThereIsAnError) {
  const Ref<corev1::Pod> pod = Pod();
  const auto error = [&](const std::string& spec, const json::Value& owner) {
    return ResolvePorts({spec}, owner, *pod).error().message();
  };
  EXPECT_THAT(error("nope", {}), HasSubstr("pod web-0 has no port \"nope\""));
  EXPECT_THAT(error("83", kService), HasSubstr("service web has no port \"83\""));
  EXPECT_THAT(error("80:", {}), HasSubstr("is no port"));
  EXPECT_THAT(error("1:2:3", {}), HasSubstr("is no port"));
}

TEST(ForwardPorts, LinesAreThoseOfKubectl) {
  EXPECT_THAT(
      ForwardingLines({"localhost"}, {{8080, 80}}, true),
      ElementsAre("Forwarding from 127.0.0.1:8080 -> 80", "Forwarding from [::1]:8080 -> 80"));
  EXPECT_THAT(
      ForwardingLines({"localhost", "127.0.0.1", "10.0.0.1", "::1"}, {{8080, 80}}, false),
      ElementsAre("Forwarding from 127.0.0.1:8080 -> 80", "Forwarding from 10.0.0.1:8080 -> 80",
                  "Forwarding from [::1]:8080 -> 80"));
}

}  // namespace
}  // namespace kinformer::cli
