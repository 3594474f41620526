#include "cli/init/project_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/internal/kind_of_struct.h"

namespace kinformer::cli {
namespace {

using ::testing::HasSubstr;

TEST(NamesOfProject, FolderAlone_GivesTheRest) {
  const ProjectNames names = NamesOfProject({.folder = "some/where/My_Shop.Operator/"}).OrExit();
  EXPECT_EQ(names.name, "my-shop-operator");
  EXPECT_EQ(names.group, "example.com");
  EXPECT_EQ(names.kind, "Website");
  EXPECT_EQ(names.version, "v1");
  EXPECT_EQ(names.plural, "websites");
  EXPECT_TRUE(names.plural_is_guessed);
  EXPECT_EQ(names.plural_type, "Websites");
  EXPECT_EQ(names.namespace_, "my-shop-operator-system");
  EXPECT_EQ(names.image, "my-shop-operator:latest");
}

TEST(NamesOfProject, GivenNames_AreTaken) {
  const ProjectNames names = NamesOfProject({.folder = "x",
                                             .name = "shop",
                                             .group = "a.b.example.org",
                                             .kind = "DNSPolicy",
                                             .version = "v2beta10",
                                             .namespace_ = "ops",
                                             .image = "registry.example.com:5000/shop@sha256:00"})
                                 .OrExit();
  EXPECT_EQ(names.name, "shop");
  EXPECT_EQ(names.plural, "dnspolicies");
  EXPECT_EQ(names.plural_type, "DNSPolicies");
  EXPECT_EQ(names.namespace_, "ops");
  EXPECT_EQ(names.image, "registry.example.com:5000/shop@sha256:00");
}

TEST(NamesOfProject, PluralOfItsOwn_IsNotThatOfTheLibrary) {
  const ProjectNames people =
      NamesOfProject({.folder = "x", .kind = "Person", .plural = "people"}).OrExit();
  EXPECT_FALSE(people.plural_is_guessed);
  EXPECT_EQ(people.plural_type, "People");
  const ProjectNames sheep =
      NamesOfProject({.folder = "x", .kind = "Sheep", .plural = "sheep"}).OrExit();
  EXPECT_EQ(sheep.plural_type, "SheepObjects") << "the struct has the other name";
}

TEST(NamesOfProject, WrongNames_AreRefusedWithTheirOption) {
  struct Row {
    WantedNames wanted;
    std::string words;
  };
  for (const Row& row : {
           Row{{.folder = "x", .name = "Shop"}, "--name \"Shop\" must be"},
           Row{{.folder = "x", .name = "-shop"}, "--name"},
           Row{{.folder = "x", .name = std::string(41, 'a')}, "at most 40 characters"},
           Row{{.folder = "1st"}, "give one by --name"},
           Row{{.folder = "/"}, "give one by --name"},
           Row{{.folder = "x", .group = "example"}, "--group \"example\" must be a domain"},
           Row{{.folder = "x", .group = "a..b"}, "--group"},
           Row{{.folder = "x", .group = "shop.k8s.io"}, "a domain of yours"},
           Row{{.folder = "x", .kind = "website"}, "--kind \"website\""},
           Row{{.folder = "x", .kind = "Web-Site"}, "--kind"},
           Row{{.folder = "x", .version = "1"}, "--api-version \"1\""},
           Row{{.folder = "x", .version = "v1beta"}, "--api-version"},
           Row{{.folder = "x", .version = "v1rc1"}, "--api-version"},
           Row{{.folder = "x", .plural = "Websites"}, "--plural"},
           Row{{.folder = "x", .namespace_ = "a.b"}, "--namespace"},
           Row{{.folder = "x", .image = "a b"}, "--image"},
       }) {
    const Result<ProjectNames> names = NamesOfProject(row.wanted);
    ASSERT_FALSE(names.ok()) << row.words;
    EXPECT_EQ(names.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(std::string(names.error().message()), HasSubstr(row.words));
  }
}

TEST(PluralOfKind, Guess_IsThatOfTheLibrary) {
  EXPECT_EQ(PluralOfKind("Website"), internal::PluralOf("Website").view());
  EXPECT_EQ(PluralOfKind("Policy"), internal::PluralOf("Policy").view());
  EXPECT_EQ(PluralOfKind("Gateway"), internal::PluralOf("Gateway").view());
  EXPECT_EQ(PluralOfKind("Mesh"), internal::PluralOf("Mesh").view());
  EXPECT_EQ(PluralOfKind("Batch"), internal::PluralOf("Batch").view());
  EXPECT_EQ(PluralOfKind("Class"), internal::PluralOf("Class").view());
  EXPECT_EQ(PluralOfKind("Box"), internal::PluralOf("Box").view());
  EXPECT_EQ(PluralOfKind("Y"), internal::PluralOf("Y").view());
}

}  // namespace
}  // namespace kinformer::cli
