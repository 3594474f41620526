// Bodies and parameters of writes: how they are decoded, and which are refused.

#include "apiserver/write/request/request_body.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// Returns "code message", or the value.
template <class T>
std::string ErrorOf(const Result<T>& result) {
  if (result) return "";
  return std::to_string(result.error().http_status()) + " " + result.error().message();
}

std::string Field(int number, std::string_view bytes) {
  std::string out(1, static_cast<char>(number * 8 + 2));
  out += static_cast<char>(bytes.size());
  return out.append(bytes);
}

// The envelope of a message of runtime.Unknown.
std::string Envelope(std::string_view api_version, std::string_view kind, std::string_view raw) {
  return std::string("k8s\0", 4) + Field(1, Field(1, api_version) + Field(2, kind)) + Field(2, raw);
}

Query QueryOf(std::string_view text) {
  auto info = ParseRequest("GET", "/x?" + std::string(text));
  return info.value().query;
}

TEST(RequestBody, Content_IsDecodedByItsType) {
  struct Row {
    std::string_view type;
    std::string body;
    std::string_view value;  // or
    std::string_view error;
  };
  constexpr std::string_view kUnsupported =
      "415 the body of the request was in an unknown format - accepted media types include: "
      "application/json, application/yaml, application/vnd.kubernetes.protobuf";
  constexpr std::string_view kNoProtobuf =
      "400 provided data does not appear to be a protobuf message, expected prefix k8s\\0";
  const std::vector<Row> rows = {
      {"", R"({"a":1})", R"({"a":1})", ""},
      {"application/json", R"({"a":1})", R"({"a":1})", ""},
      {"application/json; charset=utf-8", R"({"a":1})", R"({"a":1})", ""},
      {"application/yaml", "a: 1", R"({"a":1})", ""},
      {"text/plain", R"({"a":1})", "", kUnsupported},
      {kProtobuf, R"({"a":1})", "", kNoProtobuf},
      {kProtobuf, Envelope("v1", "What", ""), "",
       "400 no kind \"What\" is registered for version \"v1\""},
      {kProtobuf, Envelope("v1", "ConfigMap", Field(1, Field(1, "n"))),
       R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"n","creationTimestamp":null}})",
       ""},
      {kProtobuf, Envelope("coordination.k8s.io/v1", "Lease", Field(1, Field(1, "n"))),
       R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1",)"
       R"("metadata":{"name":"n","creationTimestamp":null},"spec":{}})",
       ""},
      {kProtobuf, Envelope("other/v1", "Lease", ""), "",
       "400 no kind \"Lease\" is registered for version \"other/v1\""},
  };
  for (const Row& row : rows) {
    const auto decoded = DecodeBody(row.type, row.body);
    EXPECT_EQ(ErrorOf(decoded), row.error) << row.type;
    if (!decoded || row.type == kProtobuf) {
      if (decoded) {
        const json::Value expected = Json(row.value);
        EXPECT_EQ((*decoded)["kind"], expected["kind"]);
        EXPECT_EQ((*decoded)["apiVersion"], expected["apiVersion"]);
        EXPECT_EQ(decoded->At("/metadata/name"), "n");
      }
      continue;
    }
    EXPECT_EQ(decoded->Dump(), row.value) << row.type;
  }
  EXPECT_TRUE(ErrorOf(DecodeBody("", "{")).starts_with("400 the body is not JSON: "));
  EXPECT_TRUE(ErrorOf(DecodeBody("application/yaml", "a: [")).starts_with("400 "));
  EXPECT_TRUE(
      ErrorOf(DecodeBody(kProtobuf, Envelope("v1", "ConfigMap", "\x0a\x7f"))).starts_with("400 "));
  EXPECT_EQ(DecodingCost("application/json", "12345"), 5U);
  EXPECT_EQ(DecodingCost("application/yaml", "12345"), 40U);
}

