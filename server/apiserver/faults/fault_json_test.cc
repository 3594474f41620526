#include "apiserver/faults/fault_json.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {
namespace {

constexpr const char* kActions =
    "respond, refuse, delay, cutBody, endBody, stall, garbage, drip, goAway, breakConnection, "
    "stallConnection, streamLimit, endWatch, watchError, errorObject, duplicateEvents, "
    "replayEvents, loseDeletes, foreignNamespace, wrongKind, noBookmarks, noInitialEnd, "
    "bookmarksOnly, oldBookmarks, oldResourceVersion, staleRead, staleCache, skewClock";

// Returns the rule as JSON again, or the error.
std::string Again(const std::string& text) {
  const auto rule = FaultRuleFromJson(json::Parse(text).OrExit());
  return rule ? FaultRuleToJson(*rule).Dump() : std::string(rule.error().message());
}

TEST(FaultJsonTable, Fields_AcceptTheirValues) {
  const std::string text = "a string";
  const std::string flag = "true or false";
  const std::string count = "an integer that is not negative";
  const std::string time = "a duration such as \"250ms\" or \"1m30s\"";
  const std::string status = "an HTTP status from 200 to 599";
  struct Row {
    const char* field;
    std::string allowed;
    std::vector<std::string> good;  // none is the default
    std::vector<std::string> bad;
  };
  const std::vector<std::string> not_text = {"1", "true", "{}", "[]", "null"};
  const std::vector<std::string> not_flag = {"1", "\"true\"", "null"};
  const std::vector<std::string> not_count = {"-1",   "1.5",  "\"1\"",
                                              "true", "null", "9223372036854775808"};
  const std::vector<std::string> not_time = {"1", "\"\"", "\"1\"", "\"x\"", "null"};
  const std::vector<std::string> counts = {"2", "3", "9223372036854775807"};
  const std::vector<std::string> times = {"\"1ns\"", "\"250ms\"", "\"1m30s\"", "\"-24h0m0s\""};
  for (const Row& row : {
           Row{"verb", text, {"\"list\""}, not_text},
           Row{"resource", text, {"\"pods\""}, not_text},
           Row{"namespace", text, {"\"a\""}, not_text},
           Row{"userAgent", text, {"\"a\""}, not_text},
           Row{"onlyContinue", flag, {"true"}, not_flag},
           Row{"onlyInitialEvents", flag, {"true"}, not_flag},
           Row{"probability",
               "a number from 0 to 1",
               {"0", "0.5"},
               {"-0.5", "-1", "1.5", "2", "\"1\"", "true", "null"}},
           Row{"count", count, {"0", "1", "9223372036854775807"}, not_count},
           Row{"skip", count, counts, not_count},
           Row{"lasts", time, times, not_time},
           Row{"status",
               status,
               {"200", "201", "599"},
               {"199", "600", "-1", "2147483648", "\"200\"", "null"}},
           Row{"text", text, {"\"a\""}, not_text},
           Row{"contentType", text, {"\"a\""}, not_text},
           Row{"retryAfter",
               "a number of seconds",
               {"0", "1", "2147483647"},
               {"-1", "2147483648", "\"1s\"", "1.5", "null"}},
           Row{"delay", time, times, not_time},
           Row{"after", time, times, not_time},
           Row{"skew", time, times, not_time},
           Row{"afterBytes", count, counts, not_count},
           Row{"afterEvents", count, counts, not_count},
           Row{"chunkBytes", count, counts, not_count},
           Row{"maxStreams", count, {"0", "2", "4294967295"}, {"-1", "4294967296", "\"1\""}},
           Row{"repeat", count, {"0", "2", "9223372036854775807"}, not_count},
           Row{"versions", count, {"0", "2", "9223372036854775807"}, not_count},
       }) {
    const auto rule = [&](const std::string& value) {
      std::string out = "{\"action\":\"respond\",\"";
      return out.append(row.field).append("\":").append(value).append("}");
    };
    for (const std::string& value : row.good) {
      const json::Value again = json::Parse(Again(rule(value))).value_or(json::Value());
      EXPECT_EQ(again[row.field].Dump(), value) << row.field;
      EXPECT_EQ(again.size(), 2U) << row.field;
    }
    for (const std::string& value : row.bad) {
      // Whether the value's type or its size is wrong, the field is named.
      EXPECT_EQ(Again(rule(value)),
                std::string("fault rule: field \"") + row.field + "\" must be " + row.allowed)
          << value;
    }
  }
}

TEST(FaultJsonTable, Defaults_AreNotWritten) {
  EXPECT_EQ(Again(R"({"probability":1,"skip":0,"status":500,"text":"","delay":"0s","afterBytes":0,
                      "maxStreams":1,"repeat":1,"versions":1,"onlyContinue":false,
                      "action":"delay"})"),
            R"({"action":"delay"})");
  const auto rule = FaultRuleFromJson(json::Parse(R"({"action":"respond"})").OrExit()).OrExit();
  EXPECT_EQ(rule.count, std::nullopt);
  EXPECT_EQ(rule.retry_after, std::nullopt);
  EXPECT_EQ(rule.status, 500);
}

TEST(FaultJsonTable, Actions_HaveTheirNames) {
  std::size_t number = 0;
  std::string_view rest = kActions;
  while (!rest.empty()) {
    const std::string name(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), name.size() + 2));
    const std::string text = "{\"action\":\"" + name + "\",\"text\":\"{}\"}";
    const auto rule = FaultRuleFromJson(json::Parse(text).OrExit());
    ASSERT_TRUE(rule.ok()) << name;
    EXPECT_EQ(static_cast<std::size_t>(rule->action), number++) << name;
    EXPECT_EQ(FaultRuleToJson(*rule)["action"].StringOrEmpty(), name);
  }
  EXPECT_EQ(number, static_cast<std::size_t>(FaultAction::kSkewClock) + 1);
}

TEST(FaultJsonTable, BadRules_SayWhatIsAllowed) {
  const std::string one_of =
      "fault rule: field \"action\" must be one of: " + std::string(kActions);
  const std::string object = "fault rule: must be a JSON object, such as {\"action\": \"refuse\"}";
  for (const char* text : {"{}", R"({"action":"x"})", R"({"action":""})", R"({"action":1})",
                           R"({"action":null})", R"({"action":"Respond"})"}) {
    EXPECT_EQ(Again(text), one_of) << text;
  }
  for (const char* text : {"[]", "1", "null", "\"refuse\""}) EXPECT_EQ(Again(text), object) << text;
  EXPECT_EQ(Again(R"({"action":"delay","Delay":"1s"})"),
            "fault rule: unknown field \"Delay\"; the fields are: verb, resource, namespace, "
            "userAgent, onlyContinue, onlyInitialEvents, action, probability, count, skip, lasts, "
            "status, text, contentType, retryAfter, delay, after, skew, afterBytes, afterEvents, "
            "chunkBytes, maxStreams, repeat, versions");
  const std::string text = "fault rule: field \"text\" must be JSON, with the action errorObject";
  EXPECT_EQ(Again(R"({"action":"errorObject","text":"{"})"), text);
  EXPECT_EQ(Again(R"({"action":"errorObject"})"), text);
  EXPECT_EQ(Again(R"({"action":"errorObject","text":"1"})"),
            R"({"action":"errorObject","text":"1"})");
  EXPECT_EQ(Again(R"({"action":"respond","text":"{"})"), R"({"action":"respond","text":"{"})");
  EXPECT_EQ(FaultRuleFromJson(json::Value()).error().reason(), Reason::kBadRequest);
}

}  // namespace
}  // namespace kinformer::apiserver
