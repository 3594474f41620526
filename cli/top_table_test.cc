#include "cli/top_table.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::vector<std::string> Texts(const std::vector<TopLine>& lines) {
  std::vector<std::string> texts;
  for (const TopLine& line : lines) texts.push_back(line.text);
  return texts;
}

TopSample Pods() {
  TopSample sample{.resource = "pods", .namespace_ = "default"};
  sample.stats.objects = 12;
  sample.stats.object_bytes = 3000;
  sample.stats.queued = 4;
  sample.stats.added = 12;
  sample.stats.status.state = InformerState::kWatching;
  sample.stats.status.progress_age = milliseconds(1500);
  return sample;
}

TEST(TopTable, FiguresOfAnInformerAreOneLine) {
  TopTable table;
  EXPECT_THAT(
      Texts(table.Lines({Pods(), {.resource = "nodes"}}, SteadyTime())),
      ElementsAre(
          "RESOURCE   NAMESPACE   OBJECTS     BYTES   EVENTS/S   PROOF   LAG   STATE",
          "pods       default          12   2.9 KiB          -    1.5s     4   watching",
          "nodes      -                 0       0 B          -       -     0   not started"));
}

TEST(TopTable, RateIsThatSinceTheLastLook) {
  TopTable table;
  TopSample pods = Pods();
  (void)table.Lines({pods}, SteadyTime());
  pods.stats.added += 1;
  pods.stats.modified += 2;
  pods.stats.deleted += 3;
  pods.stats.unchanged += 4;
  EXPECT_THAT(table.Lines({pods}, SteadyTime(seconds(4)))[1].text, HasSubstr("  2.5  "));
  EXPECT_THAT(table.Lines({pods}, SteadyTime(seconds(5)))[1].text, HasSubstr("  0.0  "));
}

TEST(TopTable, ColumnsDoNotBecomeNarrower) {
  TopTable table;
  TopSample pods = Pods();
  pods.stats.objects = 123456789;
  const std::string first = table.Lines({pods}, SteadyTime())[1].text;
  pods.stats.objects = 1;
  EXPECT_EQ(table.Lines({pods}, SteadyTime(seconds(1)))[1].text.find("watching"),
            first.find("watching"));
}

TEST(TopTable, ErrorOfSeveralInformersIsOneLine) {
  TopTable table;
  TopSample pods = Pods();
  pods.stats.status.state = InformerState::kBackingOff;
  pods.stats.status.retry_in = seconds(3);
  pods.stats.status.error = Error(Reason::kServiceUnavailable, "down");
  TopSample nodes = pods;
  nodes.resource = "nodes";
  nodes.stats.status.state = InformerState::kListing;
  TopSample jobs = pods;
  jobs.resource = "jobs";
  jobs.stats.status.error = Error(Reason::kForbidden, "no");
  const std::vector<TopLine> lines = table.Lines({pods, nodes, jobs}, SteadyTime());
  ASSERT_THAT(lines, SizeIs(6));
  EXPECT_TRUE(lines[1].text.ends_with("   backing off 3.0s"));
  EXPECT_EQ(lines[1].color, Color::kRed);
  EXPECT_EQ(lines[2].color, Color::kYellow);
  EXPECT_THAT(lines[4].text, testing::MatchesRegex("pods, nodes: .*down"));
  EXPECT_THAT(lines[5].text, testing::MatchesRegex("jobs: .*no"));
  EXPECT_EQ(lines[5].color, Color::kRed);
}

TEST(TopTable, FiguresOfAControllerAreOneLine) {
  TopTable table;
  ControllerSample website{.name = "website",
                           .workers = 4,
                           .busy = 2,
                           .waiting = 7,
                           .delayed = 3,
                           .oldest = milliseconds(1500),
                           .reconciles = 100,
                           .errors = 5,
                           .now = "default/a"};
  EXPECT_THAT(Texts(table.Lines({website}, SteadyTime())),
              ElementsAre("CONTROLLER   WORKERS   WAITING   OLDEST   DELAYED   FAILING   "
                          "RECONCILES/S   ERRORS   NOW",
                          "website          2/4         7     1.5s         3         0   "
                          "           -        5   default/a"));
  website.reconciles = 150;
  website.failing = 1;
  website.waiting = 0;
  const TopLine line = table.Lines({website}, SteadyTime(seconds(5)))[1];
  EXPECT_THAT(line.text, HasSubstr("  10.0  "));
  EXPECT_THAT(line.text, HasSubstr("  0        -  "));
  EXPECT_EQ(line.color, Color::kRed);
}

TEST(TopTable, InformerThatAppears_ChangesNoOtherRate) {
  TopTable table;
  TopSample pods = Pods();
  (void)table.Lines({pods}, SteadyTime());
  pods.stats.added += 10;
  const std::vector<TopLine> lines =
      table.Lines({{.resource = "nodes"}, pods}, SteadyTime(seconds(4)));
  EXPECT_THAT(lines[1].text, HasSubstr("  -  "));
  EXPECT_THAT(lines[2].text, HasSubstr("  2.5  "));
}

TEST(TopTable, SizesHaveThreeDigitsAtMost) {
  EXPECT_EQ(ByteText(0), "0 B");
  EXPECT_EQ(ByteText(1023), "1023 B");
  EXPECT_EQ(ByteText(1024), "1.0 KiB");
  EXPECT_EQ(ByteText(10240), "10 KiB");
  EXPECT_EQ(ByteText(1000 * 1024), "1.0 MiB");
  EXPECT_EQ(ByteText(std::size_t{5} << 30), "5.0 GiB");
}

TEST(TopTable, ShortAgesHaveTenthsOfSeconds) {
  EXPECT_EQ(AgeText(milliseconds(340)), "0.3s");
  EXPECT_EQ(AgeText(milliseconds(9960)), "10s");
  EXPECT_EQ(AgeText(seconds(130)), "2m10s");
}

TEST(TopPicture, NewPictureReplacesTheOldOne) {
  std::size_t shown = 0;
  EXPECT_EQ(Picture({{"abcdef"}, {"g"}}, 0, 5, 24, /*colors=*/false, shown),
            "\rabcde\x1b[K\ng\x1b[K\n\x1b[J");
  EXPECT_EQ(shown, 2U);
  EXPECT_EQ(Picture({{"ünï", Color::kRed}}, 2, 2, 24, /*colors=*/true, shown),
            "\r\x1b[2A\x1b[31mün\x1b[0m\x1b[K\n\x1b[J");
  EXPECT_EQ(shown, 1U);
}

TEST(TopPicture, LinesThatDoNotFitAreLeftOut) {
  std::size_t shown = 0;
  EXPECT_EQ(Picture({{"a"}, {"b"}, {"c"}}, 9, 80, 3, /*colors=*/false, shown),
            "\r\x1b[2Aa\x1b[K\nb\x1b[K\n\x1b[J");
  EXPECT_EQ(shown, 2U);
}

}  // namespace
}  // namespace kinformer::cli
