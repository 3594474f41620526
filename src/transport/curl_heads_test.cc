// The exact heads that the libcurl transport sends over HTTP/1.1, and what it reads from heads of
// answers.

#include <algorithm>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"

namespace kinformer {
namespace {

using internal::transport::Chunk;
using internal::transport::CurlTransportTest;
using internal::transport::LoopbackServer;
using internal::transport::PlainResponse;
using internal::transport::TestExchange;

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;
using Lines = std::vector<std::string>;

HttpHeaders Fields(const std::vector<std::pair<std::string, std::string>>& fields) {
  HttpHeaders headers;
  for (const auto& [name, value] : fields) headers.Add(name, value);
  return headers;
}

// Returns the lines of a head; the order of header fields does not matter.
Lines Sorted(std::string_view head) {
  Lines lines;
  while (!head.empty()) {
    const auto end = head.find("\r\n");
    lines.emplace_back(head.substr(0, end));
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
  }
  if (!lines.empty()) std::sort(lines.begin() + 1, lines.end());
  return lines;
}

TEST_F(CurlTransportTest, RequestHead_HasExactlyTheseLines) {
  std::mutex mutex;
  std::string head;
  LoopbackServer server([&](const Request& request, Peer& peer) {
    {
      const std::lock_guard lock(mutex);
      head = request.head;
    }
    return peer.Write(request.method == "HEAD" ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                                               : PlainResponse("ok"));
  });
  HttpTransportOptions options{.base_url = server.url() + "/p", .user_agent = "tester/1"};
  options.headers = Fields({{"X-One", "1"}, {"X-Two", "2"}});
  Make(std::move(options));
  struct Row {
    HttpRequest request;
    Lines own;  // other than those that all have
  };
  const std::vector<Row> rows = {
      {{.target = "/x"}, {"Accept: */*"}},
      {{.target = "/a/../b?c=%2F"}, {"Accept: */*"}},
      {{.method = "HEAD", .target = "/x"}, {"Accept: */*"}},
      {{.method = "DELETE", .target = "/x"}, {"Accept: */*"}},
      {{.method = "DELETE", .target = "/x", .body = "{}"}, {"Accept: */*", "Content-Length: 2"}},
      {{.method = "POST", .target = "/x"}, {"Accept: */*", "Content-Length: 0"}},
      {{.method = "PUT", .target = "/x"}, {"Accept: */*", "Content-Length: 0"}},
      {{.method = "PATCH", .target = "/x"}, {"Accept: */*", "Content-Length: 0"}},
      {{.method = "POST", .target = "/x", .body = "{}"}, {"Accept: */*", "Content-Length: 2"}},
      {{.method = "POST", .target = "/x", .body = std::string(1500000, 'b')},
       {"Accept: */*", "Content-Length: 1500000"}},
      {{.method = "PATCH",
        .target = "/x",
        .headers = Fields({{"content-type", "application/json"}, {"Accept", "a/b"}}),
        .body = "{}"},
       {"Accept: a/b", "Content-Length: 2", "content-type: application/json"}},
      {{.target = "/x", .headers = Fields({{"Accept", "a/b"}, {"X-Empty", ""}})},
       {"Accept: a/b", "X-Empty:"}},
      {{.target = "/x", .headers = Fields({{"Authorization", "Bearer t"}})},
       {"Accept: */*", "Authorization: Bearer t"}},
  };
  const std::string host = "Host: 127.0.0.1:" + std::to_string(server.port());
  for (const Row& row : rows) {
    TestExchange& got = Start(row.request);
    ASSERT_TRUE(got.WaitDone());
    EXPECT_TRUE(got.ok()) << got.error();
    std::string want = row.request.method + " /p" + row.request.target + " HTTP/1.1\r\n";
    for (const std::string& line : row.own) want += line + "\r\n";
    want += host + "\r\nUser-Agent: tester/1\r\nX-One: 1\r\nX-Two: 2\r\n";
    const std::lock_guard lock(mutex);
    EXPECT_EQ(Sorted(head), Sorted(want));
  }
  TestExchange& own = Start(
      {.target = "/x", .headers = Fields({{"user-agent", "mine"}, {"x-two", "3"}, {"X-One", ""}})});
  ASSERT_TRUE(own.WaitDone());
  const std::lock_guard lock(mutex);
  EXPECT_EQ(Sorted(head), Sorted("GET /p/x HTTP/1.1\r\nAccept: */*\r\n" + host +
                                 "\r\nX-One:\r\nuser-agent: mine\r\nx-two: 3\r\n"));
}

// Keeps what it gets. Everything runs on the loop, and the test waits for the end.
class WholeAnswer final : public ResponseReceiver {
 public:
  void OnHeaders(int code, const HttpHeaders& headers) override {
    status = code;
    for (const auto& [name, value] : headers)
      fields.append(name).append("=").append(value).append(";");
  }
  void OnData(std::string_view data) override { text += data; }
  void OnDone(Result<void> result) override {
    error = result ? Reason::kUnknown : result.error().reason();
    done.set_value();
  }

