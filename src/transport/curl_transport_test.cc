// Tests the libcurl transport with a scripted server on the loopback interface.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"

namespace kinformer {
namespace {

using internal::transport::Chunk;
using internal::transport::CurlTransportTest;
using internal::transport::Echo;
using internal::transport::Hold;
using internal::transport::LoopbackServer;
using internal::transport::PlainResponse;
using internal::transport::TestExchange;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;

TEST_F(CurlTransportTest, LookUpsOfNamesAreObserved) {
  LoopbackServer server(&Echo);
  const std::string count =
      "rest_client_dns_resolution_duration_seconds_count{host=\"localhost\"} ";
  Make({.base_url = "http://127.0.0.1:" + std::to_string(server.port())});
  EXPECT_TRUE(Get("/a").ok());
  EXPECT_THAT(metrics_->Text(), testing::Not(HasSubstr("dns"))) << "an address is no name";
  OnLoop([&] { exchanges_.clear(); });
  OnLoop([&] { transport_.reset(); });
  Make({.base_url = "http://localhost:" + std::to_string(server.port())});
  EXPECT_TRUE(Get("/a").ok());
  EXPECT_THAT(metrics_->Text(), HasSubstr(count + "1\n"));
  EXPECT_TRUE(Get("/b").ok());
  EXPECT_THAT(metrics_->Text(), HasSubstr(count + "1\n")) << "the connection is the same";
  EXPECT_THAT(metrics_->Text(), HasSubstr("host=\"localhost\",le=\"30\"} 1\n"));
  EXPECT_THAT(metrics_->Text(), testing::Not(HasSubstr("host=\"localhost\",le=\"60\"")));
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
  TestExchange& got = Start(std::move(request));
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
    TestExchange& other = Start({.method = method, .target = "/x"});
    ASSERT_TRUE(other.WaitDone());
    EXPECT_EQ(other.text(), std::string(method) + " /prefix/x|");
  }
  TestExchange& big = Start({.method = "POST", .target = "/x", .body = std::string(3000000, 'b')});
  ASSERT_TRUE(big.WaitDone());
  EXPECT_EQ(big.text().size(), 3000000 + sizeof("POST /prefix/x|") - 1);
}

TEST_F(CurlTransportTest, ConnectionsAreReusedWithinAPoolAndNotAcross) {
  LoopbackServer server(Echo);
  Make(server);
  for (int i = 0; i < 5; ++i) {
    TestExchange& list = Start({.target = "/list", .pool = ConnectionPool::kList});
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
  TestExchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  EXPECT_TRUE(watch.WaitText("one two "));
  EXPECT_FALSE(watch.done());
  OnLoop([&] { watch.call.reset(); });
  EXPECT_EQ(closed.get_future().wait_for(seconds(5)), std::future_status::ready);
  EXPECT_FALSE(watch.done());
}

TEST_F(CurlTransportTest, EveryHttp1WatchHasItsOwnConnectionAndALimitIsAnError) {
  LoopbackServer server(Hold);
  Make({.base_url = server.url(), .max_http1_watches = 40});
  std::vector<TestExchange*> watches;
  for (int i = 0; i < 40; ++i) {
    watches.push_back(&Start({.target = "/watch", .pool = ConnectionPool::kWatch}));
  }
  for (TestExchange* watch : watches) EXPECT_TRUE(watch->WaitText("first "));
  EXPECT_EQ(server.connections(), 40);
  TestExchange& over = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  ASSERT_TRUE(over.WaitDone());
  EXPECT_EQ(over.error().reason(), Reason::kOverLimit);
}

TEST_F(CurlTransportTest, CallbacksMayStartAndAbandonOtherCalls) {
  LoopbackServer server(Hold);
  Make(server);
  TestExchange& victim = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  ASSERT_TRUE(victim.WaitText("first "));
  TestExchange later;
  TestExchange first;
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
  TestExchange& got = Start({.target = "/watch", .timeout = milliseconds(100)});
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
  HttpRequest request{.target = "/x"};
  request.headers.Add("Accept-Encoding", "gzip");
  TestExchange& got = Start(std::move(request));
  ASSERT_TRUE(got.WaitDone());
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

// As over HTTP/2, where libcurl may lose the rest of an answer that arrived before the request was
// read.
TEST_F(CurlTransportTest, ARefusalWhoseTextBreaksOffIsARefusal) {
  LoopbackServer server([&](const Request&, Peer& peer) {
    peer.Write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\n{\"kind\":");
    return false;
  });
  Make(server);
  HttpRequest request{.method = "POST", .target = "/x"};
  request.body = "{}";
  TestExchange& got = Start(std::move(request));
  ASSERT_TRUE(got.WaitDone());
  EXPECT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got.status(), 401);
}

TEST_F(CurlTransportTest, GzipThatNobodyAskedForIsRefused) {
  LoopbackServer server([&](const Request&, Peer& peer) {
    return peer.Write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc");
  });
  Make(server);
  TestExchange& got = Get("/x");
  EXPECT_EQ(got.error().reason(), Reason::kDecode);
  EXPECT_THAT(got.error().message(), HasSubstr("nobody asked for"));
}

// A value with a line break could add headers, such as an impersonation of another user.
TEST_F(CurlTransportTest, HeadersThatBreakTheirLineAreRefused) {
  std::atomic<int> seen{0};
  LoopbackServer server([&](const Request& request, Peer& peer) {
    ++seen;
    return Echo(request, peer);
  });
  for (const std::string& value : {std::string("jane\r\nImpersonate-Group: system:masters"),
                                   std::string("jane\n x"), std::string("jane\0x", 6)}) {
    HttpTransportOptions options{.base_url = server.url()};
    options.headers.Add("Impersonate-User", value);
    Make(std::move(options));
    TestExchange& got = Get("/x");
    EXPECT_EQ(got.error().reason(), Reason::kInvalidArgument) << got.error();
    EXPECT_THAT(got.error().message(), HasSubstr("Impersonate-User"));
    EXPECT_THAT(got.error().message(), testing::Not(HasSubstr("jane")));
  }
  EXPECT_EQ(seen, 0);
}

// On a reused connection libcurl by itself repeats a request that got no answer.
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
    TestExchange& got = Start({.method = method, .target = "/lost", .body = "x"});
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
  TestExchange& got = Get("/x");
  EXPECT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got.text(), "all of it");
}

