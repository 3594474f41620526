// The libcurl transport against servers on the loopback interface.

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/http_transport.h"
#include "kinformer/runtime.h"

#include "transport/loopback_server_for_test.h"

namespace kinformer {
namespace {

using internal::Chunk;
using internal::LoopbackServer;
using internal::MakeTestCa;
using internal::MakeTestCertificate;
using internal::PlainResponse;
using internal::TestCertificate;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;

// A receiver whose state the test's thread may wait for.
class Exchange final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders& headers) override {
    const std::lock_guard lock(mutex_);
    status_ = status;
    content_type_ = headers.Get("Content-Type");
    changed_.notify_all();
  }
  void OnData(std::string_view data) override {
    std::function<void()> hook;
    {
      const std::lock_guard lock(mutex_);
      text_ += data;
      hook = on_data;
      changed_.notify_all();
    }
    if (hook) hook();
  }
  void OnDone(Result<void> result) override {
    const std::lock_guard lock(mutex_);
    EXPECT_FALSE(result_.has_value()) << "OnDone twice";
    result_ = std::move(result);
    changed_.notify_all();
  }

  template <class Condition>
  bool WaitFor(Condition condition, Duration limit = seconds(20)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, condition);
  }
  bool WaitDone(Duration limit = seconds(20)) {
    return WaitFor([&] { return result_.has_value(); }, limit);
  }
  bool WaitText(const std::string& text) {
    return WaitFor([&] { return text_ == text; });
  }
  int status() {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  bool done() {
    const std::lock_guard lock(mutex_);
    return result_.has_value();
  }
  bool ok() {
    const std::lock_guard lock(mutex_);
    return result_ && result_->ok();
  }
  Error error() {
    const std::lock_guard lock(mutex_);
    return result_ && !result_->ok() ? result_->error() : Error(Reason::kUnknown, "no error");
  }

  std::function<void()> on_data;
  std::unique_ptr<HttpCall> call;  // touched on the loop only

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int status_ = 0;
  std::string content_type_;
  std::string text_;
  std::optional<Result<void>> result_;
};

class CurlTransportTest : public testing::Test {
 protected:
  ~CurlTransportTest() override {
    OnLoop([&] {
      for (auto& exchange : exchanges_) exchange->call.reset();
    });
    transport_.reset();
  }

