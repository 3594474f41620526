#include "cli/log_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::cli {
namespace {

using Form = LogFormat::Form;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const LogSource kSource{"default", "web-0", "app"};
const LogRecord kRecord{kSource, {"2024-01-01T00:00:01Z", "he said \"hi\"\x1b[1m"}};

TEST(LogFormat, ALineIsPrintedAloneBehindItsPodOrAsJson) {
  const std::string text = "he said \"hi\"\x1b[1m";
  EXPECT_EQ(FormatLine(kRecord, {}), text);
  EXPECT_EQ(FormatLine(kRecord, {.timestamps = true}), "2024-01-01T00:00:01Z " + text);
  EXPECT_EQ(FormatLine(kRecord, {.form = Form::kPods}), "web-0 app " + text);
  EXPECT_EQ(FormatLine(kRecord, {.form = Form::kPods, .namespaces = true}),
            "default web-0 app " + text);
  EXPECT_EQ(FormatLine(kRecord, {.prefix = true}), "[pod/web-0/app] " + text);
  EXPECT_EQ(FormatLine(kRecord, {.form = Form::kJson}),
            R"({"time":"2024-01-01T00:00:01Z","namespace":"default","pod":"web-0",)"
            R"("container":"app","message":"he said \"hi\"\u001b[1m"})");
}

TEST(LogFormat, PodsHaveColoursOfTheirOwnOnATerminal) {
  const LogFormat format{.form = Form::kPods, .colors = true};
  const std::string line = FormatLine(kRecord, format);
  EXPECT_THAT(line, StartsWith("\x1b["));
  EXPECT_THAT(line, HasSubstr("web-0 app\x1b[0m he said"));
  const LogSource other{"default", "web-1", "app"};
  EXPECT_NE(line.substr(0, 5), FormatLine({other, {"", "x"}}, format).substr(0, 5));
}

TEST(LogFormat, NoticesSayWhatHappensToALog) {
  using Kind = LogNotice::Kind;
  EXPECT_EQ(FormatNotice({Kind::kBegins, kSource, ""}, {}), "+ web-0 app");
  EXPECT_EQ(FormatNotice({Kind::kEnds, kSource, ""}, {}), "- web-0 app");
  EXPECT_EQ(FormatNotice({Kind::kEnds, kSource, "exit code 1, Error"}, {}),
            "- web-0 app (exit code 1, Error)");
  EXPECT_EQ(FormatNotice({Kind::kCut, kSource, "broken\n"}, {}),
            "warning: the log of web-0 app was cut: broken\\n; trying again");
  EXPECT_THAT(FormatNotice({Kind::kWaits, kSource, "2"}, {}), HasSubstr("--max-log-requests"));
  EXPECT_THAT(FormatNotice({Kind::kFails, kSource, "no"}, {}), HasSubstr("cannot be read: no"));
}

}  // namespace
}  // namespace kinformer::cli
