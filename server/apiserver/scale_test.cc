// Scales: how objects are shown as one, which are refused, and how they are applied.

#include "apiserver/write/request/scale.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

ResourceAt Custom(Subresource scale) {
  ServedResource resource;
  resource.group = "x.io";
  resource.kind = "Widget";
  resource.plural = "widgets";
  resource.custom = true;
  scale.name = "scale";
  resource.subresources.push_back(std::move(scale));
  ServedVersion version;
  version.version = "v1";
  return {.resource = std::make_shared<ServedResource>(std::move(resource)),
          .version = std::make_shared<const ServedVersion>(std::move(version))};
}

ResourceAt Widgets() {
  Subresource scale;
  scale.spec_path = ".spec.size";
  scale.status_path = ".status.size";
  scale.selector_path = ".status.labels";
  return Custom(std::move(scale));
}

class ScaleTest : public ::testing::Test {
 protected:
  const ResourceTable table_{HistoryLimits{}};
  const ResourceAt deployments_ = table_.Find("apps", "v1", "deployments");
};

std::string TextOf(const Result<void>& result) {
  return result ? ""
                : std::to_string(result.error().http_status()) + " " + result.error().message();
}

TEST_F(ScaleTest, Object_IsShownAsAScale) {
  const std::string metadata =
      R"("metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7",)"
      R"("creationTimestamp":"t")";
  const std::string start = R"({"kind":"Scale","apiVersion":"autoscaling/v1",)" + metadata + "},";
  struct Row {
    ResourceAt at;
    std::string object;
    std::string scale;
  };
  Subresource plain;
  plain.spec_path = ".spec.size";
  plain.status_path = ".status.size";
  const std::vector<Row> rows = {
      {deployments_,
       R"("spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"}}},"status":{"replicas":2})",
       R"("spec":{"replicas":3},"status":{"replicas":2,"selector":"a=b"}})"},
      {deployments_, R"("spec":{"replicas":0})", R"("spec":{},"status":{"replicas":0}})"},
      {deployments_, R"("spec":{})", R"("spec":{},"status":{"replicas":0}})"},
      {Widgets(), R"("spec":{"size":1},"status":{"size":4,"labels":"c=d"})",
       R"("spec":{"replicas":1},"status":{"replicas":4,"selector":"c=d"}})"},
      {Custom(plain), R"("spec":{"size":"x"})", R"("spec":{},"status":{"replicas":0}})"},
      {Custom(plain), R"("spec":{"size":1,"selector":{"matchLabels":{"a":"b"}}})",
       R"("spec":{"replicas":1},"status":{"replicas":0}})"},
  };
  for (const Row& row : rows) {
    const auto scale =
        ScaleOf(row.at, Json("{" + metadata + R"(,"labels":{"x":"y"}},)" + row.object + "}"),
                /*for_change=*/false);
    ASSERT_TRUE(scale.ok()) << row.object;
    EXPECT_EQ(scale->Dump(), start + row.scale) << row.object;
  }
  const auto missing = ScaleOf(Widgets(), Json(R"({"spec":{}})"), /*for_change=*/false);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().http_status(), 500);
  EXPECT_EQ(missing.error().reason(), Reason::kInternalError);
  EXPECT_EQ(missing.error().message(),
            "Internal error occurred: the spec replicas field \".spec.size\" does not exist");
  ASSERT_EQ(missing.error().details().causes.size(), 1U);
  EXPECT_EQ(missing.error().details().causes[0].message,
            "the spec replicas field \".spec.size\" does not exist");
  const auto changed = ScaleOf(Widgets(), Json(R"({"spec":{}})"), /*for_change=*/true);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ((*changed)["spec"], json::Value::MakeObject());
}

TEST_F(ScaleTest, Body_IsAScale) {
  constexpr std::string_view kMust =
      "400 the body must be a Scale of autoscaling/v1 with a whole number of spec.replicas";
  constexpr std::string_view kNamed = R"("metadata":{"name":"a"})";
  const auto with = [&](std::string_view more) {
    return "{" + std::string(more) + (more.empty() ? "" : ",") + std::string(kNamed) + "}";
  };
  const std::string full = R"("kind":"Scale","apiVersion":"autoscaling/v1")";
  const std::vector<std::pair<std::pair<bool, std::string>, std::string_view>> rows = {
      {{false, with("")}, ""},
      {{false, with(R"("kind":"Scale")")}, ""},
      {{false, with(R"("kind":"Pod")")},
       "400 Pod in version \"v1\" cannot be handled as a Scale: the body must hold a Scale"},
      {{false, R"({"metadata":{"name":"b"}})"},
       "400 the name of the object (b) does not match the name on the URL (a)"},
      {{true, with("")}, kMust},
      {{true, with(full)}, ""},
      {{true, with(full + R"(,"spec":{"replicas":3})")}, ""},
      {{true, with(full + R"(,"spec":{"replicas":3.5})")}, kMust},
      {{true, with(full + R"(,"spec":{"replicas":"3"})")}, kMust},
      {{true, with(R"("kind":"Scale")")}, kMust},
      {{true, with(R"("kind":"Scale","apiVersion":"autoscaling/v2")")}, kMust},
      {{true, with(R"("kind":"Pod","apiVersion":"autoscaling/v1")")}, kMust},
  };
  for (const auto& [row, error] : rows) {
    EXPECT_EQ(TextOf(CheckScale(row.first ? Widgets() : deployments_, "a", Json(row.second))),
              error)
        << row.first << row.second;
  }
}

TEST_F(ScaleTest, Replicas_AreNotNegative) {
  const auto check = [](const ResourceAt& at, std::string_view count) {
    return TextOf(
        CheckReplicas(at, "a", Json(R"({"spec":{"replicas":)" + std::string(count) + "}}")));
  };
  for (const char* good : {"0", "1", "7", "null"}) {
    EXPECT_EQ(check(deployments_, good), "") << good;
    EXPECT_EQ(check(Widgets(), good), "") << good;
  }
  EXPECT_EQ(check(deployments_, "-1"),
            "422 Scale.autoscaling \"a\" is invalid: spec.replicas: Invalid value: -1: must be "
            "greater than or equal to 0");
  EXPECT_EQ(check(Widgets(), "-1"),
            "422 Widget.x.io \"a\" is invalid: .spec.size: Invalid value: -1: should be a "
            "non-negative integer");
}

TEST_F(ScaleTest, Scale_IsAppliedToTheObject) {
  json::Value object = Json(R"({"metadata":{"name":"a"},"spec":{"replicas":1,"x":1}})");
  ASSERT_TRUE(ApplyScale(deployments_,
                         Json(R"({"metadata":{"resourceVersion":"7","uid":"u","labels":{}},
                             "spec":{"replicas":5}})"),
                         object)
                  .ok());
  EXPECT_EQ(object, Json(R"({"metadata":{"name":"a","resourceVersion":"7","uid":"u"},
      "spec":{"replicas":5,"x":1}})"));
  object = Json(R"({"metadata":{"name":"a"},"spec":{"size":1}})");
  ASSERT_TRUE(ApplyScale(Widgets(), Json(R"({"metadata":{"uid":""}})"), object).ok());
  EXPECT_EQ(object, Json(R"({"metadata":{"name":"a"},"spec":{"size":0}})"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
