#include "cli/manifest_flags.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::cli {
namespace {

using ::testing::HasSubstr;

std::string Allowed(const std::string& text) {
  const auto kind = ParseAllowed(text);
  return kind ? kind->group + "|" + kind->version + "|" + kind->kind : kind.error().message();
}

std::string Parent(const std::string& text) {
  const auto parent = ParseParent(text);
  return parent ? parent->resource + "|" + parent->name : parent.error().message();
}

TEST(ManifestFlags, KindsThatMayBePrunedAreWrittenWithTheirGroup) {
  EXPECT_EQ(Allowed("apps/v1/Deployment"), "apps|v1|Deployment");
  EXPECT_EQ(Allowed("core/v1/Pod"), "|v1|Pod");
  for (const char* wrong : {"v1/Pod", "a/b/c/d", "", "apps//Pod", "apps/v1/"}) {
    EXPECT_THAT(Allowed(wrong), HasSubstr("\"" + std::string(wrong) + "\" ")) << wrong;
  }
}

TEST(ManifestFlags, AnApplySetIsNamedWithOrWithoutItsResource) {
  EXPECT_EQ(Parent("web"), "|web");
  EXPECT_EQ(Parent("cm/web"), "cm|web");
  for (const char* wrong : {"", "/web", "cm/", "a/b/c"}) {
    EXPECT_THAT(Parent(wrong), HasSubstr("is not [RESOURCE/]NAME")) << wrong;
  }
}

TEST(ManifestFlags, AGracePeriodIsANumberOfSeconds) {
  EXPECT_EQ(ParseGracePeriod("30").value_or(-7), 30);
  EXPECT_EQ(ParseGracePeriod("-1").value_or(-7), -1);
  EXPECT_FALSE(ParseGracePeriod("3s"));
  EXPECT_FALSE(ParseGracePeriod(""));
}

TEST(ManifestFlags, NamesHaveTheirKindAndGroupInFront) {
  RestMapping mapping;
  mapping.kind = {"apps", "v1", "ReplicaSet"};
  mapping.resource = {"apps", "v1", "replicasets"};
  EXPECT_EQ(QualifiedName(mapping, "web"), "replicaset.apps/web");
}

TEST(ManifestFlags, ASelectorKeepsTheManifestsWithItsLabels) {
  const std::string path = (std::filesystem::path(::testing::TempDir()) / "labelled.yaml").string();
  std::ofstream(path) << "kind: A\nmetadata: {labels: {app: x}}\n---\n"
                         "kind: B\nmetadata: {labels: {app: z}}\n---\nkind: C\n";
  const auto kinds = [&](const std::string& selector) {
    std::string out;
    const auto list = ReadFlagged({.files = {path}, .label_selector = selector});
    if (!list) return list.error().message();
    for (const Manifest& manifest : list->manifests) out += manifest.kind().kind;
    return out;
  };
  EXPECT_EQ(kinds(""), "ABC");
  EXPECT_EQ(kinds("app=x"), "A");
  EXPECT_EQ(kinds("app!=x"), "BC");
  EXPECT_THAT(kinds("app in ("), HasSubstr("-l: "));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kinformer::cli
