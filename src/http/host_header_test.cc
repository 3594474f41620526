// Host headers, bearer tokens and the WebSocket handshake: what is accepted, and what is not.

#include "http/host_header.h"

#include <gtest/gtest.h>
#include <string>

#include "http/bearer_token.h"
#include "http/websocket_handshake.h"

namespace kinformer::internal::http {
namespace {

HttpHeaders Headers(std::initializer_list<std::pair<const char*, const char*>> fields) {
  HttpHeaders headers;
  for (const auto& [name, value] : fields) headers.Add(name, value);
  return headers;
}

TEST(HostHeader, NamesAndAddresses_AreTakenWithoutPort) {
  struct Row {
    const char* host;
    const char* name;  // null: malformed
  };
  for (const Row& row : std::initializer_list<Row>{{"localhost", "localhost"},
                                                   {"a", "a"},
                                                   {"AZaz09-._~", "AZaz09-._~"},
                                                   {"h:80", "h"},
                                                   {"h:0", "h"},
                                                   {"h:12345", "h"},
                                                   {"h:123456", nullptr},
                                                   {"h:", "h"},
                                                   {"h:8a", nullptr},
                                                   {"h:8:8", nullptr},
                                                   {"h:/", nullptr},
                                                   {"h::", nullptr},
                                                   {"", nullptr},
                                                   {":80", nullptr},
                                                   {"h/", nullptr},
                                                   {"a b", nullptr},
                                                   {"u@h", nullptr},
                                                   {"h%41", nullptr},
                                                   {"h{", nullptr},
                                                   {"h`", nullptr},
                                                   {"h[", nullptr},
                                                   {"h@", nullptr},
                                                   {"\xc3\xa4", nullptr},
                                                   {"127.0.0.1:6443", "127.0.0.1"},
                                                   {"[::1]", "::1"},
                                                   {"[::1]:80", "::1"},
                                                   {"[09afAF::1.2]", "09afAF::1.2"},
                                                   {"[::1]:", "::1"},
                                                   {"[::1]:123456", nullptr},
                                                   {"[::1]80", nullptr},
                                                   {"[::1]x80", nullptr},
                                                   {"[::1", nullptr},
                                                   {"[]", nullptr},
                                                   {"[]:80", nullptr},
                                                   {"[g::1]", nullptr},
                                                   {"[G::1]", nullptr},
                                                   {"[`]", nullptr},
                                                   {"[fe80::1%25eth0]", nullptr},
                                                   {"[/]", nullptr},
                                                   {"[;]", nullptr},
                                                   {"[a]b]", nullptr}}) {
    const std::optional<std::string_view> name = HostName(row.host);
    EXPECT_EQ(name.has_value(), row.name != nullptr) << row.host;
    if (row.name != nullptr) {
      EXPECT_EQ(name.value_or("?"), row.name) << row.host;
    }
  }
  EXPECT_FALSE(HostName(std::string_view("h:8/", 4)));
}

TEST(HostHeader, Problems_AreNamed) {
  constexpr std::string_view kMissing = "the Host header is missing";
  constexpr std::string_view kSeveral = "there are several Host headers";
  constexpr std::string_view kNeither = "the Host header is neither a name nor an address";
  EXPECT_EQ(HostProblem(Headers({}), true), kMissing);
  EXPECT_EQ(HostProblem(Headers({}), false), "");
  EXPECT_EQ(HostProblem(Headers({{"Hosts", "a"}}), true), kMissing);
  EXPECT_EQ(HostProblem(Headers({{"X", "y"}, {"hOST", "a"}}), true), "");
  EXPECT_EQ(HostProblem(Headers({{"Host", ""}}), true), "");
  EXPECT_EQ(HostProblem(Headers({{"Host", "a:1"}}), false), "");
  EXPECT_EQ(HostProblem(Headers({{"Host", "a/"}}), true), kNeither);
  EXPECT_EQ(HostProblem(Headers({{"Host", "a/"}}), false), kNeither);
  EXPECT_EQ(HostProblem(Headers({{"Host", "a"}, {"host", "a"}}), true), kSeveral);
  EXPECT_EQ(HostProblem(Headers({{"Host", "a"}, {"x", ""}, {"host", "b"}}), false), kSeveral);
}

TEST(BearerTokenTest, Token_FollowsTheSchemeInAnyCase) {
  EXPECT_EQ(BearerToken(Headers({})), "");
  EXPECT_EQ(BearerToken(Headers({{"Authorization", "Bearer abc"}})), "abc");
  EXPECT_EQ(BearerToken(Headers({{"authorization", "bEARER a b"}})), "a b");
  EXPECT_EQ(BearerToken(Headers({{"Authorization", "Bearer"}})), "");
  EXPECT_EQ(BearerToken(Headers({{"Authorization", "Bearer "}})), "");
  EXPECT_EQ(BearerToken(Headers({{"Authorization", "Bearerxabc"}})), "");
  EXPECT_EQ(BearerToken(Headers({{"Authorization", "Basic abcdefgh"}})), "");
  EXPECT_TRUE(EqualSecrets("", ""));
  EXPECT_TRUE(EqualSecrets("abc", "abc"));
  EXPECT_FALSE(EqualSecrets("abc", "abd"));
  EXPECT_FALSE(EqualSecrets("xbc", "abc"));
  EXPECT_FALSE(EqualSecrets("abc", "abcd"));
  EXPECT_FALSE(EqualSecrets("abc", "ab"));
  EXPECT_FALSE(EqualSecrets("abc", "ABC"));
}

HttpRequest Upgrade(const char* method, const char* upgrade, const char* connection) {
  HttpRequest request;
  request.method = method;
  request.headers = Headers({{"Upgrade", upgrade},
                             {"Connection", connection},
                             {"Sec-WebSocket-Version", "13"},
                             {"Sec-WebSocket-Key", "key"},
                             {"Origin", "http://o"},
                             {"Sec-WebSocket-Protocol", "p"}});
  return request;
}

TEST(WebSocketHandshake, Offer_IsAGetThatUpgrades) {
  struct Row {
    const char* method;
    const char* upgrade;
    const char* connection;
    bool offers;
  };
  for (const Row& row :
       std::initializer_list<Row>{{"GET", "websocket", "Upgrade", true},
                                  {"GET", "WebSocket", "keep-alive, upgrade", true},
                                  {"GET", "websocket", "upgrade,keep-alive", true},
                                  {"GET", "websocket", "a, \t UPGRADE\t , b", true},
                                  {"GET", "websocket", ",,upgrade", true},
                                  {"GET", "websocket", "keep-alive,upgrade", true},
                                  {"GET", "websocket", "upgrade , b", true},
                                  {"POST", "websocket", "Upgrade", false},
                                  {"GET", "h2c", "Upgrade", false},
                                  {"GET", "", "Upgrade", false},
                                  {"GET", "websocket", "keep-alive", false},
                                  {"GET", "websocket", "", false},
                                  {"GET", "websocket", "upgrades", false},
                                  {"GET", "websocket", "up grade", false},
                                  {"GET", "websocket", " \t, \t", false}}) {
    const auto offer = WebSocketOfferOf(Upgrade(row.method, row.upgrade, row.connection));
    EXPECT_EQ(offer.has_value(), row.offers) << row.upgrade << row.connection;
    if (!offer) continue;
    EXPECT_EQ(offer->version, "13");
    EXPECT_EQ(offer->key, "key");
    EXPECT_EQ(offer->origin, "http://o");
    EXPECT_EQ(offer->protocols, "p");
  }
}

TEST(WebSocketHandshake, Refusals_AreGosOwn) {
  struct Row {
    WebSocketOffer offer;
    int status;  // 0: accepted
    std::string body;
    std::string version;  // Sec-WebSocket-Version of the answer
  };
  for (const Row& row : std::vector<Row>{
           {{"13", "k", "http://o", ""}, 0, "", ""},
           {{"13", "k", "/path", "one"}, 0, "", ""},
           {{"13", "k", "null://", "one two"}, 0, "", ""},
           {{"13", "", "http://o", ""}, 400, "mismatch challenge/response", ""},
           {{"12", "k", "http://o", ""}, 400, "missing or bad WebSocket Version", "13"},
           {{"", "k", "http://o", ""}, 400, "missing or bad WebSocket Version", "13"},
           {{"13", "k", "", ""}, 403, "", ""},
           {{"13", "k", "null", ""}, 403, "", ""},
           {{"13", "k", "o/p", ""}, 403, "", ""},
           {{"13", "k", "http://o", "one, two"}, 400, "", ""}}) {
    SCOPED_TRACE(row.offer.version + row.offer.key + row.offer.origin + row.offer.protocols);
    const auto refusal = RefuseWebSocket(row.offer);
    ASSERT_EQ(refusal != nullptr, row.status != 0);
    if (refusal == nullptr) continue;
    EXPECT_EQ(refusal->status(), row.status);
    std::vector<BodyChunk> chunks;
    EXPECT_EQ(refusal->Read(1000, chunks), ResponseStream::State::kEnd);
    EXPECT_EQ(chunks.empty() ? "" : chunks[0].bytes, row.body);
    EXPECT_EQ(refusal->headers().Get("Sec-WebSocket-Version"), row.version);
  }
}

// The key and its answer are those of RFC 6455, section 1.3.
TEST(WebSocketHandshake, Acceptance_IsExact) {
  const std::string head =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
  EXPECT_EQ(WebSocketAcceptance({"13", "dGhlIHNhbXBsZSBub25jZQ==", "/", ""}), head + "\r\n");
  EXPECT_EQ(WebSocketAcceptance({"13", "dGhlIHNhbXBsZSBub25jZQ==", "/", "chat"}),
            head + "Sec-WebSocket-Protocol: chat\r\n\r\n");
}

}  // namespace
}  // namespace kinformer::internal::http
