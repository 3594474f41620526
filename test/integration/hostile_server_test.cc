// What a server of ours answers to those who mean it harm, or who know no better: requests over
// sockets, as a table. After each the server still answers at once.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/yaml.h"

#include "integration/raw_http.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
constexpr std::string_view kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

struct Row {
  std::string name;
  std::vector<int> statuses;  // one of them
  std::string request;
  std::string says{};                 // in the answer
  std::vector<std::string> before{};  // requests that have to succeed
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::string Repeat(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string Json(std::string_view method, std::string_view target, std::string_view body,
                 RawFields fields = {}) {
  fields.emplace_back("Content-Type", "application/json");
  return RequestText(method, target, fields, body);
}
std::string Yaml(std::string_view body) {
  return RequestText("POST", kMaps, {{"Content-Type", "application/yaml"}}, body);
}
std::string Patch(std::string_view name, std::string_view kind, std::string_view body) {
  return RequestText("PATCH", std::string(kMaps) + "/" + std::string(name),
                     {{"Content-Type", "application/" + std::string(kind) + "-patch+json"}}, body);
}
std::string Map(std::string_view name, std::string_view rest = {}) {
  std::string body = R"({"metadata":{"name":")" + std::string(name) + "\"}";
  return Json("POST", kMaps, body.append(rest).append("}"));
}
std::string Get(std::string_view target) { return RequestText("GET", target); }
std::string Head(std::string_view lines) {
  return "GET /version HTTP/1.1\r\n" + std::string(lines) + "Connection: close\r\n\r\n";
}

// "k0":value,"k1":value, ...
std::string Members(std::size_t count, std::string_view value, std::string_view prefix = "k") {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    out.append("\"").append(prefix).append(std::to_string(i)).append("\":").append(value);
  }
  return out;
}

// ---- Whose requests they are

std::vector<Row> Origins() {
  const RawFields foreign = {{"Origin", "http://evil.example"}};
  const std::string named = R"({"metadata":{"name":"from-a-page"}})";
  return {
      {"Row1_ForeignOriginWithoutType", {403}, RequestText("POST", kMaps, foreign, named)},
      {"Own_NoTypeIsJson",
       {201},
       RequestText("POST", kMaps, {}, R"({"metadata":{"name":"no-type"}})")},
      {"Own_NullOrigin", {403}, RequestText("POST", kMaps, {{"Origin", "null"}}, named)},
      {"Own_EmptyOrigin", {403}, RequestText("POST", kMaps, {{"Origin", ""}}, named)},
      {"Own_OriginOfAnotherPort",
       {403},
       RequestText("POST", kMaps, {{"Origin", "http://localhost:3000"}}, named)},
      {"Own_OriginThatBeginsAlike",
       {403},
       RequestText("POST", kMaps, {{"Origin", "http://localhost.evil.example"}}, named)},
      {"Own_SecondOriginForeign",
       {403},
       RequestText("GET", kMaps, {{"Origin", "http://localhost"}, {"Origin", "http://evil"}})},
      {"Own_SameOrigin", {200}, RequestText("GET", kMaps, {{"Origin", "http://LOCALHOST"}})},
      {"Own_ForeignGet", {403}, RequestText("GET", "/livez", foreign)},
      {"Own_ForeignDelete", {403}, RequestText("DELETE", std::string(kMaps) + "/no-type", foreign)},
      {"Own_Preflight",
       {403},
       RequestText("OPTIONS", kMaps,
                   {{"Origin", "http://evil"}, {"Access-Control-Request-Method", "POST"}})},
      {"Own_ForeignDebug",
       {403},
       RequestText("POST", "/debug/faults", foreign, R"({"action":"stall"})")},
      {"Own_ForeignCloseWatches", {403}, RequestText("POST", "/debug/close-watches", foreign)},
      {"Row2_TextPlain",
       {415},
       RequestText("POST", kMaps, {{"Content-Type", "text/plain"}}, named)},
      {"Own_Form",
       {415},
       RequestText("POST", kMaps, {{"Content-Type", "application/x-www-form-urlencoded"}}, named)},
      {"Own_Multipart",
       {415},
       RequestText("POST", kMaps, {{"Content-Type", "multipart/form-data; boundary=x"}}, named)},
      {"Row3_TextPlainDebug",
       {415},
       RequestText("POST", "/debug/faults", {{"Content-Type", "text/plain"}},
                   R"({"action":"stall"})")},
      {"Row4_ForeignHost", {421}, Head("Host: evil\r\n"), "--host-name"},
      {"Own_ForeignHostWithPort", {421}, Head("Host: evil.example:8080\r\n")},
      {"Own_HostThatEndsAlike", {421}, Head("Host: notlocalhost\r\n")},
      {"Own_HostThatBeginsAlike", {421}, Head("Host: localhost.evil\r\n")},
      {"Own_HostThatLooksLoopback", {421}, Head("Host: 127.0.0.1.evil\r\n")},
      {"Own_AddressElsewhere", {421}, Head("Host: 10.1.2.3\r\n")},
      {"Own_HostInCapitals", {200}, Head("Host: LocalHost:80\r\n")},
      {"Own_HostWithDot", {200}, Head("Host: localhost.\r\n")},
      {"Own_HostLoopback6", {200}, Head("Host: [0:0:0:0:0:0:0:1]:80\r\n")},
      {"Own_HostLoopback4", {200}, Head("Host: 127.9.9.9\r\n")},
      {"Own_GivenName", {200}, Head("Host: Given.Example:1\r\n")},
      {"Own_HostWithUser", {400}, Head("Host: localhost@evil\r\n")},
      {"Own_HostWithPath", {400}, Head("Host: localhost/evil\r\n")},
      {"Own_HostOfTwoWords", {400}, Head("Host: localhost evil\r\n")},
      {"Own_HostPortTooLong", {400}, Head("Host: localhost:123456\r\n")},
      {"Own_HostBracketOpen", {400}, Head("Host: [::1\r\n")},
  };
}