  void OnLoop(const std::function<void()>& body) {
    std::promise<void> done;
    runtime_.env().loop().Post([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }

  void Make(HttpTransportOptions options) {
    auto made = NewHttpTransport(runtime_.env(), std::move(options));
    ASSERT_TRUE(made.ok()) << made.error();
    transport_ = *std::move(made);
  }
  void Make(const LoopbackServer& server) { Make({.base_url = server.url()}); }

  Exchange& Start(HttpRequest request) {
    exchanges_.push_back(std::make_unique<Exchange>());
    Exchange& exchange = *exchanges_.back();
    OnLoop([&] { exchange.call = transport_->Start(std::move(request), exchange); });
    return exchange;
  }
  Exchange& Get(const std::string& target) {
    Exchange& exchange = Start({.target = target});
    EXPECT_TRUE(exchange.WaitDone());
    return exchange;
  }
  TransportStats Stats() {
    TransportStats stats;
    OnLoop([&] { stats = transport_->Stats(); });
    return stats;
  }

  Runtime runtime_{{.log = NewNullLog()}};
  std::unique_ptr<Transport> transport_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
};

bool Echo(const Request& request, Peer& peer) {
  return peer.Write(PlainResponse(request.method + " " + request.target + "|" + request.body));
}

bool Hold(const Request& request, Peer& peer) {
  if (request.target.find("watch") == std::string::npos) return Echo(request, peer);
  peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Chunk("first "));
  peer.WaitForClose();
  return false;
}

TEST_F(CurlTransportTest, SendsMethodTargetHeadersAndBody) {
  std::string head;
  LoopbackServer server([&](const Request& request, Peer& peer) {
    head = request.head;
    return Echo(request, peer);
  });
  HttpTransportOptions options{.base_url = server.url() + "/prefix/", .user_agent = "tester/1"};
  options.headers.Add("Impersonate-User", "jane");
  Make(std::move(options));
  HttpRequest request{.method = "PATCH", .target = "/api/v1/pods/x?dryRun=All", .body = "{}"};
  request.headers.Add("Content-Type", "application/merge-patch+json");
  request.headers.Add("Accept", "application/json");
  Exchange& got = Start(std::move(request));
  ASSERT_TRUE(got.WaitDone());
  EXPECT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got.status(), 200);
  EXPECT_EQ(got.text(), "PATCH /prefix/api/v1/pods/x?dryRun=All|{}");
  EXPECT_THAT(head, HasSubstr("Content-Type: application/merge-patch+json\r\n"));
  EXPECT_THAT(head, HasSubstr("Accept: application/json\r\n"));
  EXPECT_THAT(head, HasSubstr("User-Agent: tester/1\r\n"));
  EXPECT_THAT(head, HasSubstr("Impersonate-User: jane\r\n"));
  EXPECT_THAT(head, testing::Not(HasSubstr("Expect")));
  EXPECT_THAT(head, testing::Not(HasSubstr("Accept-Encoding")));
  for (const char* method : {"GET", "DELETE", "POST", "PUT"}) {
    Exchange& other = Start({.method = method, .target = "/x"});
    ASSERT_TRUE(other.WaitDone());
    EXPECT_EQ(other.text(), std::string(method) + " /prefix/x|");
  }
  Exchange& big = Start({.method = "POST", .target = "/x", .body = std::string(3000000, 'b')});
  ASSERT_TRUE(big.WaitDone());
  EXPECT_EQ(big.text().size(), 3000000 + sizeof("POST /prefix/x|") - 1);
}

TEST_F(CurlTransportTest, ConnectionsAreReusedWithinAPoolAndNotAcross) {
  LoopbackServer server(Echo);
  Make(server);
  for (int i = 0; i < 5; ++i) {
    Exchange& list = Start({.target = "/list", .pool = ConnectionPool::kList});
    ASSERT_TRUE(list.WaitDone());
  }
  EXPECT_EQ(server.connections(), 1);
  Get("/short");
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(Stats().requests, 6U);
  EXPECT_EQ(Stats().connections_opened, 2U);
  EXPECT_EQ(Stats().connections_open, 2U);
  EXPECT_GT(Stats().bytes_received, 50U);
}

TEST_F(CurlTransportTest, StreamsAsItArrivesAndEndsOnAbandon) {
  std::promise<void> closed;
  LoopbackServer server([&](const Request&, Peer& peer) {
    peer.Write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + Chunk("one "));
    peer.Write(Chunk("two "));
    peer.WaitForClose();
    closed.set_value();
    return false;
  });
  Make(server);
  Exchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  EXPECT_TRUE(watch.WaitText("one two "));
  EXPECT_FALSE(watch.done());
  OnLoop([&] { watch.call.reset(); });
  EXPECT_EQ(closed.get_future().wait_for(seconds(5)), std::future_status::ready);
  EXPECT_FALSE(watch.done());
}

TEST_F(CurlTransportTest, EveryHttp1WatchHasItsOwnConnectionAndALimitIsAnError) {
  LoopbackServer server(Hold);
  Make({.base_url = server.url(), .max_http1_watches = 40});
  std::vector<Exchange*> watches;
  for (int i = 0; i < 40; ++i) {
    watches.push_back(&Start({.target = "/watch", .pool = ConnectionPool::kWatch}));
  }
  for (Exchange* watch : watches) EXPECT_TRUE(watch->WaitText("first "));
  EXPECT_EQ(server.connections(), 40);
  Exchange& over = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  ASSERT_TRUE(over.WaitDone());
  EXPECT_EQ(over.error().reason(), Reason::kOverLimit);
}

