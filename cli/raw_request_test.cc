#include "cli/raw_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace kinformer::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string MistakeOf(const RawFlags& flags) {
  const Result<RawRequest> request = ReadRawFlags(flags);
  if (request) return "none";
  EXPECT_EQ(request.error().reason(), Reason::kInvalidArgument);
  return request.error().message();
}

TEST(RawRequest, MethodIsGetOrPostWithABody) {
  EXPECT_EQ(ReadRawFlags({.path = "/api"})->method, "GET");
  EXPECT_EQ(ReadRawFlags({.path = "/api", .data = "{}"})->method, "POST");
  EXPECT_EQ(ReadRawFlags({.path = "/api", .file = "a"})->method, "POST");
  EXPECT_EQ(ReadRawFlags({.path = "/api", .method = "put", .data = ""})->method, "PUT");
}

TEST(RawRequest, BodyIsJsonUnlessAHeaderSaysOtherwise) {
  EXPECT_THAT(ReadRawFlags({.path = "/api"})->headers, ElementsAre());
  EXPECT_THAT(ReadRawFlags({.path = "/api", .data = "{}", .headers = {"X-A:b"}})->headers,
              ElementsAre(Pair("X-A", "b"), Pair("Content-Type", "application/json")));
  EXPECT_THAT(
      ReadRawFlags({.path = "/api", .data = "a: b", .headers = {"content-type:  application/yaml"}})
          ->headers,
      ElementsAre(Pair("content-type", "application/yaml")));
}

TEST(RawRequest, DataBehindAnAtIsAFile) {
  const Result<RawRequest> request = ReadRawFlags({.path = "/api", .data = "@body.json"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->file, "body.json");
  EXPECT_FALSE(request->data);
  EXPECT_EQ(request->method, "POST");
}

TEST(RawRequest, MistakesAreAnsweredInWords) {
  EXPECT_THAT(MistakeOf({.path = "api"}), HasSubstr("begins with a slash"));
  EXPECT_THAT(MistakeOf({.path = "/api", .data = "x", .file = "y"}), HasSubstr("give one"));
  EXPECT_THAT(MistakeOf({.path = "/api", .data = "@"}), HasSubstr("lacks the name of a file"));
  EXPECT_THAT(MistakeOf({.path = "/api", .headers = {"abc"}}), HasSubstr("NAME: VALUE"));
  EXPECT_THAT(MistakeOf({.path = "/api", .headers = {": abc"}}), HasSubstr("NAME: VALUE"));
  EXPECT_THAT(MistakeOf({.path = "/api", .method = "patch", .data = "{}"}),
              HasSubstr("application/merge-patch+json"));
}

}  // namespace
}  // namespace kinformer::cli