TEST_F(CurlTransportTest, RedirectsAreAnswersAndInformationalOnesAreSkipped) {
  LoopbackServer server([&](const Request&, Peer& peer) {
    peer.Write("HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n");
    return peer.Write(PlainResponse("moved", "Location: /elsewhere\r\n", 302));
  });
  Make(server);
  TestExchange& got = Get("/x");
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
  TestExchange& got = Get("/x");
  EXPECT_EQ(got.error().reason(), Reason::kConnectionRefused) << got.error();
  EXPECT_THAT(got.error().message(), HasSubstr("127.0.0.1:" + std::to_string(port)));
  EXPECT_THAT(got.error().message(), HasSubstr("Is the server running"));
}

TEST_F(CurlTransportTest, UnknownHostsNameTheHost) {
  Make({.base_url = "https://no-such-host.invalid:6443", .use_environment_proxy = false});
  TestExchange& got = Get("/x");
  EXPECT_EQ(got.error().reason(), Reason::kTransport);
  EXPECT_THAT(got.error().message(), HasSubstr("no-such-host.invalid"));
  EXPECT_THAT(got.error().message(), HasSubstr("DNS"));
}

TEST_F(CurlTransportTest, AServerThatNeverShakesHandsIsATransportError) {
  LoopbackServer server(Echo);  // speaks no TLS and waits for a request
  Make({.base_url = "https://127.0.0.1:" + std::to_string(server.port()),
        .connect_timeout = milliseconds(200)});
  std::vector<TestExchange*> all;
  for (int i = 0; i < 3; ++i) all.push_back(&Start({.target = "/x"}));
  for (TestExchange* got : all) {
    ASSERT_TRUE(got->WaitDone());
    EXPECT_EQ(got->error().reason(), Reason::kTransport) << got->error();
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

TEST_F(CurlTransportTest, CredentialsAreAskedPerRequestAndToldOf401_TR11) {
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
  TestExchange& got = Start(std::move(own));
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
  TestExchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
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
  TestExchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  ASSERT_TRUE(watch.WaitDone(seconds(5)));
  EXPECT_EQ(watch.text(), "first ");
  EXPECT_EQ(watch.error().reason(), Reason::kTransport);
  EXPECT_THAT(watch.error().message(), HasSubstr("no sign of life"));
}

// The head and part of the body arrive, then nothing, while the server is alive.
TEST_F(CurlTransportTest, ABodyThatStopsInItsMiddleEnds_H7) {
  LoopbackServer server([](const Request& request, Peer& peer) {
    if (request.target != "/list") return Echo(request, peer);
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"items\":[");
    peer.WaitForClose();
    return false;
  });
  Make({.base_url = server.url(),
        .read_idle_timeout = milliseconds(100),
        .ping_timeout = milliseconds(100)});
  for (const ConnectionPool pool : {ConnectionPool::kList, ConnectionPool::kShort}) {
    TestExchange& list = Start({.target = "/list", .pool = pool});
    ASSERT_TRUE(list.WaitDone());
    EXPECT_EQ(list.text(), "{\"items\":[");
    EXPECT_EQ(list.error().reason(), Reason::kTransport);
    EXPECT_THAT(list.error().message(), HasSubstr("/list: the response stopped in its middle"));
  }
  EXPECT_TRUE(Get("/x").ok());
}

// The same before the body begins, and for a refused watch: over HTTP/1.1 a probe has its own
// connection, so it says nothing about this one.
TEST_F(CurlTransportTest, AnAnswerThatStopsInItsMiddleEndsWhereverThatIs_H7) {
  std::atomic<int> probes{0};
  LoopbackServer server([&](const Request& request, Peer& peer) {
    if (request.target == "/livez") ++probes;
    if (request.target == "/head") {
      peer.Write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-A");
    } else if (request.target == "/refused") {
      peer.Write("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\n{\"kind\":");
    } else {
      return Echo(request, peer);
    }
    peer.WaitForClose();
    return false;
  });
  Make({.base_url = server.url(),
        .read_idle_timeout = milliseconds(100),
        .ping_timeout = milliseconds(100)});
  for (const auto& [target, pool] :
       {std::pair("/head", ConnectionPool::kList), std::pair("/head", ConnectionPool::kWatch),
        std::pair("/refused", ConnectionPool::kWatch)}) {
    SCOPED_TRACE(target);
    TestExchange& exchange = Start({.target = target, .pool = pool});
    ASSERT_TRUE(exchange.WaitDone());
    EXPECT_EQ(exchange.error().reason(), Reason::kTransport);
    EXPECT_THAT(exchange.error().message(),
                HasSubstr(std::string(target) + ": the response stopped in its middle"));
  }
  EXPECT_GT(probes, 0) << "and they were answered";
}

// A body of single bytes, each sent when the client has just probed the server, for far longer than
// both limits together.
TEST_F(CurlTransportTest, ASlowBodyGoesOn_H7) {
  constexpr int kBytes = 40;
  std::mutex mutex;
  std::condition_variable probed;
  int probes = 0;
  LoopbackServer server([&](const Request& request, Peer& peer) {
    if (request.target == "/livez") {
      const std::lock_guard lock(mutex);
      ++probes;
      probed.notify_all();
      return Echo(request, peer);
    }
    peer.Write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBytes) + "\r\n\r\n");
    for (int i = 0; i < kBytes; ++i) {
      std::unique_lock lock(mutex);
      probed.wait(lock, [&] { return probes > i; });
      peer.Write("x");
    }
    return true;
  });
  Make({.base_url = server.url(),
        .read_idle_timeout = milliseconds(25),
        .ping_timeout = milliseconds(500)});
  const SteadyTime before = runtime_.env().Now();
  TestExchange& list = Start({.target = "/list", .pool = ConnectionPool::kList});
  ASSERT_TRUE(list.WaitDone());
  EXPECT_TRUE(list.ok()) << list.error();
  EXPECT_EQ(list.text(), std::string(kBytes, 'x'));
  EXPECT_GT(runtime_.env().Now() - before, milliseconds(525));
}

