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
  std::vector<std::string> warnings;
  const auto read = ReadManifestsToLoad({"-"}, input, warnings);
  ASSERT_TRUE(read) << read.error();
  std::string seen;
  for (const Manifest& manifest : *read) {
    seen += manifest.object["kind"].StringOrEmpty() + " " + manifest.place() + "\n";
  }
  EXPECT_EQ(seen,
            "CustomResourceDefinition standard input:9\n"
            "Namespace standard input:12: item 1\n"
            "Widget standard input:2\n"
            "ConfigMap standard input:5\n"
            "Pod standard input:12: item 2\n");
}

TEST(Manifests, Folder_IsReadInOrderOfFileNames) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "kinformer-manifests";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "b.yaml") << "kind: B\n";
  std::ofstream(folder / "a.json") << "{\"kind\": \"A\"}";
  std::ofstream(folder / "notes.txt") << "no: [manifest";
  std::istringstream input;
  std::vector<std::string> warnings;
  const auto read = ReadManifestsToLoad({folder.string()}, input, warnings);
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[0].place(), (folder / "a.json").string() + ":1");
  EXPECT_EQ((*read)[1].object["kind"].StringOrEmpty(), "B");
  std::ofstream(folder / "c.yml") << "kind: C\n---\nkind: [\n";
  const auto broken = ReadManifestsToLoad({folder.string()}, input, warnings);
  ASSERT_FALSE(broken);
  EXPECT_THAT(std::string(broken.error().message()), HasSubstr("c.yml:"));
  std::filesystem::remove_all(folder);
  EXPECT_THAT(
      std::string(ReadManifestsToLoad({folder.string()}, input, warnings).error().message()),
      HasSubstr("is it there"));
  EXPECT_THAT(std::string(ReadManifestsToLoad({"~/no-such"}, input, warnings).error().message()),
              HasSubstr("--load ~/no-such: cannot be read; the shell left ~ as it is: write "
                        "$HOME/no-such"));
}

// Manifests are read like kubectl reads them; small files that were once read differently.
TEST(Manifests, AreReadAsKubectlReadsThem) {
  const auto read = [](std::string text, std::vector<std::string>& warnings) {
    std::istringstream input(std::move(text));
    const auto manifests = ReadManifestsToLoad({"-"}, input, warnings);
    if (!manifests) return "error: " + manifests.error().message();
    std::string all;
    for (const Manifest& manifest : *manifests) all += manifest.object.Dump() + "\n";
    return all;
  };
  std::vector<std::string> warnings;
  EXPECT_EQ(read("data: {v6: fd00::, v4: 10.0.0.0}\n", warnings),
            R"({"data":{"v6":"fd00::","v4":"10.0.0.0"}})"
            "\n");
  EXPECT_EQ(read("data:\n  a: |\n    x", warnings), "{\"data\":{\"a\":\"x\\n\"}}\n");
  EXPECT_EQ(read("\ufeffa: 1\n---\n\ufeffb: 2\n", warnings), "{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(read("{\"a\":1}\n{\"b\":2}", warnings), "{\"a\":1}\n{\"b\":2}\n");
  EXPECT_THAT(read("a: 1\n---apiVersion: v1\n", warnings),
              HasSubstr("standard input:2:4: a line that begins with '---' ends a document"));
  EXPECT_THAT(read("metadata:\n  name: {{ .Release.Name }}\n", warnings),
              HasSubstr("{{ }} belongs to a template: render it first"));
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(read("data:\n  k: 1\n---\nk: 1\nk: 2\n", warnings),
            "{\"data\":{\"k\":1}}\n{\"k\":2}\n");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0],
            "standard input: line 5: key \"k\" already set in map; its last value counts");
}

}  // namespace
}  // namespace kinformer::cli
