#include "cli/init/project_files.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/client/manifests.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<ProjectFile> Files() {
  return FilesOfProject(NamesOfProject({.folder = "crew",
                                        .group = "batch.example.org",
                                        .kind = "CronTask",
                                        .version = "v1beta1",
                                        .plural = "tasks"})
                            .OrExit());
}

const ProjectFile& FileAt(const std::vector<ProjectFile>& files, const std::string& path) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const ProjectFile& file) { return file.path == path; });
  EXPECT_NE(found, files.end()) << path;
  return found == files.end() ? files.front() : *found;
}

TEST(FilesOfProject, Paths_HaveTheNames) {
  std::vector<std::string> paths;
  for (const ProjectFile& file : Files()) paths.push_back(file.path);
  EXPECT_TRUE(std::is_sorted(paths.begin(), paths.end()));
  for (const char* const path :
       {".github/workflows/test.yml", ".gitignore", "CMakeLists.txt", "api/v1beta1/crontask.h",
        "config/crd/batch.example.org_tasks.yaml", "config/default/kustomization.yaml",
        "src/crontask_reconciler.cc", "test/crontask_test.cc"}) {
    EXPECT_THAT(paths, Contains(path));
  }
  EXPECT_THAT(paths, Each(AllOf(Not(HasSubstr("__")), Not(HasSubstr("dot_")))));
}

TEST(FilesOfProject, Texts_HaveNoPlaceholderLeft) {
  for (const ProjectFile& file : Files()) {
    for (const char* const placeholder :
         {"@name@", "@group@", "@path_group@", "@Kind@", "@kind@", "@version@", "@plural@",
          "@Plural@", "@plural_member@", "@namespace@", "@image@"}) {
      EXPECT_THAT(file.text, Not(HasSubstr(placeholder))) << file.path;
    }
    EXPECT_TRUE(file.text.ends_with('\n')) << file.path;
    EXPECT_EQ(file.executable, file.text.starts_with("#!")) << file.path;
  }
}

TEST(FilesOfProject, PluralThatIsNotGuessed_IsInTheKind) {
  const std::vector<ProjectFile> files = Files();
  EXPECT_THAT(FileAt(files, "api/v1beta1/crontask.h").text, HasSubstr(R"(.plural = "tasks",)"));
  EXPECT_THAT(
      FileAt(FilesOfProject(NamesOfProject({.folder = "crew"}).OrExit()), "api/v1/website.h").text,
      Not(HasSubstr("plural")));
}

TEST(FilesOfProject, Manifests_CanBeReadAndNameTheSameThings) {
  std::size_t read = 0;
  for (const ProjectFile& file : Files()) {
    if (!file.path.starts_with("config/")) continue;
    const ManifestList list = ParseManifests(file.text, file.path);
    EXPECT_TRUE(list.errors.empty()) << file.path << ": " << list.errors.front();
    for (const Manifest& manifest : list.manifests) {
      ++read;
      if (manifest.kind().kind == "Kustomization" || manifest.kind().kind == "CronTask") continue;
      EXPECT_THAT(manifest.name(), ::testing::AnyOf(HasSubstr("crew"), HasSubstr("tasks")))
          << file.path;
      const std::string space = manifest.namespace_();
      EXPECT_TRUE(space.empty() || space == "crew-system") << file.path;
    }
  }
  EXPECT_GT(read, 30U);
}

}  // namespace
}  // namespace kinformer::cli
