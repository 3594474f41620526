// Requests of HTTP/1.1 as bytes, and the exact bytes of their answers.

#include <gtest/gtest.h>
#include <string>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {
namespace {

struct Row {
  const char* input;
  std::string output;
  bool ended = false;  // the server ends the connection after it
  // The answer does not depend on the sizes in which the bytes arrive.
  bool any_split = true;
};

std::string Answer(std::string_view status, std::string_view body, std::string_view more = {}) {
  return "HTTP/1.1 " + std::string(status) +
         "\r\nDate: now\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more) + "\r\n" + std::string(body);
}
std::string Refused(std::string_view status, std::string_view body) {
  return Answer(status, body, "Connection: close\r\n");
}
std::string Malformed(const std::string& why) {
  return Refused("400 Bad Request", "malformed HTTP request: " + why);
}

// Sends each input in one piece, and then byte by byte.
void Check(const std::vector<Row>& rows, const std::function<void(ConnectionScene&)>& prepare) {
  for (const Row& row : rows) {
    for (const bool split : {false, true}) {
      if (split && !row.any_split) continue;
      SCOPED_TRACE(std::string(split ? "byte by byte: " : "") + row.input);
      ConnectionScene scene;
      prepare(scene);
      const auto client = scene.Connect();
      const std::string_view input = row.input;
      const std::size_t step = split ? 1 : input.size();
      for (std::size_t i = 0; i < input.size(); i += step) client->Send(input.substr(i, step));
      EXPECT_EQ(client->Receive(), row.output);
      EXPECT_EQ(client->ended(), row.ended);
      EXPECT_EQ(scene.open(), 1U) << "the end waits for the client";
    }
  }
}

TEST(Http1Requests, WellFormed_AreAnsweredExactly) {
  Check(
      {{"GET /a HTTP/1.1\r\nHost: h\r\n\r\n", Answer("200 OK", "GET /a ")},
       {"GET /a?b=c%20 HTTP/1.1\r\nhost: h:80\r\n\r\n", Answer("200 OK", "GET /a?b=c%20 ")},
       {"GET /a HTTP/1.1\r\nHost:\r\n\r\n", Answer("200 OK", "GET /a ")},
       {"GET /a HTTP/1.1\r\nHost: h\r\nX: a b\tc\r\n\r\n", Answer("200 OK", "GET /a ")},
       {"PATCH /p HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc",
        Answer("200 OK", "PATCH /p abc")},
       {"POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", Answer("200 OK", "POST /p ")},
       {"POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "2\r\nab\r\nA;x=y\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n",
        Answer("200 OK", "POST /p ab0123456789")},
       {"HEAD /h HTTP/1.1\r\nHost: h\r\n\r\n",
        "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 8\r\n\r\n"},
       {"GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
        Answer("200 OK", "GET /a ") + Answer("200 OK", "GET /b ")},
       {"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nxGET /b HTTP/1.1\r\nHost: "
        "h\r\n\r\n",
        Answer("200 OK", "POST /a x") + Answer("200 OK", "GET /b ")},
       {"GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", Refused("200 OK", "GET /a "),
        true},
       {"GET /a HTTP/1.0\r\n\r\n", Refused("200 OK", "GET /a "), true},
       {"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        Answer("200 OK", "GET /a ", "Connection: keep-alive\r\n")},
       {"GET /a HTTP/1.1\r\nHost: h\r\n", ""},
       {"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nx", ""},
       {"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n"},
       {"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 200-ok\r\n\r\n", ""},
       {"GET /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n", Answer("200 OK", "GET /a ")}},
      [](ConnectionScene&) {});
}

TEST(Http1Requests, Ambiguous_AreRefusedAndEndTheConnection) {
  const std::string folded = Malformed("a header goes on in the next line");
  const std::string several = Malformed("there are several Host headers");
  const std::string neither = Malformed("the Host header is neither a name nor an address");
  const std::string unknown =
      Refused("501 Not Implemented", "the Transfer-Encoding is not known here; it may be chunked");
  Check({{"GET /a HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n", folded, true},
         {"GET /a HTTP/1.1\r\nHost: h\r\nX: a\r\n\tb\r\n\r\n", folded, true},
         {"GET /a HTTP/1.1\r\n\r\n", Malformed("the Host header is missing"), true},
         {"GET /a HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", several, true},
         {"GET /a HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", several, true},
         {"GET /a HTTP/1.1\r\nHost: a/b\r\n\r\n", neither, true},
         {"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", unknown, true},
         {"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", unknown, true},
         {"POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
          Malformed("HTTP/1.0 has no Transfer-Encoding"), true},
         {"G<>T /a HTTP/1.1\r\n\r\n", Malformed("bad method"), true},
         {"GET /a HTTP/1.1\r\nno colon\r\n\r\n", Malformed("bad field"), true},
         {"GET /a HTTP/3.1\r\n\r\n", Malformed("bad version"), true},
         {"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n",
          Malformed("bad Content-Length"), true},
         {"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
          Malformed("bad chunk"), true}},
        [](ConnectionScene&) {});
}

// Only the whole body that has already arrived keeps the connection.
TEST(Http1Requests, Strangers_GetA401BeforeTheBody) {
  const std::string kept = Answer("401 Unauthorized", "Unauthorized");
  const std::string ended = Refused("401 Unauthorized", "Unauthorized");
  Check({{"GET /a HTTP/1.1\r\nHost: h\r\nAuthorization: wrong\r\n\r\n", kept},
         {"PUT /a HTTP/1.1\r\nHost: h\r\nAuthorization: wrong\r\nContent-Length: 1\r\n\r\nx", kept,
          false, false},
         {"PUT /a HTTP/1.1\r\nHost: h\r\nAuthorization: wrong\r\nContent-Length: 2\r\n\r\nx", ended,
          true},
         {"PUT /a HTTP/1.1\r\nHost: h\r\nAuthorization: wrong\r\nContent-Length: 1\r\n\r\n", ended,
          true},
         {"PUT /a HTTP/1.1\r\nHost: h\r\nAuthorization: wrong\r\nContent-Length: 11\r\n\r\n", ended,
          true},
         {"PUT /a HTTP/1.1\r\nHost: h\r\nAuthorization: wrong\r\nTransfer-Encoding: chunked\r\n\r\n"
          "x\r\n",
          ended, true},
         {"PUT /a HTTP/1.1\r\nHost: h\r\nAuthorization: wrong\r\nContent-Length: 1\r\n"
          "Expect: 100-continue\r\n\r\n",
          ended, true}},
        [](ConnectionScene& scene) { scene.options().max_body_bytes = 10; });
}

TEST(Http1Requests, BodyUpToTheLimit_IsRead_OneMoreByteIsA413) {
  const std::string refused =
      Refused("413 Payload Too Large", "Request entity too large: limit is 10");
  Check({{"PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n0123456789",
          Answer("200 OK", "PUT /a 0123456789")},
         {"PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n", refused, true},
         {"PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
          "4\r\n0123\r\n6\r\n456789\r\n0\r\n\r\n",
          Answer("200 OK", "PUT /a 0123456789")},
         {"PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
          "4\r\n0123\r\n7\r\n4567890\r\n0\r\n\r\n",
          refused, true}},
        [](ConnectionScene& scene) { scene.options().max_body_bytes = 10; });
}

TEST(Http1Requests, HeadUpToTheLimit_IsRead_OneMoreByteIsA431) {
  const std::string start = "GET /a HTTP/1.1\r\nHost: h\r\nX: ";
  const std::string refused =
      Refused("431 Request Header Fields Too Large", "request headers are longer than 200 bytes");
  for (const bool split : {false, true}) {
    for (const std::size_t size : {199U, 200U, 201U, 300U, 5000U}) {
      SCOPED_TRACE(std::to_string(size) + (split ? " in bytes" : ""));
      ConnectionScene scene;
      scene.options().max_header_bytes = 200;
      const auto client = scene.Connect();
      const std::string head = start + std::string(size - start.size() - 4, 'x') + "\r\n\r\n";
      for (std::size_t i = 0; i < head.size(); i += split ? 1 : head.size()) {
        client->Send(std::string_view(head).substr(i, split ? 1 : head.size()));
      }
      EXPECT_EQ(client->Receive(), size > 200 ? refused : Answer("200 OK", "GET /a "));
      EXPECT_EQ(client->ended(), size > 200);
    }
    ConnectionScene scene;
    scene.options().max_header_bytes = 200;
    const auto client = scene.Connect();
    EXPECT_EQ(client->Exchange(start + std::string(190 - start.size(), 'x')), "");
    EXPECT_EQ(client->Exchange(std::string(100, 'x')), refused) << "an unfinished head";
    EXPECT_TRUE(client->ended());
  }
}

// A client could send them for ever.
TEST(Http1Requests, ChunkHeadsAndTrailers_AreLimited) {
  const std::string start = "PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string too_long =
      Malformed("a chunk's head, or the trailers, are longer than 4096 bytes");
  for (const std::size_t size : {4095U, 4096U, 4097U}) {
    SCOPED_TRACE(size);
    {
      ConnectionScene scene;
      const auto client = scene.Connect();
      const std::string answer =
          client->Exchange(start + "1;" + std::string(size - 1, 'e') + "\r\nx\r\n0\r\n\r\n");
      EXPECT_EQ(answer,
                size > 4096 ? Malformed("bad chunk extension") : Answer("200 OK", "PUT /a x"));
    }
    for (const char* unfinished : {"1;", "1\r\nx\r\n0\r\nT: "}) {
      SCOPED_TRACE(unfinished);
      ConnectionScene scene;
      const auto client = scene.Connect();
      const bool trailer = std::string_view(unfinished).size() > 2;
      client->Send(start + unfinished);
      // The trailer counts with its chunk's end.
      const std::size_t before = trailer ? 8 : 2;
      const std::string answer = client->Exchange(std::string(size - before, 'e'));
      EXPECT_EQ(answer, size > 4096 ? too_long : "");
      EXPECT_EQ(client->ended(), size > 4096);
    }
  }
}

// Only the limit of the body holds for a long body.
TEST(Http1Requests, LongBody_ArrivesWhole) {
  for (const bool chunked : {false, true}) {
    ConnectionScene scene;
    scene.handler().Add({{"", ResponseStream::State::kEnd}});
    const auto client = scene.Connect();
    const std::string body(300000, 'b');
    client->Send("PUT /a HTTP/1.1\r\nHost: h\r\n");
    client->Send(chunked ? "Transfer-Encoding: chunked\r\n\r\n493e0\r\n"
                         : "Content-Length: 300000\r\n\r\n");
    client->Send(body);
    if (chunked) client->Send("\r\n0\r\n\r\n");
    EXPECT_EQ(client->Receive(), Answer("200 OK", ""));
    EXPECT_TRUE(scene.handler().requests.at(0).body == body);
  }
}

TEST(Http1Requests, Handler_GetsMethodTargetHeadersAndUser) {
  ConnectionScene scene;
  const auto client = scene.Connect(ConnectionScene::Kind::kHttp1, "peer");
  client->Exchange(
      "PUT /a?b HTTP/1.1\r\nHost: h\r\nX-A:  one \r\nx-a: two\r\nTransfer-Encoding: chunked\r\n\r\n"
      "1\r\nz\r\n0\r\nX-T: trailer\r\n\r\n");
  ASSERT_EQ(scene.handler().requests.size(), 1U);
  const HttpRequest& request = scene.handler().requests[0];
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.target, "/a?b");
  EXPECT_EQ(request.user, "peer");
  EXPECT_EQ(request.body, "z");
  std::string fields;
  for (const auto& [name, value] : request.headers)
    fields.append(name).append("=").append(value).append(";");
  EXPECT_EQ(fields, "Host=h;X-A=one;x-a=two;Transfer-Encoding=chunked;");
  EXPECT_EQ(scene.host().counted_requests, 1);
  EXPECT_EQ(scene.handler().judged, std::vector<std::string>{"/a?b"});
}

}  // namespace
}  // namespace kinformer::internal::http