// All connections of the lane are in use; the probe needs one more.
TEST_F(CurlTransportTest, RequestsOfEveryPoolOnAFrozenServerEnd_H7) {
  LoopbackServer server([](const Request&, Peer& peer) {
    peer.WaitForClose();
    return false;
  });
  Make({.base_url = server.url(),
        .read_idle_timeout = milliseconds(50),
        .ping_timeout = milliseconds(200),
        .max_connections = 2});
  std::vector<TestExchange*> all;
  for (const ConnectionPool pool :
       {ConnectionPool::kList, ConnectionPool::kShort, ConnectionPool::kLease}) {
    for (int i = 0; i < 3; ++i) all.push_back(&Start({.target = "/list", .pool = pool}));
  }
  for (TestExchange* list : all) {
    ASSERT_TRUE(list->WaitDone());
    EXPECT_THAT(list->error().message(), HasSubstr("no sign of life"));
  }
}

// A slow server is probed before it answers, and the request is kept if the probe is answered.
TEST_F(CurlTransportTest, ASlowAnswerOfALivingServerIsAwaited_H7) {
  std::promise<void> probed;
  std::atomic<bool> told{false};
  LoopbackServer server([&](const Request& request, Peer& peer) {
    if (request.target == "/livez") {
      if (!told.exchange(true)) probed.set_value();
      return Echo(request, peer);
    }
    probed.get_future().wait();
    return Echo(request, peer);
  });
  Make({.base_url = server.url(),
        .read_idle_timeout = milliseconds(50),
        .ping_timeout = milliseconds(5000)});
  TestExchange& list = Start({.target = "/list", .pool = ConnectionPool::kList});
  ASSERT_TRUE(list.WaitDone());
  EXPECT_TRUE(list.ok()) << list.error();
}

