#include "otlp/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "base/core/prng.h"

namespace kinformer::internal::otlp {
namespace {

using ::testing::HasSubstr;

constexpr char kSampled[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr char kNotSampled[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

Sampler Of(const std::string& name, const std::string& argument = "") {
  return Sampler::Of(name, argument, "here").OrExit();
}

bool Root(const Sampler& sampler) {
  return sampler.Samples(nullptr, SpanContext::Of(kSampled)->trace_id);
}
bool Child(const Sampler& sampler, const char* parent) {
  const SpanContext context = *SpanContext::Of(parent);
  return sampler.Samples(&context, context.trace_id);
}

TEST(OtlpSamplerTest, Names_AreThoseOfTheStandard) {
  EXPECT_TRUE(Root(Of("always_on")));
  EXPECT_FALSE(Root(Of("always_off")));
  EXPECT_TRUE(Root(Of("parentbased_always_on")));
  EXPECT_FALSE(Root(Of("parentbased_always_off")));
  EXPECT_TRUE(Root(Of("traceidratio")));
  EXPECT_TRUE(Root(Of("traceidratio", "1")));
  EXPECT_FALSE(Root(Of("traceidratio", "0")));
  EXPECT_FALSE(Root(Of("parentbased_traceidratio", "0.0")));
}

TEST(OtlpSamplerTest, ParentsDecide_WhereTheyAreAsked) {
  EXPECT_FALSE(Child(Of("parentbased_always_on"), kNotSampled));
  EXPECT_TRUE(Child(Of("parentbased_always_off"), kSampled));
  EXPECT_TRUE(Child(Of("parentbased_traceidratio", "0"), kSampled));
  EXPECT_TRUE(Child(Of("always_on"), kNotSampled));
  EXPECT_FALSE(Child(Of("always_off"), kSampled));
}

TEST(OtlpSamplerTest, Ratio_IsThatShareOfTheTraces) {
  const Sampler quarter = Of("traceidratio", "0.25");
  base::Prng random(7);
  int sampled = 0;
  for (int i = 0; i < 100000; ++i) {
    std::array<std::uint8_t, 16> id{};
    for (std::uint8_t& byte : id) byte = static_cast<std::uint8_t>(random.Next());
    sampled += quarter.Samples(nullptr, id) ? 1 : 0;
  }
  EXPECT_NEAR(sampled, 25000, 600);
  std::array<std::uint8_t, 16> id{};
  id[8] = 0x3f;
  EXPECT_TRUE(quarter.Samples(nullptr, id));
  id[8] = 0x40;
  EXPECT_FALSE(quarter.Samples(nullptr, id)) << "a quarter of 2^64 and more";
}

TEST(OtlpSamplerTest, WrongNamesAndShares_AreRefusedInWords) {
  const Result<Sampler> unknown = Sampler::Of("sometimes", "", "OTEL_TRACES_SAMPLER");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().reason(), Reason::kConfig);
  EXPECT_THAT(unknown.error().message(),
              HasSubstr("OTEL_TRACES_SAMPLER: there is no sampler \"sometimes\""));
  for (const char* const share : {"2", "-0.1", "x", "0.5x", "nan", " 1"}) {
    const Result<Sampler> wrong = Sampler::Of("traceidratio", share, "ARG");
    ASSERT_FALSE(wrong.ok()) << share;
    EXPECT_THAT(wrong.error().message(), HasSubstr("ARG: the share of the traces")) << share;
  }
}

}  // namespace
}  // namespace kinformer::internal::otlp
