#include "cli/manifests.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace kinformer::cli {
namespace {

using ::testing::HasSubstr;

TEST(Manifests, DefinitionsComeFirstAndPlacesAreNamed) {
  std::istringstream input(
      "# a comment\n"
      "kind: Widget\nmetadata: {name: w}\n"
      "---\n"
      "kind: ConfigMap\nmetadata: {name: c}\n"
      "---\n---\n"
      "kind: CustomResourceDefinition\nmetadata: {name: d}\n"
      "---\n"
      "kind: List\nitems:\n- {kind: Namespace, metadata: {name: n}}\n- {kind: Pod}\n");
  const auto read = ReadManifests({"-"}, input);
  ASSERT_TRUE(read) << read.error();
  std::string seen;
  for (const Manifest& manifest : *read) {
    seen += manifest.object["kind"].StringOrEmpty() + " " + manifest.place + "\n";
  }
  EXPECT_EQ(seen,
            "CustomResourceDefinition standard input:8\n"
            "Namespace standard input:11\n"
            "Widget standard input:1\n"
            "ConfigMap standard input:4\n"
            "Pod standard input:11\n");
}

TEST(Manifests, OfAFolderByTheirNames) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "kinformer-manifests";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "b.yaml") << "kind: B\n";
  std::ofstream(folder / "a.json") << "{\"kind\": \"A\"}";
  std::ofstream(folder / "notes.txt") << "no: [manifest";
  std::istringstream input;
  const auto read = ReadManifests({folder.string()}, input);
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].place, (folder / "a.json").string() + ":1");
  EXPECT_EQ((*read)[1].object["kind"].StringOrEmpty(), "B");
  std::ofstream(folder / "c.yml") << "kind: C\n---\nkind: [\n";
  const auto broken = ReadManifests({folder.string()}, input);
  ASSERT_FALSE(broken);
  EXPECT_THAT(std::string(broken.error().message()), HasSubstr("c.yml:"));
  std::filesystem::remove_all(folder);
  EXPECT_THAT(std::string(ReadManifests({folder.string()}, input).error().message()),
              HasSubstr("is it there"));
}

}  // namespace
}  // namespace kinformer::cli
