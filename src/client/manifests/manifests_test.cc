#include "kinformer/client/manifests.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace kinformer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Returns "Kind place" of each object.
std::vector<std::string> Places(const ManifestList& list) {
  std::vector<std::string> out;
  for (const Manifest& manifest : list.manifests) {
    out.push_back(manifest.kind().kind + " " + manifest.place());
  }
  return out;
}

std::vector<std::string> Kinds(const std::vector<Manifest>& manifests) {
  std::vector<std::string> out;
  for (const Manifest& manifest : manifests) out.push_back(manifest.kind().kind);
  return out;
}

class ManifestFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "inner");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / "kinformer-client-manifests";
};

TEST(Manifests, EachDocumentAndItemKnowsItsPlace) {
  const ManifestList list = ParseManifests(
      "# a comment\n"
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: shop}\n"
      "---\n---\n"
      "kind: List\nitems:\n- {kind: Namespace, metadata: {name: n}}\n- {kind: Pod}\n",
      "x.yaml");
  EXPECT_THAT(list.errors, IsEmpty());
  EXPECT_THAT(Places(list), ElementsAre("Deployment x.yaml:2", "Namespace x.yaml:7: item 1",
                                        "Pod x.yaml:7: item 2"));
  const Manifest& first = list.manifests[0];
  EXPECT_EQ(first.kind(), (GroupVersionKind{"apps", "v1", "Deployment"}));
  EXPECT_EQ(first.name() + " " + first.namespace_(), "d shop");
  EXPECT_EQ(first.document, 1U);
  EXPECT_EQ(list.manifests[2].document, 2U);
  EXPECT_EQ(list.manifests[2].name(), "");
}

TEST(Manifests, AKeyThatOccursTwiceIsAWarning) {
  const ManifestList list = ParseManifests("k: 1\nk: 2\n", "x.yaml");
  EXPECT_THAT(list.warnings,
              ElementsAre("x.yaml: line 2: key \"k\" already set in map; its last value counts"));
  ASSERT_THAT(list.manifests, SizeIs(1));
}

TEST_F(ManifestFiles, AFolderIsReadInTheOrderOfNamesAndDeeperOnRequest) {
  Write("b.yaml", "kind: B\n");
  Write("a.json", R"({"kind": "A"})");
  Write("notes.txt", "no: [manifest");
  Write("inner/c.yml", "kind: C\n");
  EXPECT_THAT(Kinds(ReadManifests({folder_.string()}).manifests), ElementsAre("A", "B"));
  EXPECT_THAT(Kinds(ReadManifests({folder_.string()}, {.recursive = true}).manifests),
              ElementsAre("A", "B", "C"));
}

TEST_F(ManifestFiles, AFileThatCannotBeReadDoesNotHideTheOthers) {
  const std::string good = Write("good.yaml", "kind: A\n");
  const std::string bad = Write("bad.yaml", "kind: B\n---\nkind: [\n");
  const std::string templated = Write("chart.yaml", "metadata:\n  name: {{ .Values.name }}\n");
  const ManifestList list = ReadManifests({bad, templated, folder_.string() + "/none.yaml", "~/x",
                                           "https://x/y", good, (folder_ / "inner").string(), "-"});
  EXPECT_THAT(Kinds(list.manifests), ElementsAre("A"));
  ASSERT_THAT(list.errors, SizeIs(7));
  EXPECT_EQ(list.errors[0].reason(), Reason::kDecode);
  EXPECT_THAT(list.errors[0].message(), HasSubstr("bad.yaml:"));
  EXPECT_THAT(list.errors[1].message(), HasSubstr("{{ }} belongs to a template"));
  EXPECT_EQ(list.errors[2].reason(), Reason::kConfig);
  EXPECT_THAT(list.errors[2].message(), HasSubstr("none.yaml: cannot be read; is it there"));
  EXPECT_THAT(list.errors[3].message(), HasSubstr("write $HOME/x"));
  EXPECT_THAT(list.errors[4].message(), HasSubstr("addresses are not fetched"));
  EXPECT_THAT(list.errors[5].message(), HasSubstr("the folder has no .yaml"));
  EXPECT_THAT(list.errors[6].message(), HasSubstr("no standard input"));
}

TEST_F(ManifestFiles, StandardInputIsReadForADash) {
  std::istringstream input("kind: A\n---\nkind: B\n");
  const ManifestList list = ReadManifests({"-"}, {.input = &input});
  EXPECT_THAT(Places(list), ElementsAre("A standard input:1", "B standard input:3"));
}

TEST(ManifestOrder, NeededObjectsComeFirst) {
  std::vector<Manifest> manifests =
      ParseManifests(
          "{apiVersion: example.com/v1, kind: Role}\n"
          "---\n{apiVersion: admissionregistration.k8s.io/v1, kind: "
          "ValidatingWebhookConfiguration}\n"
          "---\n{apiVersion: networking.k8s.io/v1, kind: Ingress}\n"
          "---\n{apiVersion: apps/v1, kind: Deployment}\n"
          "---\n{apiVersion: v1, kind: Pod}\n"
          "---\n{apiVersion: v1, kind: Service}\n"
          "---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding}\n"
          "---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}\n"
          "---\n{apiVersion: v1, kind: ConfigMap}\n"
          "---\n{apiVersion: v1, kind: ResourceQuota}\n"
          "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass}\n"
          "---\n{apiVersion: v1, kind: Namespace}\n"
          "---\n{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition}\n")
          .manifests;
  SortForInstall(manifests);
  EXPECT_THAT(Kinds(manifests),
              ElementsAre("CustomResourceDefinition", "Namespace", "PriorityClass", "ResourceQuota",
                          "ConfigMap", "ClusterRole", "RoleBinding", "Service", "Deployment", "Pod",
                          "Ingress", "ValidatingWebhookConfiguration", "Role"));
}

}  // namespace
}  // namespace kinformer
