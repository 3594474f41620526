// Errors of JsonToProtobuf for each kind of field, and their texts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>

#include "kinformer/api/apiextensionsv1.h"
#include "kinformer/api/coordinationv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/metricsv1beta1.h"
#include "kinformer/object/kind_info.h"

#include "object/transcode/transcode.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;

struct Case {
  const char* json;
  const char* says;
};

void ExpectRefused(const KindInfo& type, std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    const Result<std::string> message = internal::JsonToProtobuf(*type.message, c.json);
    ASSERT_FALSE(message.ok()) << c.json;
    EXPECT_EQ(message.error().reason(), Reason::kDecode) << c.json;
    EXPECT_THAT(message.error().message(), HasSubstr(c.says)) << c.json;
    EXPECT_THAT(message.error().message(), HasSubstr(" at byte ")) << c.json;
  }
}

TEST(TranscodeErrors, PodMembersOfWrongType_ErrorNamesPath) {
  ExpectRefused(
      corev1::Pod::kind_info(),
      {{R"([])", "expected an object, got an array"},
       {R"({"spec":1})", "spec: expected an object, got a number"},
       {R"({"spec":{"nodeName":1}})", "spec.nodeName: expected a string, got a number"},
       {R"({"spec":{"hostNetwork":"yes"}})", "spec.hostNetwork: expected a boolean, got a string"},
       {R"({"spec":{"priority":"1"}})", "spec.priority: expected an integer, got a string"},
       {R"({"spec":{"priority":1.5}})", "spec.priority: expected an integer, got 1.5"},
       {R"({"spec":{"priority":2147483648}})", "spec.priority: 2147483648 does not fit into 32"},
       {R"({"spec":{"priority":-2147483649}})", "spec.priority: -2147483649 does not fit into 32"},
       {R"({"spec":{"activeDeadlineSeconds":9223372036854775808}})",
        "9223372036854775808 does not fit into 64 bits"},
       {R"({"spec":{"containers":{}}})", "spec.containers: expected an array, got an object"},
       {R"({"spec":{"containers":[{"name":"a"},{"name":true}]}})",
        "spec.containers[1].name: expected a string, got a boolean"},
       {R"({"spec":{"nodeSelector":[]}})", "spec.nodeSelector: expected an object, got an array"},
       {R"({"spec":{"nodeSelector":{"a":1}}})", "spec.nodeSelector.a: expected a string, got a"},
       {R"({"spec":{"containers":[{"resources":{"limits":{"cpu":true}}}]}})",
        "limits.cpu: expected a quantity, got a boolean"},
       {R"({"spec":{"containers":[{"resources":{"limits":{"cpu":"much"}}}]}})",
        "limits.cpu: \"much\" is no quantity"},
       {R"({"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":[]}}}]}})",
        "httpGet.port: expected a number or a string, got an array"},
       {R"({"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":2147483648}}}]}})",
        "httpGet.port: 2147483648 does not fit into 32"},
       {R"({"metadata":{"creationTimestamp":5}})",
        "metadata.creationTimestamp: expected a string, got a number"},
       {R"({"metadata":{"creationTimestamp":"now"}})",
        "metadata.creationTimestamp: \"now\" is no RFC 3339 time"}});
}

TEST(TranscodeErrors, SecretDataOfWrongForm_ErrorHidesBytes) {
  ExpectRefused(corev1::Secret::kind_info(),
                {{R"({"data":{"a":5}})", "data.a: expected a string, got a number"},
                 {R"({"data":{"a":"top secret!"}})", "data.a: the string is not valid base64"}});
}

TEST(TranscodeErrors, InvalidTimesAndDurations_ErrorNamesPath) {
  ExpectRefused(coordinationv1::Lease::kind_info(),
                {{R"({"spec":{"renewTime":true}})", "spec.renewTime: expected a string, got a"},
                 {R"({"spec":{"renewTime":"1"}})", "spec.renewTime: \"1\" is no RFC 3339 time"}});
  ExpectRefused(metricsv1beta1::PodMetrics::kind_info(),
                {{R"({"window":5})", "window: expected a string, got a number"},
                 {R"({"window":"5"})", "window: \"5\" is no duration"}});
}

// Wrong types for the unions of a schema, and numbers with a fraction.
TEST(TranscodeErrors, SchemaUnionsOfWrongType_Refused) {
  const auto refused = [](const std::string& schema) {
    const Result<std::string> message = internal::JsonToProtobuf(
        *apiextensionsv1::CustomResourceDefinition::kind_info().message,
        R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":)" + schema + "}}]}}");
    return message ? std::string() : message.error().message();
  };
  for (const char* member : {"items", "additionalProperties", "additionalItems"}) {
    EXPECT_THAT(refused("{\"" + std::string(member) + "\":5}"), HasSubstr(member));
    EXPECT_THAT(refused("{\"" + std::string(member) + "\":{\"type\":5}}"),
                HasSubstr("type: expected a string, got a number"));
    EXPECT_EQ(refused("{\"" + std::string(member) + "\":{\"type\":\"string\"}}"), "");
  }
  EXPECT_THAT(refused(R"({"dependencies":{"a":5}})"), HasSubstr("dependencies.a"));
  EXPECT_THAT(refused(R"({"dependencies":{"a":[5]}})"), HasSubstr("expected a string"));
  EXPECT_EQ(refused(R"({"dependencies":{"a":["b"],"c":{"type":"string"}}})"), "");
  EXPECT_EQ(refused(R"({"additionalProperties":false})"), "");
  EXPECT_THAT(refused(R"({"maximum":"5"})"), HasSubstr("maximum: expected a number, got a string"));
  EXPECT_THAT(refused(R"({"maximum":1e999})"), HasSubstr("maximum: 1e999 is too large"));
  EXPECT_EQ(refused(R"({"maximum":1.5,"default":{"a":[1]}})"), "");
}

}  // namespace
}  // namespace kinformer
