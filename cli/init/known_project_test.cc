#include "cli/init/known_project.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "cli/init/project_files.h"

namespace kinformer::cli {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

class NamesOfFurtherKindTest : public ::testing::Test {
 protected:
  NamesOfFurtherKindTest() {
    Write(FilesOfProject(NamesOfProject({.folder = "x",
                                         .name = "shop",
                                         .group = "a.example.org",
                                         .kind = "Policy",
                                         .version = "v1beta1",
                                         .namespace_ = "ops"})
                             .OrExit()));
  }
  ~NamesOfFurtherKindTest() override { fs::remove_all(folder_); }

  void Write(const std::vector<ProjectFile>& files) {
    for (const ProjectFile& file : files) {
      fs::create_directories((folder_ / file.path).parent_path());
      std::ofstream(folder_ / file.path) << file.text;
    }
  }
  Result<ProjectNames> Names(WantedNames wanted = {}) {
    wanted.folder = folder_.string();
    if (wanted.kind.empty()) wanted.kind = "Gadget";
    return NamesOfFurtherKind(wanted);
  }
  std::string Refusal(const WantedNames& wanted = {}) {
    const Result<ProjectNames> names = Names(wanted);
    return names ? "" : std::string(names.error().message());
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) /
                           ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(NamesOfFurtherKindTest, Project_GivesWhatIsNotGiven) {
  const ProjectNames names = Names().OrExit();
  EXPECT_EQ(names.name, "shop");
  EXPECT_EQ(names.namespace_, "ops");
  EXPECT_EQ(names.group, "a.example.org");
  EXPECT_EQ(names.version, "v1beta1");
  EXPECT_EQ(names.kind, "Gadget");
  EXPECT_EQ(names.plural, "gadgets");
}

TEST_F(NamesOfFurtherKindTest, GivenNames_AreTaken) {
  const ProjectNames names =
      Names({.group = "b.example.org", .kind = "Person", .version = "v2", .plural = "people"})
          .OrExit();
  EXPECT_EQ(names.group, "b.example.org");
  EXPECT_EQ(names.version, "v2");
  EXPECT_EQ(names.plural_type, "People");
}

TEST_F(NamesOfFurtherKindTest, WrongKind_IsRefused) {
  EXPECT_THAT(Refusal({.kind = "gadget"}), HasSubstr("begin with a capital"));
}

TEST_F(NamesOfFurtherKindTest, SeveralGroupsOrVersions_MustBeChosenFrom) {
  Write(FilesOfKind(Names({.group = "b.example.org", .version = "v2"}).OrExit()));
  EXPECT_THAT(Refusal(), HasSubstr("give --group, such as a.example.org, b.example.org"));
  EXPECT_THAT(Refusal({.group = "a.example.org"}),
              HasSubstr("give --api-version, such as v1beta1, v2"));
  EXPECT_TRUE(Names({.group = "a.example.org", .version = "v2"}).ok());
}

TEST_F(NamesOfFurtherKindTest, NoKindLeft_AsksForTheGroup) {
  fs::remove_all(folder_ / "config/crd");
  EXPECT_THAT(Refusal(), HasSubstr("give --group"));
}

TEST_F(NamesOfFurtherKindTest, OtherFolder_IsNoProject) {
  fs::remove(folder_ / "src/operator.h");
  const Result<ProjectNames> names = Names();
  ASSERT_FALSE(names.ok());
  EXPECT_EQ(names.error().reason(), Reason::kConfig);
  EXPECT_THAT(std::string(names.error().message()), HasSubstr("has no project of kinformer init"));
}

}  // namespace
}  // namespace kinformer::cli