// ---- Heads and bodies

std::vector<Row> Heads() {
  const std::string chunked = "Host: localhost\r\nTransfer-Encoding: chunked\r\n";
  const auto post = [](std::string_view lines, std::string_view body) {
    return "POST " + std::string(kMaps) + " HTTP/1.1\r\nConnection: close\r\n" +
           std::string(lines) + "\r\n" + std::string(body);
  };
  const std::string lengths = "Host: localhost\r\nContent-Length: ";
  return {
      {"Row6_LengthAndChunked", {400}, post(chunked + "Content-Length: 3\r\n", "0\r\n\r\n")},
      {"Row7_TwoLengths", {400}, post(lengths + "3\r\nContent-Length: 4\r\n", "abcd")},
      {"Row8_LengthPlus", {400}, post(lengths + "+2\r\n", "{}")},
      {"Row8_LengthMinus", {400}, post(lengths + "-1\r\n", "{}")},
      {"Row8_LengthTooLarge", {400}, post(lengths + "18446744073709551617\r\n", "{}")},
      {"Own_LengthHex", {400}, post(lengths + "0x2\r\n", "{}")},
      {"Row9_UnknownTransferEncoding",
       {501},
       post("Host: localhost\r\nTransfer-Encoding: xchunked\r\n", "")},
      {"Own_TransferEncodingTwice",
       {400, 501},
       post("Host: localhost\r\nTransfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
      {"Own_TransferEncodingIdentity",
       {501},
       post("Host: localhost\r\nTransfer-Encoding: identity\r\n", "")},
      {"Own_TransferEncodingIn10",
       {400},
       "POST /version HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"Row10_FoldedHeader", {400}, Head("Host: localhost\r\nX-A: b\r\n c\r\n")},
      {"Own_FoldedByTab", {400}, Head("Host: localhost\r\nX-A: b\r\n\tc\r\n")},
      {"Own_FoldedFirst", {400}, Head(" Host: localhost\r\n")},
      {"Row11_BlankBeforeColon", {400}, Head("Host: localhost\r\nX-A : b\r\n")},
      {"Row12_BareLineFeed", {400}, "GET /version HTTP/1.1\nHost: localhost\n\n"},
      {"Row13_NulInHeader", {400}, Head(std::string("Host: localhost\r\nX-A: b\0c\r\n", 27))},
      {"Row14_NoHost", {400}, Head("")},
      {"Own_NoHostIn10", {200}, "GET /version HTTP/1.0\r\n\r\n"},
      {"Row15_TwoHosts", {400}, Head("Host: localhost\r\nHost: evil\r\n")},
      {"Own_SameHostTwice", {400}, Head("Host: localhost\r\nhost: localhost\r\n")},
      {"Row16_ChunkSizeOverflow", {400}, post(chunked, "fffffffffffffffff\r\n{}\r\n0\r\n\r\n")},
      {"Row17_ChunkExtension",
       {400},
       post(chunked, "2;" + std::string(100'000, 'x') + "\r\n{}\r\n0\r\n\r\n")},
      {"Own_ChunkExtensionWithoutEnd", {400}, post(chunked, "2;" + std::string(100'000, 'x'))},
      {"Own_ChunkExtensionShort", {422}, post(chunked, "2;a=b\r\n{}\r\n0\r\n\r\n")},
      {"Own_Trailers", {400}, post(chunked, "2\r\n{}\r\n0\r\n" + Repeat("X-A: b\r\n", 10'000))},
      {"Own_TrailerIsNoHeader",
       {422},
       post(chunked, "2\r\n{}\r\n0\r\nOrigin: http://evil\r\n\r\n")},
      {"Own_ChunkSizeNegative", {400}, post(chunked, "-1\r\n{}\r\n0\r\n\r\n")},
      {"Row18_HeadTooLong",
       {431},
       Head("Host: localhost\r\nX-A: " + std::string(70'000, 'a') + "\r\n")},
      {"Own_HeadsTooMany", {431}, Head("Host: localhost\r\n" + Repeat("X-A: b\r\n", 10'000))},
      {"Own_TargetTooLong", {431}, Get("/version?" + std::string(70'000, 'a'))},
      {"Row19_BodyTooLong",
       {413},
       Map("long", ",\"data\":{\"a\":\"" + std::string(3 << 20, 'a') + "\"}")},
      {"Own_ChunkedBodyTooLong",
       {413},
       post(chunked, "100000\r\n" + std::string(0x100000, 'a') + "\r\n" + "100000\r\n" +
                         std::string(0x100000, 'a') + "\r\n" + "100001\r\n" +
                         std::string(0x100001, 'a') + "\r\n0\r\n\r\n")},
      {"Row20_TlsHello",
       {400},
       std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(500, '\x07') +
           "\r\n\r\n"},
      {"Own_Http2Preface", {400}, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"Own_Http3", {400}, "GET /version HTTP/3.1\r\nHost: localhost\r\n\r\n"},
      {"Own_NoVersion", {400}, "GET /version\r\n\r\n"},
      {"Own_NulInMethod",
       {400},
       std::string("G\0T /version HTTP/1.1\r\nHost: localhost\r\n\r\n", 42)},
      {"Own_ControlInTarget", {400}, "GET /ver\x01sion HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"Own_EmptyTarget", {400}, "GET  HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"Own_AbsoluteTarget", {400, 404}, Get("http://evil/api/v1/pods")},
      {"Own_Connect", {400, 404, 405}, RequestText("CONNECT", "evil:80")},
      {"Own_Garbage", {400}, std::string(1000, '\xff') + "\r\n\r\n"},
  };
}

// ---- Documents

// Wraps a value again and again, by moves.
std::string PatchByMove(int levels) {
  std::string patch = R"([{"op":"add","path":"/x","value":{}})";
  for (int i = 0; i < levels; ++i) {
    patch += R"(,{"op":"add","path":"/y","value":{}},{"op":"move","from":"/x","path":"/y/x"})";
    patch += R"(,{"op":"move","from":"/y","path":"/x"})";
  }
  return patch + "]";
}

std::string PatchByPath(std::size_t levels) {
  std::string patch = "[";
  std::string path = "/x";
  for (std::size_t i = 0; i < levels; ++i) {
    patch += (i == 0 ? "" : ",") + (R"({"op":"add","path":")" + path) + R"(","value":{}})";
    path += "/x";
  }
  return patch + "]";
}

// A value of that many levels.
std::string Nested(std::size_t levels) { return Repeat("[", levels) + Repeat("]", levels); }

std::string Laughs() {
  std::string text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string n = std::to_string(i);
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + n + ": &a" + n + " [" + alias + Repeat("," + alias, 9) + "]\n";
  }
  return text;
}

// Each anchor stands for the one before with a hundred lists around it.
std::string DeepAliases() {
  std::string text = "a0: &a0 " + Nested(100) + "\n";
  for (int i = 1; i < 100; ++i) {
    const std::string n = std::to_string(i);
    text += "a" + n + ": &a" + n + " " + Repeat("[", 100) + "*a" + std::to_string(i - 1) +
            Repeat("]", 100) + "\n";
  }
  return text;
}

// Anchors in anchors: each keeps a copy of all that is in it.
std::string NestedAnchors() {
  std::string text = "a: ";
  for (int i = 0; i < 400; ++i) text += "&n" + std::to_string(i) + " [";
  return text + "\"" + std::string(1 << 20, 'x') + "\"" + Repeat("]", 400) + "\n";
}

std::string MergeBomb() {
  std::string text = "big: &big {k: \"" + std::string(1 << 20, 'x') + "\"}\nlist:\n";
  return text + Repeat("- {<<: *big, a: 1}\n", 1000);
}

std::vector<Row> Documents() {
  const std::string text = std::string(1 << 20, 'a');
  std::string ten_thousand = R"([{"op":"add","path":"/data","value":{}})";
  ten_thousand += Repeat(R"(,{"op":"test","path":"","value":1})", 10'000) + "]";
  return {
      {"Row28_JsonDepth", {400}, Map("deep", ",\"x\":" + Nested(513)), "512"},
      {"Own_JsonDepthUnclosed", {400}, Map("deep", ",\"x\":" + Repeat("[", 200'000))},
      {"Row29_PatchTo600Levels",
       {422},
       Patch("p29", "json", PatchByPath(600)),
       "512 levels",
       {Map("p29")}},
      {"Row30_PatchTo3300LevelsByMove",
       {422},
       Patch("p30", "json", PatchByMove(3300)),
       "512 levels",
       {Map("p30")}},
      {"Own_PatchReplaceDeep",
       {422},
       Patch("p30r", "json",
             R"([{"op":"add","path":"/x","value":)" + Nested(400) +
                 R"(},{"op":"replace","path":"/x)" + Repeat("/0", 200) + R"(","value":)" +
                 Nested(400) + "}]"),
       "512 levels",
       {Map("p30r")}},
      {"Own_PatchCopyDeep",
       {422},
       Patch("p30c", "json",
             R"([{"op":"add","path":"/x","value":)" + Nested(300) +
                 R"(},{"op":"copy","from":"/x","path":"/x)" + Repeat("/0", 299) + "/-\"}]"),
       "512 levels",
       {Map("p30c")}},
      {"Row31_AliasOfAString",
       {400},
       Yaml("a: &a \"" + text + "\"\nb:\n" + Repeat("- *a\n", 1000)),
       "aliases multiply"},
      {"Row32_BillionLaughs", {400}, Yaml(Laughs()), "aliases multiply"},
      {"Own_AliasesDeep", {400}, Yaml(DeepAliases()), "512 levels"},
      {"Own_AnchorsInAnchors", {400}, Yaml(NestedAnchors()), "aliases multiply"},
      {"Own_MergeKeys", {400}, Yaml(MergeBomb()), "aliases multiply"},
      {"Own_AliasInItself", {400}, Yaml("a: &a [*a]\n")},
      {"Own_YamlDepth", {400}, Yaml("a: " + Nested(5000))},
      {"Own_YamlNul", {400}, Yaml(std::string("a: b\0c\n", 7))},
      {"Own_YamlTwoDocuments", {400}, Yaml("a: 1\n---\nb: 2\n")},
      {"Own_JsonNotUtf8", {400, 422}, Map("bytes", ",\"data\":{\"a\":\"\xff\xfe\"}")},
      {"Own_JsonTruncated", {400}, Json("POST", kMaps, "{\"metadata\":")},
      {"Own_JsonIsAList", {400}, Json("POST", kMaps, "[]")},
      {"Own_JsonEmpty", {400, 422}, Json("POST", kMaps, " ")},
      {"Own_ProtobufTruncated",
       {400},
       RequestText("POST", kMaps, {{"Content-Type", "application/vnd.kubernetes.protobuf"}},
                   std::string("k8s\0\x0a\xff\xff\xff\xff\x0f", 10))},
      {"Own_PatchNoList", {400}, Patch("p", "json", "{}"), {}, {Map("p")}},
      {"Own_PatchTooManyOperations", {413}, Patch("p2", "json", ten_thousand), {}, {Map("p2")}},
      {"Own_PatchCopyBomb",
       {422},
       Patch("p3", "json",
             R"([{"op":"add","path":"/x","value":[")" + std::string(1000, 'a') + "\"]}" +
                 Repeat(R"(,{"op":"copy","from":"/x","path":"/x/-"})", 64) + "]"),
       "copies",
       {Map("p3")}},
      {"Own_PatchUnknownType",
       {415},
       RequestText("PATCH", std::string(kMaps) + "/p", {{"Content-Type", "text/plain"}}, "{}")},
      {"Own_MergePatchNoObject", {400}, Patch("p", "merge", "[]")},
      {"Row35_RegularExpressions",
       {422},
       Json("POST", kCrds,
            R"({"metadata":{"name":"ws.e.example"},"spec":{"group":"e.example",)"
            R"("scope":"Namespaced","names":{"plural":"ws","kind":"W"},"versions":[)"
            R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
            R"({"type":"object","properties":{"a":{"type":"string",)"
            R"("pattern":"((a{0,100}){0,100}){0,100}"}}}}}]}})")},
      {"Row40_NameWithNul", {400, 422}, Map("a\\u0000b")},
      {"Row40_NameTooLong", {422}, Map(std::string(254, 'a'))},
      {"Row40_NameNotAscii", {422}, Map("\xc3\xbc")},
      {"Own_NameWithSlash", {400, 422}, Map("../a")},
  };
}

// ---- Queries

std::vector<Row> Queries() {
  // {"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a"} and ... "rv":1,"start":"../x"}
  const std::string future =
      "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTIyMzM3MjAzNjg1NDc3NTgwNywic3RhcnQiOiJhIn0";
  const std::string outside = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi94In0";
  const std::string maps(kMaps);
  return {
      {"Row37_ContinueFromTheFuture", {504}, Get(maps + "?limit=1&continue=" + future)},
      {"Row38_ContinueOutside", {400}, Get(maps + "?limit=1&continue=" + outside), "not clean"},
      {"Own_ContinueGarbage", {400}, Get(maps + "?limit=1&continue=%00%ff!")},
      {"Row39_VersionTooLong", {400}, Get(maps + "?resourceVersion=99999999999999999999")},
      {"Own_VersionNegative", {400}, Get(maps + "?resourceVersion=-1")},
      {"Row42_LimitNegative", {200}, Get(maps + "?limit=-1")},
      {"Own_LimitTooLarge", {400}, Get(maps + "?limit=99999999999999999999")},
      {"Own_LimitGarbage", {400}, Get(maps + "?limit=many")},
      {"Own_BadEscape", {400, 404}, Get("/api/v1/%zz")},
      {"Own_NulInPath", {400, 404}, Get(maps + "/a%00b")},
      {"Own_PathUpwards", {400, 404}, Get("/api/v1/../../etc/passwd")},
      {"Own_SelectorGarbage", {400}, Get(maps + "?labelSelector=((((")},
      {"Own_SelectorOfBytes", {400}, Get(maps + "?labelSelector=%00%01%ff")},
      {"Own_FieldUnknown", {400}, Get(maps + "?fieldSelector=spec.secret%3Da")},
      {"Own_WatchVersionGarbage", {400}, Get(maps + "?watch=1&resourceVersion=x")},
      {"Own_WatchTimeoutGarbage", {400}, Get(maps + "?watch=1&timeoutSeconds=1e30")},
      {"Own_DryRunUnknown",
       {422},
       Json("POST", maps + "?dryRun=Some", R"({"metadata":{"name":"d"}})")},
      {"Own_FieldManagerControls",
       {422},
       Json("POST", maps + "?fieldManager=a%1bb", R"({"metadata":{"name":"d"}})")},
      {"Own_FieldManagerLong",
       {422},
       Json("POST", maps + "?fieldManager=" + std::string(129, 'a'),
            R"({"metadata":{"name":"d"}})")},
      {"Row43_GarbageWithoutEnd",
       {201},
       Json("POST", "/debug/faults",
            R"({"action":"garbage","repeat":1000000000000,"resource":"leases"})")},
      {"Own_FaultGarbage", {400}, Json("POST", "/debug/faults", R"({"action":7})")},
      {"Own_FaultIdTooLong",
       {404},
       RequestText("DELETE", "/debug/faults/99999999999999999999999999")},
      {"Own_RestoreGarbage", {400}, RequestText("POST", "/debug/restore?resourceVersion=x")},
  };
}

std::vector<Row> AllRows() {
  std::vector<Row> all;
  for (auto rows : {Origins(), Heads(), Documents(), Queries()}) {
    all.insert(all.end(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
  }
  return all;
}

class HostileServer : public ::testing::TestWithParam<Row> {
 protected:
  static void SetUpTestSuite() {
    server = new ApiServer({.debug_endpoints = true});
    server->Listen({.host_names = {"given.example"}}).OrExit();
  }
  static void TearDownTestSuite() {
    delete server;
    server = nullptr;
  }
  static RawReply Ask(const std::string& bytes) { return Exchange(server->http().port(), bytes); }
  inline static ApiServer* server = nullptr;
};

TEST_P(HostileServer, AnswersAndLives) {
  const Row& row = GetParam();
  for (const std::string& request : row.before) ASSERT_LT(Ask(request).status, 300) << row.name;
  const RawReply reply = Ask(row.request);
  EXPECT_THAT(row.statuses, ::testing::Contains(reply.status)) << reply.text.substr(0, 1000);
  EXPECT_THAT(reply.text, HasSubstr(row.says));
  EXPECT_LT(reply.text.size(), 64U << 10) << "no answer repeats all that it was sent";
  EXPECT_EQ(Ask(Get("/livez")).status, 200);
}

INSTANTIATE_TEST_SUITE_P(Table, HostileServer, ::testing::ValuesIn(AllRows()),
                         [](const auto& row) { return row.param.name; });

// ---- What costs much

class CostlyServer : public HostileServer {
 protected:
  // Answered with `status`, and not in quadratic time: by the CPU time of a harmless object of many
  // members in the same process, byte by byte. One pass takes a few times as much, and what is
  // quadratic hundreds of times.
  static RawReply AskSoon(const std::string& request, int status) {
    static const double yardstick = [] {
      const std::string harmless = Map("yardstick", ",\"data\":{" + Members(20'000, "\"v\"") + "}");
      const std::clock_t before = std::clock();
      EXPECT_EQ(Ask(harmless).status, 201);
      return static_cast<double>(std::clock() - before) / static_cast<double>(harmless.size());
    }();
    constexpr std::size_t kLeast = 100'000;
    const std::clock_t before = std::clock();
    RawReply reply = Ask(request);
    const auto took = static_cast<double>(std::clock() - before);
    EXPECT_LT(took, 60 * yardstick * static_cast<double>(std::max(request.size(), kLeast)));
    RecordProperty("times_the_yardstick",
                   std::to_string(took / yardstick / static_cast<double>(request.size())));
    EXPECT_EQ(reply.status, status) << reply.text.substr(0, 500);
    return reply;
  }
  static std::size_t Count(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }
};

TEST_F(CostlyServer, Row33ManyUnknownMembersAreOnePass) {
  const RawReply reply = AskSoon(Map("many", "," + Members(12'000, "1")), 201);
  const std::string head = reply.text.substr(0, reply.text.find("\r\n\r\n"));
  // The last of the warnings says how many there would be.
  EXPECT_LT(head.size(), 6000U);
  EXPECT_GT(Count(head, "Warning: "), 10U);
  EXPECT_THAT(head, HasSubstr(" more warnings"));
  AskSoon(Map("many-more", "," + Members(150'000, "1")), 201);
  EXPECT_THAT(Ask(Get(std::string(kMaps) + "/many")).text, Not(HasSubstr("k11999")));
}

TEST_F(CostlyServer, Row34ManyNullsAreOnePass) {
  const std::string data = ",\"data\":{" + Members(20'000, "\"v\"") + "}";
  const std::string nulls = "{\"data\":{" + Members(20'000, "null") + "}}";
  for (const char* kind : {"merge", "strategic-merge"}) {
    const std::string name = std::string("nulls-") + kind;
    ASSERT_EQ(AskSoon(Map(name, data), 201).status, 201);
    AskSoon(Patch(name, kind, nulls), 200);
    EXPECT_THAT(Ask(Get(std::string(kMaps) + "/" + name)).text, Not(HasSubstr("k19999")));
  }
}

TEST_F(CostlyServer, ManyOperationsOnOneContainerAreOnePass) {
  AskSoon(Map("ops", ",\"data\":{" + Members(10'000, "\"v\"") + "}"), 201);
  std::string removes = "[";
  for (int i = 0; i < 10'000; ++i) {
    removes +=
        (i == 0 ? "" : ",") + (R"({"op":"remove","path":"/data/k)" + std::to_string(i)) + "\"}";
  }
  AskSoon(Patch("ops", "json", removes + "]"), 200);
  std::string inserts = R"([{"op":"add","path":"/metadata/finalizers","value":[]})";
  for (int i = 0; i < 9'998; ++i) {
    inserts += R"(,{"op":"add","path":"/metadata/finalizers/0","value":"example.com/f)" +
               std::to_string(i) + "\"}";
  }
  const RawReply reply = AskSoon(Patch("ops", "json", inserts + "]"), 200);
  EXPECT_LT(reply.text.find("example.com/f9997\""), reply.text.find("example.com/f0\""));
}

TEST_F(CostlyServer, ListsThatArePatchedThroughAndThroughHaveAnEnd) {
  AskSoon(Map("shift"), 201);
  std::string patch = R"([{"op":"add","path":"/a","value":[)" + Repeat("1,", 300'000) +
                      R"(1]},{"op":"add","path":"/b","value":[1]})";
  patch += Repeat(R"(,{"op":"add","path":"/a/0","value":1},{"op":"add","path":"/b/0","value":1})",
                  2'000);
  const RawReply reply = AskSoon(Patch("shift", "json", patch + "]"), 422);
  EXPECT_THAT(reply.text, HasSubstr("replace these as a whole"));
}

TEST_F(CostlyServer, ElementOrderIsOnePass) {
  std::string finalizers;
  std::string reversed;
  for (int i = 0; i < 20'000; ++i) {
    const std::string one = "\"example.com/f" + std::to_string(i) + "\"";
    finalizers += (i == 0 ? "" : ",") + one;
    reversed = i == 0 ? one : reversed;
  }
  for (int i = 19'999; i > 0; --i) {
    reversed.insert(0, "\"example.com/f" + std::to_string(i) + "\",");
    if (i == 15'000) break;  // the others keep their order
  }
  AskSoon(Json("POST", kMaps, R"({"metadata":{"name":"order","finalizers":[)" + finalizers + "]}}"),
          201);
  AskSoon(Patch("order", "strategic-merge",
                R"({"metadata":{"$setElementOrder/finalizers":[)" + finalizers +
                    R"(],"finalizers":[)" + finalizers + "]}}"),
          200);
  AskSoon(Patch("order", "strategic-merge",
                R"({"metadata":{"$deleteFromPrimitiveList/finalizers":[)" + finalizers + "]}}"),
          200);
  EXPECT_THAT(Ask(Get(std::string(kMaps) + "/order")).text, Not(HasSubstr("example.com/f19999")));
}

TEST_F(CostlyServer, ManyYamlKeysAreOnePass) {
  std::string text = "metadata: {name: keys}\ndata:\n";
  for (int i = 0; i < 60'000; ++i) text += "  k" + std::to_string(i) + ": v\n";
  AskSoon(Yaml(text), 201);
}

TEST_F(CostlyServer, PathsOfUnknownMembersAreBounded) {
  const std::string deep = Repeat(R"({"properties":{"a-rather-long-name":)", 200);
  const std::string crd = R"({"metadata":{"name":"x"},"spec":{"versions":[{"schema":{)"
                          R"("openAPIV3Schema":)" +
                          deep + "{" + Members(100'000, "1") + "}" + Repeat("}}", 200) + "}}]}}";
  const RawReply reply = Ask(Json("POST", std::string(kCrds) + "?fieldValidation=Strict", crd));
  EXPECT_GE(reply.status, 400);
  EXPECT_LT(reply.text.size(), 4U << 20);
}

// Row 41.
TEST_F(CostlyServer, Row41NoTextStandsForAnotherField) {
  const RawReply made =
      Ask(Json("POST", kPods,
               R"({"metadata":{"name":"forger"},"spec":{"nodeName":"n\u0000Foo\u0000Bar",)"
               R"("containers":[{"name":"c","image":"i"}]}})"));
  EXPECT_THAT((std::vector<int>{201, 400, 422}), ::testing::Contains(made.status));
  for (const char* field : {"status.phase%3DFoo", "spec.nodeName%3Dn", "status.phase%3DBar"}) {
    EXPECT_THAT(Ask(Get(std::string(kPods) + "?fieldSelector=" + field)).text,
                HasSubstr("\"items\":[]"));
  }
}

// Row 36 and its kin: whatever one asks for, others are answered meanwhile. Without slices they
// wait for as long as the whole answer takes.
TEST_F(CostlyServer, Row36NobodyStarvesBehindACostlyAnswer) {
  std::string manifests;
  for (int i = 0; i < 8'000; ++i) {
    manifests += "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m" + std::to_string(i) +
                 ", namespace: crowd, labels: {a: b" + std::to_string(i) + "}}\ndata: {k: v}\n";
  }
  server->Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: crowd}\n" + manifests).OrExit();
  const std::string maps = "/api/v1/namespaces/crowd/configmaps";
  std::string terms = "a notin (x0";
  for (int i = 1; i < 8'000; ++i) terms += ",x" + std::to_string(i);
  std::string selector;
  for (const char c : terms + ")") selector += c == ' ' ? std::string("%20") : std::string(1, c);
  const std::string table = "application/json;as=Table;g=meta.k8s.io;v=v1";
  for (const auto& [target, accept] : std::vector<std::pair<std::string, std::string>>{
           {maps + "?pretty=true", "application/json"},
           {maps, "application/yaml"},
           {maps, table},
           {maps, "application/json"},
           {maps, "application/vnd.kubernetes.protobuf"},
           {maps + "?labelSelector=" + selector, "application/json"},
           {maps + "?limit=7000&labelSelector=" + selector, "application/json"}}) {
    const std::string request = RequestText("GET", target, {{"Accept", accept}});
    std::atomic<bool> done{false};
    const auto begin = std::chrono::steady_clock::now();
    std::size_t size = 0;
    std::thread costly([&] {
      size = Ask(request).text.size();
      done = true;
    });
    auto longest = std::chrono::steady_clock::duration::zero();
    while (!done) {
      const auto before = std::chrono::steady_clock::now();
      EXPECT_EQ(Ask(Get("/version")).status, 200);
      longest = std::max(longest, std::chrono::steady_clock::now() - before);
    }
    costly.join();
    const auto all = std::chrono::steady_clock::now() - begin;
    EXPECT_GT(size, 100'000U) << target.substr(0, 100);
    // Machines have other things to do, too; still nobody waits for the whole.
    EXPECT_LT(longest, std::max<std::chrono::steady_clock::duration>(milliseconds(50), all / 4))
        << accept << " " << target.substr(0, 100);
  }
}

// Pieces or whole, a list is the same.
TEST_F(CostlyServer, RenderedListsAreWhatTheyWere) {
  for (const char* name : {"r1", "r2"}) AskSoon(Map(name, ",\"data\":{\"a\":\"b\\nc\"}"), 201);
  const auto body = [](const RawReply& reply) {
    return reply.text.substr(reply.text.find("\r\n\r\n") + 4);
  };
  for (const std::string selector :
       {"", "?fieldSelector=metadata.name%3Dr1", "?fieldSelector=metadata.name%3Dnobody"}) {
    const std::string plain = body(Ask(Get(std::string(kMaps) + selector)));
    const RawReply pretty =
        Ask(Get(std::string(kMaps) + selector + (selector.empty() ? "?" : "&") + "pretty=true"));
    if (plain.starts_with("{")) {
      const json::Value value = json::Parse(plain).OrExit();
      EXPECT_THAT(pretty.text,
                  HasSubstr(selector.empty() ? "\"kind\": \"ConfigMapList\"" : value.DumpPretty()));
      const RawReply yaml =
          Ask(RequestText("GET", std::string(kMaps) + selector, {{"Accept", "application/yaml"}}));
      EXPECT_THAT(yaml.text,
                  HasSubstr(selector.empty() ? "kind: ConfigMapList\n" : yaml::Dump(value)));
    }
  }
}

}  // namespace
}  // namespace kinformer::testing
