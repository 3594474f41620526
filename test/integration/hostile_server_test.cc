// Answers of our server to malicious or wrong requests over sockets, as a table. After each of them
// the server must still answer at once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/testing/api_server.h"

#include "integration/hostile_requests.h"
#include "integration/raw_http.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;

struct Row {
  std::string name;
  std::vector<int> statuses;  // one of these is expected
  std::string request;
  std::string says{};                 // text expected in the answer
  std::vector<std::string> before{};  // requests that must succeed before
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

// ---- Origins of requests

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
      {"Own_OriginThatHidesInAUser",
       {403},
       RequestText("POST", kMaps, {{"Origin", "http://evil@localhost"}}, named)},
      {"Own_OriginWithAPath",
       {403},
       RequestText("POST", kMaps, {{"Origin", "http://localhost/evil"}}, named)},
      {"Own_OriginWithoutScheme",
       {403},
       RequestText("POST", kMaps, {{"Origin", "://localhost"}}, named)},
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

// Nests a value by repeated moves, each of which adds `levels` levels.
std::string PatchByMove(int moves, std::size_t levels) {
  const std::string path = Repeat("/x", levels);
  const std::string value = Repeat("{\"x\":", levels - 1) + "{}" + Repeat("}", levels - 1);
  std::string patch = R"([{"op":"add","path":"/x","value":{}})";
  for (int i = 0; i < moves; ++i) {
    patch += R"(,{"op":"add","path":"/y","value":)" + value + "}";
    patch += R"(,{"op":"move","from":"/x","path":"/y)" + path + "\"}";
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

// Returns a value with that many levels.
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

// Each anchor contains the previous one inside a hundred lists.
std::string DeepAliases() {
  std::string text = "a0: &a0 " + Nested(100) + "\n";
  for (int i = 1; i < 100; ++i) {
    const std::string n = std::to_string(i);
    text += "a" + n + ": &a" + n + " " + Repeat("[", 100) + "*a" + std::to_string(i - 1) +
            Repeat("]", 100) + "\n";
  }
  return text;
}

// Nested anchors: each keeps a copy of its whole content.
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
      {"Row30_PatchTo48000LevelsByMove",
       {422},
       Patch("p30", "json", PatchByMove(3200, 15)),
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

}  // namespace
}  // namespace kinformer::testing