TEST(RequestBody, RepeatedMembers_AreTold) {
  const auto duplicates = [](std::string_view type, std::string_view body) {
    std::vector<std::string> out;
    EXPECT_TRUE(DecodeBody(type, body, &out).ok()) << body;
    return out;
  };
  using Strings = std::vector<std::string>;
  EXPECT_EQ(duplicates("", R"({"a":1,"b":2})"), Strings());
  EXPECT_EQ(duplicates("", R"({"a":1,"a":2})"), Strings{"duplicate field \"a\""});
  EXPECT_EQ(duplicates("", R"({"a":{"b":[{},{"c":1,"c":2,"c":3}]}})"),
            (Strings{"duplicate field \"a.b[1].c\"", "duplicate field \"a.b[1].c\""}));
  EXPECT_EQ(duplicates("", R"({"l":[[0],[{"x":1,"x":1}]]})"),
            Strings{"duplicate field \"l[1][0].x\""});
  EXPECT_EQ(duplicates("application/yaml", "a: 1\na: 2\n"),
            Strings{"line 2: key \"a\" already set in map"});
}

TEST(RequestBody, Object_IsOfTheResource) {
  struct Row {
    std::string_view body;
    std::string_view error;
  };
  const ResourceTable table{HistoryLimits{}};
  const ResourceAt at = table.Find("apps", "v1", "deployments");
  const std::vector<Row> rows = {
      {R"({})", ""},
      {R"({"kind":"Deployment","apiVersion":"apps/v1"})", ""},
      {R"([])", "400 the body must be an object"},
      {R"({"apiVersion":"v1"})",
       "400 the API version in the data (v1) does not match the expected API version (apps/v1)"},
      {R"({"kind":"Pod"})",
       "400 Pod in version \"v1\" cannot be handled as a Deployment: the body must hold a "
       "Deployment"},
  };
  for (const Row& row : rows) EXPECT_EQ(ErrorOf(DecodeObject(at, "", row.body)), row.error);
  ServedResource widgets;
  widgets.group = "x.io";
  widgets.custom = true;
  ServedVersion version;
  version.version = "v1";
  version.api_version = "x.io/v1";
  version.kind = "Widget";
  const ResourceAt custom{.resource = std::make_shared<ServedResource>(std::move(widgets)),
                          .version = std::make_shared<const ServedVersion>(std::move(version))};
  EXPECT_EQ(ErrorOf(DecodeObject(custom, "", R"({"kind":"Widget"})")), "");
  EXPECT_EQ(ErrorOf(DecodeObject(custom, "", R"({})")),
            "400 the object provided is unrecognized (must be of type Widget): Object 'Kind' is "
            "missing");
  EXPECT_EQ(ErrorOf(DecodeObject(custom, "", R"({"kind":"Pod","metadata":{"name":"a"}})")),
            "422 Pod.x.io \"a\" is invalid: kind: Invalid value: \"Pod\": must be Widget");
}