TEST_F(CurlTransportTest, CallbacksMayStartAndAbandonOtherCalls) {
  LoopbackServer server(Hold);
  Make(server);
  Exchange& victim = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  ASSERT_TRUE(victim.WaitText("first "));
  Exchange later;
  Exchange first;
  first.on_data = [&] {
    victim.call.reset();
    later.call = transport_->Start({.target = "/later", .pool = ConnectionPool::kWatch}, later);
  };
  OnLoop([&] {
    first.call = transport_->Start({.target = "/x", .pool = ConnectionPool::kWatch}, first);
  });
  EXPECT_TRUE(first.WaitDone());
  EXPECT_TRUE(later.WaitDone());
  EXPECT_EQ(later.text(), "GET /later|");
  EXPECT_FALSE(victim.done());
  OnLoop([&] {
    first.call.reset();
    later.call.reset();
  });
}

TEST_F(CurlTransportTest, TimeoutsCoverTheWholeExchange) {
  LoopbackServer server(Hold);
  Make(server);
  Exchange& got = Start({.target = "/watch", .timeout = milliseconds(100)});
  ASSERT_TRUE(got.WaitDone());
  EXPECT_EQ(got.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(got.error().message(), HasSubstr("/watch"));
}

// ---- broken answers

struct BrokenCase {
  const char* name;
  std::string sent;
  bool reset;
  Reason want;
  friend std::ostream& operator<<(std::ostream& out, const BrokenCase& c) { return out << c.name; }
};

class BrokenResponse : public CurlTransportTest, public testing::WithParamInterface<BrokenCase> {};

TEST_P(BrokenResponse, IsNamed) {
  LoopbackServer server([&](const Request&, Peer& peer) {
    peer.Write(GetParam().sent);
    if (GetParam().reset) peer.Reset();
    return false;
  });
  Make(server);
  Exchange& got = Get("/x");
  EXPECT_EQ(got.error().reason(), GetParam().want) << got.error();
  EXPECT_THAT(got.error().message(), HasSubstr(server.url()));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenResponse,
    testing::Values(
        BrokenCase{"Nothing", "", false, Reason::kTransport},
        BrokenCase{"HalfHead", "HTTP/1.1 200 OK\r\nContent-Le", false, Reason::kTransport},
        BrokenCase{"HalfBody", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", false,
                   Reason::kUnexpectedEof},
        BrokenCase{"HalfChunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123",
                   false, Reason::kUnexpectedEof},
        BrokenCase{"NoLastChunk",
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n", false,
                   Reason::kUnexpectedEof},
        BrokenCase{"Reset", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", true,
                   Reason::kTransport},
        BrokenCase{"HalfGzip",
                   "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n"
                   "\x1f\x8b\x08",
                   false, Reason::kUnexpectedEof},
        BrokenCase{"NotGzip",
                   "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
                   false, Reason::kDecode},
        BrokenCase{"Brotli",
                   "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\nabc", false,
                   Reason::kDecode}),
    [](const auto& test) { return test.param.name; });

// On a connection that was used before, libcurl by itself sends again what got no answer.
TEST_F(CurlTransportTest, AWriteIsNeverSentTwice) {
  std::atomic<int> seen{0};
  LoopbackServer server([&](const Request& request, Peer& peer) {
    if (request.target == "/ok") return Echo(request, peer);
    ++seen;
    return false;
  });
  Make(server);
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    seen = 0;
    ASSERT_TRUE(Get("/ok").ok());
    Exchange& got = Start({.method = method, .target = "/lost", .body = "x"});
    ASSERT_TRUE(got.WaitDone());
    EXPECT_EQ(seen, 1) << method;
    EXPECT_EQ(got.error().reason(), Reason::kTransport) << got.error();
    EXPECT_THAT(got.error().message(), HasSubstr("the server may have done what was asked"));
  }
}