  int status = 0;
  std::string fields;
  std::string text;
  Reason error = Reason::kUnknown;  // kUnknown: none
  std::promise<void> done;
};

struct AnswerRow {
  const char* name;
  std::string sent;
  int status;
  std::string fields;
  std::string text;
  const char* method = "GET";
  Reason error = Reason::kUnknown;
};

const std::string& GzippedOk() {
  static const std::string bytes(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xcf\x06\x00\x47\xdd\xdc\x79\x02\x00\x00\x00",
      22);
  return bytes;
}

std::vector<AnswerRow> AnswerRows() {
  const std::string gzip = "HTTP/1.1 200 OK\r\nContent-Length: 22\r\nContent-Encoding: ";
  return {
      {"trimmed values",
       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: one\r\nx-b:two\r\nX-C: \t a b \t\r\n"
       "X-Url: http://a:1/b\r\nX-Empty:\r\n\r\nok",
       200, "Content-Length=2;X-A=one;x-b=two;X-C=a b;X-Url=http://a:1/b;X-Empty=;", "ok"},
      {"informational answers first",
       "HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\nHTTP/1.1 199 More\r\nX-B: 2\r\n\r\n"
       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: 1\r\n\r\nok",
       200, "Content-Length=2;X-A=1;", "ok"},
      {"trailers",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Chunk("ok") +
           "0\r\nX-Late: 1\r\n\r\n",
       200, "Transfer-Encoding=chunked;", "ok"},
      {"refusal", "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", 404, "Content-Length=2;",
       "no"},
      {"refusal that breaks off", "HTTP/1.1 400 Bad\r\nContent-Length: 9\r\n\r\nno", 400,
       "Content-Length=9;", "no"},
      {"other answer that breaks off", "HTTP/1.1 399 X\r\nContent-Length: 9\r\n\r\nno", 399,
       "Content-Length=9;", "no", "GET", Reason::kUnexpectedEof},
      {"head that breaks off", "HTTP/1.1 400 Bad\r\nContent-Len", 0, "", "", "GET",
       Reason::kTransport},
      {"gzip", gzip + "gzip\r\n\r\n" + GzippedOk(), 200, "Content-Length=22;Content-Encoding=gzip;",
       "ok"},
      {"x-gzip", gzip + "x-gzip\r\n\r\n" + GzippedOk(), 200,
       "Content-Length=22;Content-Encoding=x-gzip;", "ok"},
      {"identity", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Encoding: identity\r\n\r\nok",
       200, "Content-Length=2;Content-Encoding=identity;", "ok"},
      {"gzip without a body", "HTTP/1.1 204 No\r\nContent-Encoding: gzip\r\n\r\n", 204,
       "Content-Encoding=gzip;", ""},
      {"gzip not modified", "HTTP/1.1 304 No\r\nContent-Encoding: gzip\r\n\r\n", 304,
       "Content-Encoding=gzip;", ""},
      {"gzip of HEAD", gzip + "gzip\r\n\r\n", 200, "Content-Length=22;Content-Encoding=gzip;", "",
       "HEAD"},
      {"empty gzip", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Encoding: gzip\r\n\r\n", 200,
       "Content-Length=0;Content-Encoding=gzip;", "", "GET", Reason::kUnexpectedEof},
      {"unknown encoding", gzip + "br\r\n\r\n" + GzippedOk(), 0, "", "", "GET", Reason::kDecode},
  };
}

TEST_F(CurlTransportTest, AnswersHead_IsReadAsSent) {
  for (const AnswerRow& row : AnswerRows()) {
    SCOPED_TRACE(row.name);
    LoopbackServer server([&](const Request&, Peer& peer) {
      peer.Write(row.sent);
      return false;
    });
    Make(server);
    WholeAnswer got;
    std::unique_ptr<HttpCall> call;
    OnLoop([&] {
      call = transport_->Start(
          {.method = row.method, .target = "/x", .headers = Fields({{"Accept-Encoding", "gzip"}})},
          got);
    });
    got.done.get_future().wait();
    OnLoop([&] { call.reset(); });
    EXPECT_EQ(got.status, row.status);
    EXPECT_EQ(got.fields, row.fields);
    EXPECT_EQ(got.text, row.text);
    EXPECT_EQ(got.error, row.error);
  }
}

}  // namespace
}  // namespace kinformer