TEST(RequestBody, WriteParameters_AreChecked) {
  struct Row {
    std::string query;
    bool dry_run;
    std::string_view validation;
    std::string_view error;
  };
  const std::string start = "422 CreateOptions.meta.k8s.io \"\" is invalid: ";
  const std::string manager = start + "fieldManager: ";
  const std::string too_long = manager + "Too long: may not be more than 128 bytes";
  const std::string dry = start + "dryRun: Unsupported value: [\"x\"]: supported values: \"All\"";
  const std::string mode =
      start +
      "fieldValidation: Unsupported value: \"x\": supported values: \"\", \"Ignore\", \"Strict\", "
      "\"Warn\"";
  const std::vector<Row> rows = {
      {"", false, "Warn", ""},
      {"dryRun=All", true, "Warn", ""},
      {"dryRun=", false, "Warn", ""},
      {"dryRun=x", false, "", dry},
      {"fieldValidation=Ignore", false, "Ignore", ""},
      {"fieldValidation=Warn", false, "Warn", ""},
      {"fieldValidation=Strict", false, "Strict", ""},
      {"fieldValidation=x", false, "", mode},
      {"fieldManager=" + std::string(128, 'm'), false, "Warn", ""},
      {"fieldManager=" + std::string(129, 'm'), false, "", too_long},
      {"fieldManager=a%20%7E%C3%A4", false, "Warn", ""},
      {"fieldManager=a%1F", false, "",
       "422 CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: \"a\\u001f\": "
       "it must be printable characters"},
      {"fieldManager=a%7F%01", false, "", ""},
  };
  for (const Row& row : rows) {
    const auto decoded = DecodeWriteQuery(QueryOf(row.query), "CreateOptions");
    if (row.validation.empty() && row.error.empty()) {
      ASSERT_FALSE(decoded.ok()) << row.query;
      EXPECT_EQ(decoded.error().details().causes.size(), 1U) << row.query;
      continue;
    }
    EXPECT_EQ(ErrorOf(decoded), row.error) << row.query;
    if (!decoded) continue;
    EXPECT_EQ(decoded->dry_run, row.dry_run) << row.query;
    EXPECT_EQ(decoded->field_validation, row.validation) << row.query;
  }
  EXPECT_EQ(ErrorOf(DecodeWriteQuery(QueryOf(""), "PatchOptions", {Required("force")})),
            "422 PatchOptions.meta.k8s.io \"\" is invalid: force: Required value");
}

TEST(RequestBody, DeleteOptions_FromQueryAndBody) {
  struct Row {
    std::string query;
    std::string_view type;
    std::string body;
    std::optional<std::int64_t> grace;
    std::optional<std::string> uid;
    std::optional<std::string> version;
    std::string_view propagation;
    bool dry_run;
    bool cascades;
    std::string_view sent;
  };
  const auto none = std::nullopt;
  const std::string varint = std::string("\x08\x07", 2);
  const std::string protobuf = Envelope("v1", "DeleteOptions",
                                        varint + Field(2, Field(1, "u") + Field(2, "9")) +
                                            Field(4, "Orphan") + Field(5, "All") + Field(9, "x"));
  const std::string orphans = Envelope("v1", "DeleteOptions", std::string("\x18\x01", 2));
  const std::string cascades = Envelope("v1", "DeleteOptions", std::string("\x18\x00", 2));
  const std::vector<Row> rows = {
      {"", "", "", none, none, none, "", false, false, "null"},
      {"gracePeriodSeconds=5&propagationPolicy=Orphan&dryRun=All", "", "", 5, none, none, "Orphan",
       true, false, R"({"gracePeriodSeconds":5,"propagationPolicy":"Orphan"})"},
      {"orphanDependents=true", "", "", none, none, none, "Orphan", false, false,
       R"({"orphanDependents":true})"},
      {"orphanDependents=false", "", "", none, none, none, "Background", false, true,
       R"({"orphanDependents":false})"},
      {"gracePeriodSeconds=5", "", R"({"propagationPolicy":"Foreground"})", none, none, none,
       "Foreground", false, false, R"({"propagationPolicy":"Foreground"})"},
      {"", "", R"({"kind":"DeleteOptions","gracePeriodSeconds":0,"dryRun":["All"]})", 0, none, none,
       "", true, false, R"({"gracePeriodSeconds":0})"},
      {"", "", R"({"preconditions":{"uid":"u","resourceVersion":""}})", none, "u", "", "", false,
       false, R"({"preconditions":{"uid":"u","resourceVersion":""}})"},
      {"", "application/yaml", "propagationPolicy: Background", none, none, none, "Background",
       false, false, R"({"propagationPolicy":"Background"})"},
      {"", kProtobuf, protobuf, 7, "u", "9", "Orphan", true, false,
       R"({"gracePeriodSeconds":7,"preconditions":{"uid":"u","resourceVersion":"9"},)"
       R"("propagationPolicy":"Orphan"})"},
      {"", kProtobuf, orphans, none, none, none, "Orphan", false, false,
       R"({"orphanDependents":true})"},
      {"", kProtobuf, cascades, none, none, none, "Background", false, true,
       R"({"orphanDependents":false})"},
  };
  for (const Row& row : rows) {
    const auto decoded = DecodeDelete(QueryOf(row.query), row.type, row.body);
    ASSERT_TRUE(decoded.ok()) << row.query << row.body << ErrorOf(decoded);
    EXPECT_EQ(decoded->request.grace_period_seconds, row.grace) << row.query << row.body;
    EXPECT_EQ(decoded->request.uid, row.uid) << row.body;
    EXPECT_EQ(decoded->request.resource_version, row.version) << row.body;
    EXPECT_EQ(decoded->request.propagation, row.propagation) << row.query << row.body;
    EXPECT_EQ(decoded->dry_run, row.dry_run) << row.query << row.body;
    EXPECT_EQ(decoded->cascades, row.cascades) << row.query << row.body;
    EXPECT_EQ(decoded->request.sent.Dump(), row.sent) << row.query << row.body;
  }
}