TEST_F(CurlTransportTest, ABodyWithoutLengthEndsWithTheConnection) {
  LoopbackServer server([&](const Request&, Peer& peer) {
    peer.Write("HTTP/1.0 200 OK\r\n\r\nall of it");
    return false;
  });
  Make(server);
  Exchange& got = Get("/x");
  EXPECT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got.text(), "all of it");
}

TEST_F(CurlTransportTest, RedirectsAreAnswersAndInformationalOnesAreSkipped) {
  LoopbackServer server([&](const Request&, Peer& peer) {
    peer.Write("HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n");
    return peer.Write(PlainResponse("moved", "Location: /elsewhere\r\n", 302));
  });
  Make(server);
  Exchange& got = Get("/x");
  EXPECT_EQ(got.status(), 302);
  EXPECT_EQ(got.text(), "moved");
}

// ---- no connection

TEST_F(CurlTransportTest, RefusedConnectionsSayWhereAndWhat) {
  int port = 0;
  {
    port = LoopbackServer(Echo).port();
  }
  Make({.base_url = "https://127.0.0.1:" + std::to_string(port)});
  Exchange& got = Get("/x");
  EXPECT_EQ(got.error().reason(), Reason::kConnectionRefused) << got.error();
  EXPECT_THAT(got.error().message(), HasSubstr("127.0.0.1:" + std::to_string(port)));
  EXPECT_THAT(got.error().message(), HasSubstr("Is the server running"));
}

TEST_F(CurlTransportTest, UnknownHostsNameTheHost) {
  Make({.base_url = "https://no-such-host.invalid:6443", .use_environment_proxy = false});
  Exchange& got = Get("/x");
  EXPECT_EQ(got.error().reason(), Reason::kTransport);
  EXPECT_THAT(got.error().message(), HasSubstr("no-such-host.invalid"));
  EXPECT_THAT(got.error().message(), HasSubstr("DNS"));
}

TEST_F(CurlTransportTest, AServerThatNeverShakesHandsIsATransportError) {
  LoopbackServer server(Echo);  // speaks no TLS and waits for a request
  Make({.base_url = "https://127.0.0.1:" + std::to_string(server.port()),
        .connect_timeout = milliseconds(200)});
  std::vector<Exchange*> all;
  for (int i = 0; i < 3; ++i) all.push_back(&Start({.target = "/x"}));
  for (Exchange* got : all) {
    ASSERT_TRUE(got->WaitDone());
    EXPECT_EQ(got->error().reason(), Reason::kTransport) << got->error();
  }
}

// ---- TLS

class CurlTlsTest : public CurlTransportTest {
 protected:
  std::string Https(const LoopbackServer& server, const std::string& host = "127.0.0.1") {
    return "https://" + host + ":" + std::to_string(server.port());
  }
  TestCertificate ca_ = MakeTestCa("test ca");
  TestCertificate cert_ = MakeTestCertificate(ca_, "127.0.0.1");
};

TEST_F(CurlTlsTest, TrustsTheGivenCaOnly) {
  LoopbackServer server(Echo, {.certificate = &cert_});
  Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}});
  Exchange& good = Get("/x");
  EXPECT_TRUE(good.ok()) << good.error();
  EXPECT_EQ(good.text(), "GET /x|");

  Make({.base_url = server.url(), .tls = {.ca_pem = MakeTestCa("other ca").cert}});
  Exchange& bad = Get("/x");
  EXPECT_EQ(bad.error().reason(), Reason::kTransport);
  EXPECT_THAT(bad.error().message(), HasSubstr("certificate-authority"));
  EXPECT_THAT(bad.error().message(), HasSubstr("--insecure-skip-tls-verify"));

  Make({.base_url = server.url(), .tls = {.insecure_skip_verify = true}});
  EXPECT_TRUE(Get("/x").ok());
}

