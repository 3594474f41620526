#include <chrono>
#include <ctime>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/log.h"

namespace kinformer {
namespace {

// The clock that the log reads. std::time may be a few milliseconds behind it, and so a second.
std::time_t Seconds() {
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

using ::testing::MatchesRegex;

// Returns the lines that `write` logs.
template <class Write>
std::string Logged(LogLevel level, const Write& write) {
  const std::unique_ptr<LogSink> log = NewJsonLog(level);
  EXPECT_EQ(log->level(), level);
  ::testing::internal::CaptureStderr();
  write(*log);
  return ::testing::internal::GetCapturedStderr();
}

// Returns a line without its time.
std::string WithoutTime(const std::string& line) {
  const std::size_t end = line.find(",\"level\"");
  return end == std::string::npos ? line : "{" + line.substr(end + 1);
}

TEST(JsonLog, ALine_IsOneObjectWithTimeLevelMessageAndFields) {
  const std::string line = Logged(LogLevel::kInfo, [](LogSink& log) {
    log.Log(LogLevel::kWarning, "watch ended", {{"resource", "pods"}, {"empty", ""}});
  });
  EXPECT_THAT(line, MatchesRegex(R"(\{"time":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:)"
                                 R"([0-9]{2}\.[0-9]{6}Z",.*)"
                                 "\n"));
  EXPECT_EQ(WithoutTime(line),
            R"({"level":"warning","msg":"watch ended","resource":"pods","empty":""})"
            "\n");
}

TEST(JsonLog, TheTimeIsUtc) {
  const std::time_t before = Seconds();
  const std::string line =
      Logged(LogLevel::kDebug, [](LogSink& log) { log.Log(LogLevel::kError, "m", {}); });
  const std::time_t after = Seconds();
  bool found = false;
  for (std::time_t time = before; time <= after; ++time) {
    std::tm utc{};
    gmtime_r(&time, &utc);
    char head[48];
    ASSERT_GT(std::strftime(head, sizeof(head), R"({"time":"%Y-%m-%dT%H:%M:%S.)", &utc), 0U);
    found = found || line.starts_with(head);
  }
  EXPECT_TRUE(found) << line;
}

TEST(JsonLog, LinesOfLowerLevels_AreLeftOut) {
  const LogLevel levels[] = {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning,
                             LogLevel::kError, LogLevel::kOff};
  const std::vector<std::string> names{"debug", "info", "warning", "error"};
  for (std::size_t least = 0; least < 5; ++least) {
    for (std::size_t i = 0; i < 5; ++i) {
      const std::string line =
          Logged(levels[least], [&](LogSink& log) { log.Log(levels[i], "m", {}); });
      EXPECT_EQ(WithoutTime(line),
                i < least || i == 4 ? "" : R"({"level":")" + names[i] + R"(","msg":"m"})" + "\n");
    }
  }
}

TEST(JsonLog, HostileTexts_AreEscapedInMessagesNamesAndValues) {
  const std::string line = Logged(LogLevel::kDebug, [](LogSink& log) {
    log.Log(LogLevel::kInfo, "two\nlines\t\"",
            {{"quote", "a\"b\\"},
             {"nul", std::string("a\0b", 3)},
             {"c0", "\x1b[2J\r\x7f"},
             {"c1", "\u009b2J"},
             {"direction", "gpj\u202eexe\u2028"},
             {"k\n\"", "v"},
             {"plain", "äöü \U0001f600 </script>"}});
  });
  EXPECT_EQ(WithoutTime(line),
            R"({"level":"info","msg":"two\nlines\u0009\"","quote":"a\"b\\","nul":"a\u0000b",)"
            R"("c0":"\u001b[2J\u000d\u007f","c1":"\u009b2J","direction":"gpj\u202eexe\u2028",)"
            R"("k\n\"":"v","plain":"äöü )"
            "\U0001f600"
            R"( </script>"})"
            "\n");
}

TEST(JsonLog, BytesThatAreNotUtf8_AreReplaced) {
  const std::string line = Logged(LogLevel::kDebug, [](LogSink& log) {
    log.Log(LogLevel::kInfo, "m",
            {{"lone",
              "a\xff"
              "b"},
             {"cut", "\xe2\x82"},
             {"surrogate", "\xed\xa0\x80"},
             {"overlong", "\xc0\xaf"}});
  });
  EXPECT_EQ(WithoutTime(line),
            R"({"level":"info","msg":"m","lone":"a\ufffdb","cut":"\ufffd\ufffd",)"
            R"("surrogate":"\ufffd\ufffd\ufffd","overlong":"\ufffd\ufffd"})"
            "\n");
}

// Readers of JSON would keep one of two members with the same name.
TEST(JsonLog, NamesThatOccurTwice_AreMadeDifferent) {
  const std::string line = Logged(LogLevel::kDebug, [](LogSink& log) {
    log.Log(LogLevel::kInfo, "m",
            {{"time", "noon"},
             {"level", "1"},
             {"msg", "2"},
             {"a", "3"},
             {"a", "4"},
             {"a", "5"},
             {"\xff", "6"},
             {"\xfe", "7"}});
  });
  EXPECT_EQ(WithoutTime(line),
            R"({"level":"info","msg":"m","time_":"noon","level_":"1","msg_":"2","a":"3","a_":"4",)"
            R"("a__":"5","\ufffd":"6","\ufffd_":"7"})"
            "\n");
}

}  // namespace
}  // namespace kinformer
