#include "cli/log_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::cli {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const LogFlags& flags) {
  const Result<LogRequest> request = ReadLogFlags(flags, false);
  return request ? "" : request.error().message();
}

TEST(LogRequest, ANameIsOnePodAndAnExpressionOrASelectorIsMany) {
  const auto many = [](const LogFlags& flags) { return ReadLogFlags(flags, false).OrExit().many; };
  EXPECT_FALSE(many({.target = "web-0"}));
  EXPECT_FALSE(many({.target = "web.example.com"}));
  EXPECT_FALSE(many({.target = "deployment/web"}));
  EXPECT_TRUE(many({.target = "deployment/web", .all_pods = true}));
  EXPECT_TRUE(many({.target = "web-.*"}));
  EXPECT_TRUE(many({.label_selector = "app=web"}));
  EXPECT_TRUE(many({.all_namespaces = true}));
}

TEST(LogRequest, OptionsBecomeThoseOfTheApi) {
  const LogRequest one = ReadLogFlags({.target = "web-0",
                                       .container_option = "app",
                                       .since_seconds = 1.5,
                                       .tail = "5",
                                       .limit_bytes = "100",
                                       .timestamps = true},
                                      false)
                             .OrExit();
  EXPECT_EQ(one.log.container, "app");
  EXPECT_EQ(one.log.sinceSeconds, 2);
  EXPECT_EQ(one.log.tailLines, 5);
  EXPECT_EQ(one.log.limitBytes, 100);
  EXPECT_TRUE(one.log.timestamps);
  EXPECT_EQ(one.format.form, LogFormat::Form::kRaw);
  const LogRequest since =
      ReadLogFlags({.target = "web-0", .since_time = "2024-01-02T03:04:05+01:00"}, false).OrExit();
  EXPECT_EQ(since.log.sinceTime->ToString(), "2024-01-02T02:04:05Z");
  EXPECT_FALSE(since.log.tailLines.has_value());
}

TEST(LogRequest, ManyPodsHaveTenLinesEachUnlessTheTailSaysOtherwise) {
  const LogRequest many = ReadLogFlags({.target = "web-.*"}, true).OrExit();
  EXPECT_EQ(many.log.tailLines, 10);
  EXPECT_EQ(many.max_streams, 50U);
  EXPECT_EQ(many.format.form, LogFormat::Form::kPods);
  EXPECT_TRUE(many.format.colors);
  const LogRequest all =
      ReadLogFlags({.target = "web-.*", .tail = "-1", .max_log_requests = "3"}, false).OrExit();
  EXPECT_FALSE(all.log.tailLines.has_value());
  EXPECT_EQ(all.max_streams, 3U);
}

TEST(LogRequest, LinesAreChosenByExpressions) {
  const LogRequest request =
      ReadLogFlags({.target = "web-0", .include = {"error", "warn"}, .exclude = {"^debug"}}, false)
          .OrExit();
  EXPECT_TRUE(request.Has("an error"));
  EXPECT_TRUE(request.Has("warning"));
  EXPECT_FALSE(request.Has("fine"));
  EXPECT_FALSE(request.Has("debug error"));
}

TEST(LogRequest, MistakesAreNamedWithTheirOption) {
  EXPECT_THAT(ErrorOf({}), HasSubstr("which pod?"));
  EXPECT_THAT(ErrorOf({.target = "web-0", .tail = "x"}), HasSubstr("--tail: \"x\""));
  EXPECT_THAT(ErrorOf({.target = "web-0", .tail = "-2"}), HasSubstr("--tail"));
  EXPECT_THAT(ErrorOf({.target = "web-0", .limit_bytes = "0"}), HasSubstr("--limit-bytes"));
  EXPECT_THAT(ErrorOf({.target = "web-0", .since_seconds = 1, .since_time = "x"}),
              HasSubstr("one of --since"));
  EXPECT_THAT(ErrorOf({.target = "web-0", .since_time = "x"}), HasSubstr("--since-time"));
  EXPECT_THAT(ErrorOf({.target = "web-("}), HasSubstr("no regular expression"));
  EXPECT_THAT(ErrorOf({.target = "web-0", .include = {"("}}), HasSubstr("--include"));
  EXPECT_THAT(ErrorOf({.target = "web-0", .follow = true, .previous = true}),
              HasSubstr("--previous"));
  EXPECT_THAT(ErrorOf({.target = "web-.*", .follow = true, .limit_bytes = "9"}),
              HasSubstr("one container"));
  EXPECT_THAT(ErrorOf({.target = "deploy/web", .label_selector = "a=b"}), HasSubstr("-l chooses"));
  EXPECT_THAT(ErrorOf({.target = "web-0", .container_option = "a", .all_containers = true}),
              HasSubstr("--all-containers"));
  EXPECT_EQ(ErrorOf({.target = "web-0"}), "");
}

}  // namespace
}  // namespace kinformer::cli