TEST_F(CurlTlsTest, NamesAndDatesAreChecked) {
  const TestCertificate named = MakeTestCertificate(ca_, "kube.example");
  LoopbackServer server(
      [](const Request& request, Peer& peer) {
        return peer.Write(PlainResponse(request.Header("host")));
      },
      {.certificate = &named});
  Make({.base_url = Https(server), .tls = {.ca_pem = ca_.cert}});
  EXPECT_THAT(Get("/x").error().message(), HasSubstr("tls-server-name"));

  Make({.base_url = Https(server), .tls = {.server_name = "kube.example", .ca_pem = ca_.cert}});
  Exchange& renamed = Get("/x");
  EXPECT_TRUE(renamed.ok()) << renamed.error();
  EXPECT_EQ(renamed.text(), "127.0.0.1:" + std::to_string(server.port()));

  const TestCertificate old = MakeTestCertificate(ca_, "127.0.0.1", -1);
  LoopbackServer expired(Echo, {.certificate = &old});
  Make({.base_url = expired.url(), .tls = {.ca_pem = ca_.cert}});
  EXPECT_THAT(Get("/x").error().message(), HasSubstr("expired"));
}

TEST_F(CurlTlsTest, ClientCertificatesAreShownAndTheirLackIsNamed) {
  const TestCertificate client = MakeTestCertificate(ca_, "client");
  LoopbackServer server(Echo, {.certificate = &cert_, .client_ca = ca_.cert});
  Make({.base_url = server.url(),
        .tls = {.ca_pem = ca_.cert, .cert_pem = client.cert, .key_pem = client.key}});
  Exchange& good = Get("/x");
  EXPECT_TRUE(good.ok()) << good.error();

  Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}});
  Exchange& bad = Get("/x");
  EXPECT_EQ(bad.error().reason(), Reason::kTransport);
  EXPECT_THAT(bad.error().message(), HasSubstr("client-certificate"));
}

TEST_F(CurlTlsTest, AChangedCaFileIsUsed) {
  const std::string path = testing::TempDir() + "kinformer-ca-" + std::to_string(getpid());
  std::ofstream(path) << MakeTestCa("wrong").cert;
  LoopbackServer server(Echo, {.certificate = &cert_});
  Make({.base_url = server.url(), .tls = {.ca_file = path}, .reload_period = milliseconds(0)});
  EXPECT_FALSE(Get("/x").ok());
  std::ofstream(path) << ca_.cert;
  bool good = false;
  for (int i = 0; i < 100 && !good; ++i) good = Get("/x").ok();
  EXPECT_TRUE(good);
  std::ofstream(path) << "garbage";
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Get("/x").ok()) << "what cannot be read changes nothing";
  std::remove(path.c_str());
}

struct TlsOptionsCase {
  const char* name;
  TlsOptions tls;
  const char* want;
};

TEST_F(CurlTlsTest, TR04BadOptionsAreNamed) {
  const TestCertificate other = MakeTestCertificate(ca_, "other");
  const TlsOptionsCase cases[] = {
      {"missing CA",
       {.ca_file = "/nonexistent/ca.crt"},
       "certificate-authority /nonexistent/ca.crt"},
      {"garbage CA", {.ca_pem = "hello"}, "no PEM certificate"},
      {"CA and insecure", {.insecure_skip_verify = true, .ca_pem = ca_.cert}, "exclude each other"},
      {"half a pair", {.cert_pem = cert_.cert}, "without client-key"},
      {"other half", {.key_pem = cert_.key}, "without client-certificate"},
      {"bad key", {.cert_pem = cert_.cert, .key_pem = "x"}, "not a PEM private key"},
      {"other's key", {.cert_pem = cert_.cert, .key_pem = other.key}, "not the certificate's"},
      {"missing cert",
       {.cert_file = "/nonexistent/c", .key_pem = cert_.key},
       "client-certificate /nonexistent/c"},
  };
  for (const auto& c : cases) {
    auto made = NewHttpTransport(runtime_.env(), {.base_url = "https://h", .tls = c.tls});
    ASSERT_FALSE(made.ok()) << c.name;
    EXPECT_EQ(made.error().reason(), Reason::kConfig) << c.name;
    EXPECT_THAT(made.error().message(), HasSubstr(c.want)) << c.name;
  }
  for (const char* url : {"", "ftp://host", "https://", "https://host:99999", "http://a b"}) {
    auto made = NewHttpTransport(runtime_.env(), {.base_url = url});
    ASSERT_FALSE(made.ok()) << url;
    EXPECT_EQ(made.error().reason(), Reason::kConfig) << url;
  }
}

