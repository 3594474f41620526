#include "cli/init/kind_lines.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "kinformer/client/manifests.h"
#include "kinformer/json/json.h"

#include "cli/init/init_templates.h"
#include "cli/init/project_files.h"

namespace kinformer::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

ProjectNames Shop() { return NamesOfProject({.folder = "shop"}).OrExit(); }
ProjectNames Gadget() {
  return NamesOfProject({.folder = "shop", .group = "tools.example.org", .kind = "Gadget"})
      .OrExit();
}

// The shared files of a project, by path, with the lines of Gadget.
std::map<std::string, std::string> WithGadget() {
  std::map<std::string, std::string> out;
  for (const ProjectFile& file : FilesOfProject(Shop())) out[file.path] = file.text;
  for (const KindLines& lines : LinesOfKind(Gadget())) {
    const std::optional<std::string> with = WithLines(out.at(lines.path), lines);
    EXPECT_TRUE(with) << lines.path << ": no line like " << lines.form;
    out[lines.path] = with.value_or("");
  }
  return out;
}

KindLines OfSamples() {
  return {.path = "x", .form = "- @kind@.yaml", .lines = {"- gadget.yaml", "- gadget_2.yaml"}};
}

TEST(LinesOfKind, EachFileThatNamesAKind_IsSharedOrOfThatKind) {
  std::vector<std::string> shared;
  for (const KindLines& lines : LinesOfKind(Gadget())) shared.push_back(lines.path);
  for (const InitTemplate& file : InitTemplates()) {
    const bool names_kind = std::ranges::any_of(
        std::vector<std::string>{"@kind@", "@Kind@", "@plural@", "@Plural@"},
        [&](const std::string& name) { return file.text.find(name) != std::string_view::npos; });
    const bool of_kind = file.path.find("__") != std::string_view::npos;
    if (!names_kind || of_kind || file.path == "README.md") continue;
    EXPECT_THAT(shared, Contains(std::string(file.path)));
  }
}

TEST(LinesOfKind, NoOtherNames_AreInThem) {
  for (const KindLines& lines : LinesOfKind(Gadget())) {
    EXPECT_FALSE(lines.lines.empty());
    for (const std::string& line : lines.lines) {
      EXPECT_THAT(line, AllOf(Not(HasSubstr("@")), Not(HasSubstr("ebsite"))));
    }
  }
}

TEST(WithLines, FurtherKind_IsInEverySharedFile) {
  std::map<std::string, std::string> files = WithGadget();
  const std::string cmake = files["CMakeLists.txt"];
  EXPECT_THAT(cmake, HasSubstr("  src/gadget_reconciler.cc\n  src/gadget_webhooks.cc\n"
                               "  src/website_reconciler.cc\n"));
  EXPECT_THAT(cmake, HasSubstr("  HEADERS\n    api/v1/gadget.h\n    api/v1/website.h\n"
                               "  KINDS\n    v1::Gadget\n    v1::Website\n)"));
  EXPECT_THAT(cmake, HasSubstr("    test/gadget_test.cc\n    test/website_test.cc\n"));
  EXPECT_THAT(files["src/operator.cc"], AllOf(HasSubstr("#include \"src/gadget_webhooks.h\"\n"
                                                        "#include \"src/website_reconciler.h\"\n"),
                                              HasSubstr("    SetUpGadgetController,\n"
                                                        "    SetUpGadgetWebhooks,\n"
                                                        "    SetUpWebsiteController,\n")));
  EXPECT_THAT(files["config/crd/kustomization.yaml"],
              HasSubstr("resources:\n- tools.example.org_gadgets.yaml\n- example.com_websites"));
  EXPECT_THAT(files["config/samples/kustomization.yaml"], HasSubstr("- gadget.yaml\n"));
  EXPECT_THAT(files["config/rbac/kustomization.yaml"],
              HasSubstr("- gadget_viewer_role.yaml\n- website_admin_role.yaml\n"));
  EXPECT_THAT(files["config/rbac/role.yaml"],
              HasSubstr("- apiGroups: [tools.example.org]\n  resources: [gadgets/finalizers]\n"
                        "  verbs: [update]\n- apiGroups: [example.com]\n"));
}

TEST(WithLines, WebhooksOfBothKinds_AreOneConfiguration) {
  std::map<std::string, std::string> files = WithGadget();
  for (const char* const path : {"config/webhook/mutating.yaml", "config/webhook/validating.yaml",
                                 "config/dev/webhooks.yaml"}) {
    const ManifestList list = ParseManifests(files[path], path);
    ASSERT_TRUE(list.errors.empty()) << list.errors.front();
    for (const Manifest& manifest : list.manifests) {
      const json::Value& webhooks = manifest.object["webhooks"];
      ASSERT_EQ(webhooks.size(), 2U) << path;
      const bool mutating = manifest.kind().kind == "MutatingWebhookConfiguration";
      EXPECT_EQ(webhooks[0]["name"].StringOrEmpty(), mutating
                                                         ? "default-gadget.tools.example.org"
                                                         : "validate-gadget.tools.example.org");
      EXPECT_EQ(webhooks[1]["name"].StringOrEmpty(),
                mutating ? "default-website.example.com" : "validate-website.example.com");
    }
  }
}

TEST(WithLines, SameKindAgain_ChangesNothing) {
  const std::map<std::string, std::string> files = WithGadget();
  for (const KindLines& lines : LinesOfKind(Gadget())) {
    EXPECT_THAT(WithLines(files.at(lines.path), lines), Optional(files.at(lines.path)));
  }
}

TEST(WithLines, Place_IsTheFirstLineOfTheForm) {
  EXPECT_THAT(WithLines("resources:\n- a.yaml\n- b.yaml\n", OfSamples()),
              Optional(Eq("resources:\n- gadget.yaml\n- gadget_2.yaml\n- a.yaml\n- b.yaml\n")));
  EXPECT_THAT(WithLines("resources:\r\n    - a.yaml \r\n", OfSamples()),
              Optional(Eq("resources:\r\n    - gadget.yaml\n    - gadget_2.yaml\n"
                          "    - a.yaml \r\n")))
      << "as far indented as its neighbour";
}

TEST(WithLines, NoLineOfTheForm_IsNoPlace) {
  for (const char* const text : {"", "resources: [a.yaml]\n", "- .yaml\n", "- a/b.yaml\n",
                                 "- a.yaml  # mine\n", "- a.yml\n", "- a.yaml.txt\n"}) {
    EXPECT_EQ(WithLines(text, OfSamples()), std::nullopt) << text;
  }
}

TEST(WithLines, SomeOfTheLines_AreNotTheKind) {
  EXPECT_THAT(WithLines("- gadget.yaml\n- z.yaml\n", OfSamples()),
              Optional(HasSubstr("- gadget_2.yaml\n- gadget.yaml\n- z.yaml\n")));
}

}  // namespace
}  // namespace kinformer::cli
