#include "cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

namespace kinformer::cli {

void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.resource << '/' << asked.name; }

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Arguments, KubectlForms_AreRead) {
  EXPECT_THAT(*ReadArguments({"pods"}), ElementsAre(Asked{"pods", ""}));
  EXPECT_THAT(*ReadArguments({"po,svc"}), ElementsAre(Asked{"po", ""}, Asked{"svc", ""}));
  EXPECT_THAT(*ReadArguments({"deployments.apps", "a", "b"}),
              ElementsAre(Asked{"deployments.apps", "a"}, Asked{"deployments.apps", "b"}));
  EXPECT_THAT(
      *ReadArguments({"po,svc", "a", "b"}),
      ElementsAre(Asked{"po", "a"}, Asked{"po", "b"}, Asked{"svc", "a"}, Asked{"svc", "b"}));
  EXPECT_THAT(*ReadArguments({"pod/a", "cm/b", "pod/a"}),
              ElementsAre(Asked{"pod", "a"}, Asked{"cm", "b"}, Asked{"pod", "a"}));
}

TEST(Arguments, MalformedArguments_AreRefusedWithAHint) {
  const struct {
    std::vector<std::string> arguments;
    const char* want;
  } kCases[] = {
      {{"pod", "default/web-0"}, "\"default/web-0\" is a key: write pod web-0 -n default"},
      {{"po,svc", "shop/a", "shop/b"}, "\"shop/a\" is a key: write po,svc a -n shop"},
      {{"svc/a", "pod"}, "\"pod\" stands beside RESOURCE/NAME"},
      {{"pod", "svc/a", "b"}, "\"pod\" stands beside RESOURCE/NAME"},
      {{"pod", "/a"}, "\"pod\" stands beside RESOURCE/NAME"},
      {{"pod/a", "b"}, "\"b\" stands beside RESOURCE/NAME"},
      {{"pod/a/b"}, "\"pod/a/b\" has more than one slash"},
      {{"pod/"}, "\"pod/\" is not RESOURCE/NAME"},
      {{"/a"}, "\"/a\" is not RESOURCE/NAME"},
      {{"po,svc/a"}, "\"po,svc/a\" is not RESOURCE/NAME"},
      {{"po,"}, "\"po,\" lacks a resource"},
      {{""}, "\"\" lacks a resource"},
      {{"po", ""}, "a name is empty"},
      {{"po", "a,b"},
       "\"a,b\" is no name: only resources stand behind commas; names stand apart: "
       "po a b"},
  };
  for (const auto& c : kCases) {
    const auto asked = ReadArguments(c.arguments);
    ASSERT_FALSE(asked.ok()) << c.want;
    EXPECT_EQ(asked.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(asked.error().message(), HasSubstr(c.want));
  }
}

}  // namespace
}  // namespace kinformer::cli