// ---- credentials

class Tokens final : public CredentialSource {
 public:
  void Fetch(Env& env, std::function<void(Result<Credentials>)> done) override {
    env.loop().Post([this, done = std::move(done)] {
      if (fail) {
        done(Error(Reason::kConfig, "no token"));
      } else {
        done(Credentials{.authorization = "Bearer t" + std::to_string(generation)});
      }
    });
  }
  void Rejected(const std::string& authorization) override {
    rejected.push_back(authorization);
    ++generation;
  }
  bool CanRefresh() const override { return true; }
  int generation = 1;
  bool fail = false;
  std::vector<std::string> rejected;
};

TEST_F(CurlTransportTest, TR11CredentialsAreAskedPerRequestAndToldOf401) {
  LoopbackServer server([](const Request& request, Peer& peer) {
    const std::string token = request.Header("authorization");
    return peer.Write(PlainResponse(token, "", token == "Bearer t1" ? 401 : 200));
  });
  auto tokens = std::make_shared<Tokens>();
  Make({.base_url = server.url(), .credentials = tokens});
  EXPECT_EQ(Get("/x").status(), 401);
  EXPECT_EQ(tokens->rejected, std::vector<std::string>{"Bearer t1"});
  EXPECT_EQ(Get("/x").text(), "Bearer t2");
  HttpRequest own{.target = "/x"};
  own.headers.Add("Authorization", "Bearer mine");
  Exchange& got = Start(std::move(own));
  ASSERT_TRUE(got.WaitDone());
  EXPECT_EQ(got.text(), "Bearer mine");
  tokens->fail = true;
  EXPECT_EQ(Get("/x").error().reason(), Reason::kConfig);
}

// ---- dead peers

TEST_F(CurlTransportTest, ASilentServerIsProbedAndKeptIfItAnswers) {
  LoopbackServer server(Hold);
  Make({.base_url = server.url(),
        .read_idle_timeout = milliseconds(50),
        .ping_timeout = milliseconds(2000)});
  Exchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  ASSERT_TRUE(watch.WaitText("first "));
  EXPECT_FALSE(watch.WaitDone(milliseconds(400)));
  EXPECT_GE(server.connections(), 2) << "a probe has been sent";
}

TEST_F(CurlTransportTest, AFrozenServersWatchesAreAbandoned) {
  LoopbackServer server([](const Request& request, Peer& peer) {
    if (request.target == "/livez") {
      peer.WaitForClose();
      return false;
    }
    return Hold(request, peer);
  });
  Make({.base_url = server.url(),
        .read_idle_timeout = milliseconds(50),
        .ping_timeout = milliseconds(100)});
  Exchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  ASSERT_TRUE(watch.WaitDone(seconds(5)));
  EXPECT_EQ(watch.text(), "first ");
  EXPECT_EQ(watch.error().reason(), Reason::kTransport);
  EXPECT_THAT(watch.error().message(), HasSubstr("no sign of life"));
}

TEST_F(CurlTransportTest, DestroyingTheTransportEndsItsCalls) {
  LoopbackServer server(Hold);
  Make(server);
  Exchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  ASSERT_TRUE(watch.WaitText("first "));
  transport_.reset();
  ASSERT_TRUE(watch.WaitDone());
  EXPECT_EQ(watch.error().reason(), Reason::kStopped);
}

}  // namespace
}  // namespace kinformer
