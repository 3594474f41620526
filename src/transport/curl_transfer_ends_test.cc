// CurlTransfer by itself: the errors in which it ends, and ends that others cause.

#include <chrono>
#include <curl/curl.h>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "transport/curl_transfer_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::StartsWith;

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;

// A gzip stream of "ok".
const std::string& GzippedOk() {
  static const std::string bytes(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xcf\x06\x00\x47\xdd\xdc\x79\x02\x00\x00\x00",
      22);
  return bytes;
}

HttpRequest AsksForGzip() {
  HttpRequest request{.target = "/x"};
  request.headers.Add("Accept-Encoding", "gzip");
  return request;
}

TEST_F(CurlTransferTest, EachEnd_HasItsText) {
  const std::string broke = ": the connection broke before the response: ";
  const std::string gzip = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ";
  struct Row {
    std::string sent;
    Reason reason;
    std::string message;  // how it begins, behind the URL; empty: it is complete
  };
  for (const Row& row : std::vector<Row>{
           {"", Reason::kTransport, broke + "Empty reply from server"},
           {"HTTP/1.1 200 OK\r\nContent-Le", Reason::kTransport,
            broke + "it closed in the middle of the head"},
           {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", Reason::kUnexpectedEof,
            ": the response ended in the middle: "},
           {"HTTP/1.1 399 No\r\nContent-Length: 9\r\n\r\nabc", Reason::kUnexpectedEof,
            ": the response ended in the middle: "},
           {"HTTP/1.1 400 No\r\nContent-Length: 9\r\n\r\nabc", Reason::kUnknown, ""},
           {"HTTP/1.1 500 No\r\nContent-Length: 9\r\n\r\nabc", Reason::kUnknown, ""},
           {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", Reason::kUnknown, ""},
           {gzip + "22\r\n\r\n" + GzippedOk(), Reason::kUnknown, ""},
           {gzip + "9\r\n\r\n" + GzippedOk().substr(0, 9), Reason::kUnexpectedEof,
            "/x: gzip body: it ends in the middle"},
           {gzip + "3\r\n\r\nabc", Reason::kDecode, "/x: gzip body: incorrect header check"},
           {"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\nabc",
            Reason::kDecode, "/x: the response has Content-Encoding br, which nobody asked for"},
       }) {
    SCOPED_TRACE(row.sent);
    LoopbackServer server(Answer(row.sent));
    CurlTransfer& transfer = Make(server.url(), AsksForGzip());
    const CURLcode code = Run(transfer);
    const Result<void> verdict = transfer.Verdict(code);
    ASSERT_EQ(verdict.ok(), row.message.empty());
    if (verdict) continue;
    EXPECT_EQ(verdict.error().reason(), row.reason);
    EXPECT_THAT(verdict.error().message(), StartsWith(server.url() + row.message));
  }
}

// A refusal counts only if it is truncated, not if it fails in another way.
TEST_F(CurlTransferTest, RefusalThatCannotBeDecoded_IsAnError) {
  LoopbackServer server(
      Answer("HTTP/1.1 400 No\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"));
  CurlTransfer& transfer = Make(server.url(), AsksForGzip());
  EXPECT_EQ(transfer.Verdict(Run(transfer)).error().reason(), Reason::kDecode);
  LoopbackServer chunks([](const Request&, Peer& peer) {
    peer.Write("HTTP/1.1 400 No\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
    return false;
  });
  CurlTransfer& bad_chunk = Make(chunks.url(), {.target = "/x"});
  const CURLcode code = Run(bad_chunk);
  EXPECT_NE(code, CURLE_PARTIAL_FILE);
  EXPECT_EQ(bad_chunk.Verdict(code).error().reason(), Reason::kUnexpectedEof);
}

TEST_F(CurlTransferTest, ReceiverThatThrows_EndsTheExchange) {
  LoopbackServer server(Answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  for (const bool in_head : {true, false}) {
    CurlTransfer& transfer = Make(server.url(), {.target = "/x"});
    (in_head ? receiver_.on_headers : receiver_.on_data) = [] { throw std::runtime_error("no"); };
    const CURLcode code = Run(transfer);
    EXPECT_EQ(code, CURLE_WRITE_ERROR);
    EXPECT_EQ(transfer.Verdict(code).error().message(),
              server.url() + "/x: a response's receiver threw: no");
    EXPECT_EQ(receiver_.calls, in_head ? "head200 " : "head200 data ");
  }
}

TEST_F(CurlTransferTest, ReceiverWithoutMemory_EndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        LoopbackServer server(Answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
        CurlTransfer& transfer = Make(server.url(), {.target = "/x"});
        receiver_.on_headers = [] { throw std::bad_alloc(); };
        Run(transfer);
      },
      "out of memory \\(a response\\)");
}

// ---- Silence and Done

// Runs libcurl until `until` holds; returns the exchange's code if it is over before.
std::optional<CURLcode> RunUntil(CURLM* multi, const std::function<bool()>& until) {
  while (!until()) {
    int running = 0;
    curl_multi_perform(multi, &running);
    int left = 0;
    if (const CURLMsg* message = curl_multi_info_read(multi, &left)) return message->data.result;
    if (!until()) curl_multi_poll(multi, nullptr, 0, 1000, nullptr);
  }
  return std::nullopt;
}

TEST_F(CurlTransferTest, SilencedReceiver_IsNotCalledAgainAndLibcurlStops) {
  enum class When { kBefore, kSent, kHead, kInHead, kInData, kInGzip };
  struct Row {
    When when;
    CURLcode code;
    std::string calls;
  };
  for (const Row& row : std::vector<Row>{{When::kBefore, CURLE_ABORTED_BY_CALLBACK, ""},
                                         {When::kSent, CURLE_WRITE_ERROR, ""},
                                         {When::kHead, CURLE_WRITE_ERROR, "head200 "},
                                         {When::kInHead, CURLE_WRITE_ERROR, "head200 "},
                                         {When::kInData, CURLE_WRITE_ERROR, "head200 data "},
                                         {When::kInGzip, CURLE_WRITE_ERROR, "head200 data "}}) {
    SCOPED_TRACE(static_cast<int>(row.when));
    const bool gzip = row.when == When::kInGzip;
    std::promise<void> head;
    std::promise<void> body;
    LoopbackServer server([&](const Request&, Peer& peer) {
      head.get_future().wait();
      peer.Write(gzip ? "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 22\r\n\r\n"
                      : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
      body.get_future().wait();
      peer.Write(gzip ? GzippedOk() : "ok");
      return false;
    });
    CurlTransfer& transfer = Make(server.url(), AsksForGzip());
    ASSERT_TRUE(Prepare(transfer).ok());
    if (row.when == When::kInHead) receiver_.on_headers = [&] { transfer.Silence(); };
    if (row.when == When::kInData || gzip) receiver_.on_data = [&] { transfer.Silence(); };
    CURLM* const multi = curl_multi_init();
    curl_multi_add_handle(multi, transfer.easy());
    if (row.when == When::kSent) RunUntil(multi, [&] { return transfer.started; });
    if (row.when == When::kHead) {
      head.set_value();
      RunUntil(multi, [&] { return !receiver_.calls.empty(); });
    } else {
      head.set_value();
    }
    if (row.when <= When::kHead) transfer.Silence();
    EXPECT_EQ(transfer.done(), row.when <= When::kHead);
    body.set_value();
    EXPECT_EQ(RunUntil(multi, [] { return false; }), row.code);
    EXPECT_TRUE(transfer.done());
    EXPECT_EQ(receiver_.calls, row.calls);
    curl_multi_remove_handle(multi, transfer.easy());
    curl_multi_cleanup(multi);
  }
}

TEST_F(CurlTransferTest, EndOfTheExchange_IsToldOnceAndEndsItsDeadline) {
  for (const bool silenced : {false, true}) {
    CurlTransfer& transfer = Make("http://127.0.0.1:1", {.target = "/x"});
    bool late = false;
    transfer.deadline = sim_.env().loop().RunAt(Now() + 5s, [&] { late = true; });
    EXPECT_FALSE(transfer.done());
    receiver_.on_done = [] { throw std::runtime_error("is logged"); };
    if (silenced) transfer.Silence();
    transfer.Done({});
    EXPECT_TRUE(transfer.done());
    transfer.Done(Error(Reason::kTransport, "again"));
    EXPECT_EQ(receiver_.calls, silenced ? "" : "done ");
    sim_.RunFor(10s);
    EXPECT_FALSE(late);
  }
}

// ---- Credentials

class NotingSource final : public CredentialSource {
 public:
  void Fetch(Env&, std::function<void(Result<Credentials>)>) override {}
  void Rejected(const std::string& authorization) override { rejected += authorization; }
  bool CanRefresh() const override { return true; }
  std::string rejected;
};

TEST_F(CurlTransferTest, Status401_RejectsTheAuthorizationThatWasSent) {
  struct Row {
    const char* status;
    std::string authorization;
    bool with_source;
    std::string rejected;
  };
  for (const Row& row : std::vector<Row>{{"401", "Bearer t", true, "Bearer t"},
                                         {"401", "Bearer t", false, ""},
                                         {"401", "", true, ""},
                                         {"400", "Bearer t", true, ""},
                                         {"403", "Bearer t", true, ""},
                                         {"200", "Bearer t", true, ""}}) {
    LoopbackServer server(
        Answer(std::string("HTTP/1.1 ") + row.status + " X\r\nContent-Length: 0\r\n\r\n"));
    const auto source = std::make_shared<NotingSource>();
    HttpTransportOptions options;
    if (row.with_source) options.credentials = source;
    CurlTransfer& transfer = Make(server.url(), {.target = "/x"}, std::move(options));
    ASSERT_TRUE(Prepare(transfer, row.authorization).ok());
    EXPECT_EQ(curl_easy_perform(transfer.easy()), CURLE_OK);
    EXPECT_EQ(source->rejected, row.rejected) << row.status;
    EXPECT_EQ(receiver_.calls, std::string("head") + row.status + " ");
  }
}

}  // namespace
}  // namespace kinformer::internal::transport