// ---- Exceptions from the program's own classes

class ThrowingSource final : public CredentialSource {
 public:
  void Fetch(Env&, std::function<void(Result<Credentials>)> done) override {
    if (fail) throw std::runtime_error("no credentials today");
    done(Credentials{.authorization = "Bearer t"});
  }
  void Rejected(const std::string&) override { throw std::runtime_error("rejected"); }
  bool CanRefresh() const override { return true; }
  bool fail = false;
};

TEST_F(CurlTransportTest, CredentialSourcesAndReceiversMayThrow_H5) {
  LoopbackServer server([](const Request& request, Peer& peer) {
    return peer.Write(PlainResponse("x", "", request.target == "/401" ? 401 : 200));
  });
  auto source = std::make_shared<ThrowingSource>();
  Make({.base_url = server.url(), .credentials = source});
  EXPECT_EQ(Get("/401").status(), 401);
  source->fail = true;
  EXPECT_THAT(Get("/x").error().message(), HasSubstr("no credentials today"));
  source->fail = false;

  TestExchange thrower;
  thrower.on_data = [] { throw std::runtime_error("on data"); };
  OnLoop([&] { thrower.call = transport_->Start({.target = "/x"}, thrower); });
  ASSERT_TRUE(thrower.WaitDone());
  EXPECT_THAT(thrower.error().message(), HasSubstr("on data"));
  EXPECT_TRUE(Get("/x").ok()) << "the lane goes on";
  OnLoop([&] { thrower.call.reset(); });
}

TEST_F(CurlTransportTest, TheLongestTimeoutIsNone) {
  LoopbackServer server(Echo);
  Make(server);
  TestExchange& got = Start({.target = "/x", .timeout = Duration::max()});
  ASSERT_TRUE(got.WaitDone());
  EXPECT_TRUE(got.ok()) << got.error();
}

TEST_F(CurlTransportTest, DestroyingTheTransportEndsItsCalls) {
  LoopbackServer server(Hold);
  Make(server);
  TestExchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
  ASSERT_TRUE(watch.WaitText("first "));
  transport_.reset();
  ASSERT_TRUE(watch.WaitDone());
  EXPECT_EQ(watch.error().reason(), Reason::kStopped);
}

}  // namespace
}  // namespace kinformer
