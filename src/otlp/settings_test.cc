#include "otlp/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kinformer::internal::otlp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

using Variable = std::map<std::string, std::string>;

Result<Settings> Read(const Variable& variables, const OtlpOptions& options = {}) {
  return SettingsOf(options, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

std::string UrlOf(const Variable& variables, const OtlpOptions& options = {}) {
  const Result<Settings> settings = Read(variables, options);
  return settings ? settings->base_url + " " + settings->target : settings.error().ToString();
}

std::string FaultOf(const Variable& variables, const OtlpOptions& options = {}) {
  const Result<Settings> settings = Read(variables, options);
  if (settings) return "";
  EXPECT_EQ(settings.error().reason(), Reason::kConfig);
  return settings.error().message();
}

TEST(OtlpSettingsTest, Endpoint_IsTheOptionThenTheVariables) {
  EXPECT_EQ(UrlOf({}), "http://localhost:4318 /v1/traces");
  EXPECT_EQ(UrlOf({{"OTEL_EXPORTER_OTLP_ENDPOINT", ""}}), "http://localhost:4318 /v1/traces");
  const Variable both{{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://a:1/base/"},
                      {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://b/own/path"}};
  EXPECT_EQ(UrlOf({*both.begin()}), "https://a:1 /base/v1/traces");
  EXPECT_EQ(UrlOf(both), "http://b /own/path") << "that of traces is used as it is";
  EXPECT_EQ(UrlOf({{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://b:2"}}), "http://b:2 /");
  EXPECT_EQ(UrlOf(both, {.endpoint = "http://c:3"}), "http://c:3 /v1/traces");
  EXPECT_EQ(UrlOf({}, {.endpoint = "http://[::1]:3/"}), "http://[::1]:3 /v1/traces");
}

TEST(OtlpSettingsTest, WrongEndpoints_AreRefusedWithTheirPlace) {
  for (const char* const url :
       {"localhost:4318", "grpc://a", "http://", "http://a b", "http://a?b", "http://a#b"}) {
    EXPECT_THAT(FaultOf({{"OTEL_EXPORTER_OTLP_ENDPOINT", url}}),
                StartsWith("OTEL_EXPORTER_OTLP_ENDPOINT: the endpoint "))
        << url;
  }
  EXPECT_THAT(FaultOf({}, {.endpoint = "x"}), StartsWith("OtlpOptions::endpoint: "));
  EXPECT_THAT(FaultOf({}, {.endpoint = "http://me:hidden@a"}),
              AllOf(HasSubstr("must have no user and password"), Not(HasSubstr("hidden"))));
}

TEST(OtlpSettingsTest, Headers_AreReadAsBaggageIs) {
  const Settings settings =
      Read({{"OTEL_EXPORTER_OTLP_HEADERS", " api-key = a%2Cb=c%20 ,,x=y, z="}}).OrExit();
  EXPECT_EQ(settings.headers.Get("api-key"), "a,b=c ");
  EXPECT_EQ(settings.headers.Get("x"), "y");
  EXPECT_TRUE(settings.headers.Has("z"));
  EXPECT_EQ(settings.headers.size(), 3U);
  const Variable both{{"OTEL_EXPORTER_OTLP_HEADERS", "a=1"},
                      {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=2"}};
  EXPECT_EQ(Read(both).OrExit().headers.Get("a"), "2");
  EXPECT_EQ(Read(both, {.headers = {{"a", "3"}}}).OrExit().headers.Get("a"), "3");
}

TEST(OtlpSettingsTest, WrongHeaders_AreNamedWithoutTheirValues) {
  for (const char* const text : {"token", "=hidden", "a=1,hidden", "token=hidden%2",
                                 "token=hidden%zz", "to ken=hidden", "token=hidden%0a"}) {
    EXPECT_THAT(FaultOf({{"OTEL_EXPORTER_OTLP_HEADERS", text}}),
                AllOf(StartsWith("OTEL_EXPORTER_OTLP_HEADERS: "), Not(HasSubstr("hidden"))))
        << text;
  }
  EXPECT_THAT(
      FaultOf({}, {.headers = {{"a", "hidden\n"}}}),
      AllOf(StartsWith("OtlpOptions::headers: the value of \"a\""), Not(HasSubstr("hidden"))));
}

TEST(OtlpSettingsTest, ServiceName_HasItsOrder) {
  const auto name = [](const Variable& variables, const OtlpOptions& options = {}) {
    const Settings settings = Read(variables, options).OrExit();
    EXPECT_EQ(settings.resource.at(0).first, "service.name");
    return settings.resource.at(0).second;
  };
  EXPECT_THAT(name({}), StartsWith("unknown_service:otlp_test"));
  Variable variables{{"OTEL_RESOURCE_ATTRIBUTES", "service.name=of-resource,zone=a%20b"}};
  EXPECT_EQ(name(variables), "of-resource");
  variables["OTEL_SERVICE_NAME"] = "of-variable";
  EXPECT_EQ(name(variables), "of-variable");
  EXPECT_EQ(name(variables, {.service_name = "of-option"}), "of-option");
  const Settings settings = Read(variables, {.resource_attributes = {{"pod", "p"}}}).OrExit();
  EXPECT_THAT(settings.resource, Contains(Pair("zone", "a b")));
  EXPECT_THAT(settings.resource, Contains(Pair("pod", "p")));
  EXPECT_THAT(settings.resource, Contains(Pair("telemetry.sdk.language", "cpp")));
  EXPECT_THAT(settings.resource, Not(Contains(Pair("service.name", "of-resource"))));
  EXPECT_THAT(FaultOf({{"OTEL_RESOURCE_ATTRIBUTES", "zone"}}),
              StartsWith("OTEL_RESOURCE_ATTRIBUTES: entry 1 is no key=value"));
}

TEST(OtlpSettingsTest, SamplerAndCertificate_AreReadToo) {
  const SpanContext root =
      *SpanContext::Of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  const auto samples = [&](const Variable& variables, const OtlpOptions& options = {}) {
    return Read(variables, options).OrExit().sampler.Samples(nullptr, root.trace_id);
  };
  EXPECT_TRUE(samples({}));
  EXPECT_FALSE(samples({{"OTEL_TRACES_SAMPLER", "always_off"}}));
  EXPECT_TRUE(samples({{"OTEL_TRACES_SAMPLER", "always_off"}}, {.sampler = "always_on"}));
  EXPECT_FALSE(
      samples({{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", "0"}}));
  EXPECT_THAT(FaultOf({{"OTEL_TRACES_SAMPLER", "x"}}), StartsWith("OTEL_TRACES_SAMPLER: "));
  EXPECT_THAT(FaultOf({{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", "7"}}),
              StartsWith("OTEL_TRACES_SAMPLER_ARG: "));
  EXPECT_EQ(Read({{"OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca"}}).OrExit().ca_file, "/ca");
  EXPECT_EQ(Read({}, {.ca_file = "/own"}).OrExit().ca_file, "/own");
}

}  // namespace
}  // namespace kinformer::internal::otlp