TEST(RequestBody, FaultyDeleteOptions_AreRefused) {
  struct Row {
    std::string query;
    std::string_view type;
    std::string body;
    std::string_view error;
  };
  const std::string start = "422 DeleteOptions.meta.k8s.io \"\" is invalid: ";
  const std::string both = start +
                           "propagationPolicy: Invalid value: \"Orphan\": orphanDependents and "
                           "deletionPropagation cannot be both set";
  const std::string policy = start +
                             "propagationPolicy: Unsupported value: \"x\": supported values: "
                             "\"Foreground\", \"Background\", \"Orphan\", \"nil\"";
  const std::string dry = start + "dryRun: Unsupported value: [\"x\"]: supported values: \"All\"";
  const std::vector<Row> rows = {
      {"", "", R"({"orphanDependents":true,"propagationPolicy":"Orphan"})", both},
      {"propagationPolicy=x", "", "", policy},
      {"dryRun=x", "", "", dry},
      {"", "", R"({"kind":"Pod"})", "400 the body of a delete must hold DeleteOptions, not a Pod"},
      {"", kProtobuf, "x", "400 the DeleteOptions in the body are malformed"},
      {"", kProtobuf, Envelope("v1", "DeleteOptions", "\x0a\x7f"),
       "400 the DeleteOptions in the body are malformed"},
      {"", kProtobuf, Envelope("v1", "DeleteOptions", Field(2, "\x0a\x7f")),
       "400 the preconditions in the body are malformed"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ErrorOf(DecodeDelete(QueryOf(row.query), row.type, row.body)), row.error)
        << row.query << row.body;
  }
  EXPECT_FALSE(DecodeDelete(QueryOf("gracePeriodSeconds=x"), "", "").ok());
  EXPECT_TRUE(ErrorOf(DecodeDelete(QueryOf(""), "", "{")).starts_with("400 "));
}

TEST(RequestBody, GoDurations_AreRecognized) {
  for (const char* text :
       {"0", "30s", "1m30s", "1.5h", "2ns", "3us", "4ms", "1h2m3s4ms5us6ns", "-1s", "+.5s"}) {
    EXPECT_EQ(GoDurationProblem(text), "") << text;
  }
  struct Row {
    const char* text;
    const char* problem;
  };
  for (const Row& row : {
           Row{"", R"(time: invalid duration "")"},
           Row{"x", R"(time: invalid duration "x")"},
           Row{"-", R"(time: invalid duration "-")"},
           Row{".s", R"(time: invalid duration ".s")"},
           Row{"1.2.3s", R"(time: invalid duration "1.2.3s")"},
           Row{"30", R"(time: missing unit in duration "30")"},
           Row{"00", R"(time: missing unit in duration "00")"},
           Row{"30s5", R"(time: missing unit in duration "30s5")"},
           Row{"1d", R"(time: unknown unit "d" in duration "1d")"},
           Row{"30 s", R"(time: unknown unit " s" in duration "30 s")"},
       }) {
    EXPECT_EQ(GoDurationProblem(row.text), row.problem) << row.text;
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing
