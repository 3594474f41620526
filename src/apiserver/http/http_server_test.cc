// The HTTP front end over real loopback sockets, with curl on the other side.

#include "kinformer/apiserver/http_server.h"

#include <arpa/inet.h>
#include <atomic>
#include <curl/curl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kinformer/runtime.h"
#include "kinformer/simulation.h"

#include "apiserver/http/tls_authority.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Repeated(std::size_t size) {
  std::string text;
  text.reserve(size + 16);
  while (text.size() < size) text += "line " + std::to_string(text.size()) + "\n";
  text.resize(size);
  return text;
}

// What the test's handler answers, by path.
class TestStream final : public ResponseStream {
 public:
  TestStream(Env& env, const HttpRequest& request, std::atomic<int>& alive)
      : env_(env), alive_(alive) {
    ++alive_;
    headers_.Add("Content-Type", "text/plain");
    const std::string path = request.target.substr(0, request.target.find('?'));
    mode_ = path;
    if (path == "/big") body_ = Repeated(std::stoul(request.target.substr(10)));  // ?size=N
    if (path == "/echo") {
      body_ = request.method + " " + request.target + " user=" + request.user +
              " x=" + std::string(request.headers.Get("x-test")) + " body=" + request.body;
    }
    if (path == "/version") body_ = "v";
    if (path == "/nothing") status_ = 204;
    if (path == "/cut") body_ = Repeated(100000);
    if (path == "/late") {
      ready_ = false;
      body_ = "late";
      timer_ = env_.loop().RunAt(env_.Now() + milliseconds(20), [this] {
        ready_ = true;
        wake_();
      });
    }
  }
  ~TestStream() override { --alive_; }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;

  [[nodiscard]] bool ready() const override { return ready_; }
  [[nodiscard]] int status() const override { return status_; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    if (mode_ == "/ticks") {
      // Five events, one every 5 ms.
      if (ticked_ < ticks_)
        out.push_back(BodyChunk::Of("tick " + std::to_string(++ticked_) + "\n"));
      if (ticked_ == 5) return State::kEnd;
      timer_ = env_.loop().RunAt(env_.Now() + milliseconds(5), [this] {
        ++ticks_;
        wake_();
      });
      return State::kWait;
    }
    if (mode_ == "/silent") return State::kWait;
    if (mode_ == "/endless") {
      pulled_ += max_bytes;
      out.push_back(BodyChunk::Of(std::string(max_bytes, 'x')));
      most_pulled = pulled_;
      return State::kMore;
    }
    const std::size_t size = std::min(max_bytes, body_.size() - done_);
    if (size > 0) out.push_back(BodyChunk::Of(body_.substr(done_, size)));
    done_ += size;
    if (done_ < body_.size()) return State::kMore;
    return mode_ == "/cut" ? State::kAbort : State::kEnd;
  }
  void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }

  inline static std::atomic<std::size_t> most_pulled{0};

 private:
  Env& env_;
  std::atomic<int>& alive_;
  std::string mode_;
  int status_ = 200;
  bool ready_ = true;
  HttpHeaders headers_;
  std::string body_;
  std::size_t done_ = 0;
  std::size_t pulled_ = 0;
  int ticks_ = 0;
  int ticked_ = 0;
  Timer timer_;
  std::function<void()> wake_;
};

class TestHandler final : public Handler {
 public:
  explicit TestHandler(Env& env) : env_(env) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    return std::make_unique<TestStream>(env_, request, alive);
  }
  std::atomic<int> alive{0};  // streams

 private:
  Env& env_;
};

struct Reply {
  CURLcode code = CURLE_OK;
  long status = 0;
  std::string body{};
  std::string headers{};
  long connects = 0;
};

std::size_t Append(char* data, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

// One curl handle, so that connections are kept.
class Curl {
 public:
  Curl() : handle_(curl_easy_init()) {}
  ~Curl() {
    curl_slist_free_all(headers_);
    curl_easy_cleanup(handle_);
  }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  template <class T>
  Curl& Set(CURLoption option, T value) {
    curl_easy_setopt(handle_, option, value);
    return *this;
  }
  Curl& Header(const char* line) {
    headers_ = curl_slist_append(headers_, line);
    return Set(CURLOPT_HTTPHEADER, headers_);
  }
  Curl& Blob(CURLoption option, const std::string& text) {
    curl_blob blob{const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
    return Set(option, &blob);
  }
  Reply Get(const std::string& url) {
    Reply reply;
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_WRITEFUNCTION, &Append);
    Set(CURLOPT_WRITEDATA, &reply.body);
    Set(CURLOPT_HEADERFUNCTION, &Append);
    Set(CURLOPT_HEADERDATA, &reply.headers);
    Set(CURLOPT_NOSIGNAL, 1L);
    Set(CURLOPT_TIMEOUT, 30L);
    reply.code = curl_easy_perform(handle_);
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &reply.status);
    curl_easy_getinfo(handle_, CURLINFO_NUM_CONNECTS, &reply.connects);
    return reply;
  }

 private:
  CURL* handle_;
  curl_slist* headers_ = nullptr;
};

class HttpServerTest : public ::testing::Test {
 protected:
  void Listen(HttpServerOptions options = {}) {
    server_ = HttpServer::Listen(runtime_.env(), handler_, std::move(options)).OrExit();
  }
  // Until the loop has seen what the client did.
  template <class Condition>
  bool Eventually(Condition condition) {
    const SteadyTime deadline = runtime_.env().Now() + seconds(20);
    while (!condition()) {
      if (runtime_.env().Now() > deadline) return false;
      runtime_.env().SleepFor(milliseconds(2));
    }
    return true;
  }
  // A plain socket to the server.
  int Dial() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server_->port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }
  static std::string Talk(int fd, const std::string& text) {
    EXPECT_EQ(::send(fd, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    std::string all;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
      all.append(buffer, static_cast<std::size_t>(n));
    }
    ::close(fd);
    return all;
  }

  Runtime runtime_{{.name = "http"}};
  TestHandler handler_{runtime_.env()};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersAndKeepsTheConnection) {
  Listen();
  Curl curl;
  curl.Header("X-Test: 7").Set(CURLOPT_POSTFIELDS, "hello");
  const Reply first = curl.Get(server_->url() + "/echo?a=b%20c");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, "POST /echo?a=b%20c user= x=7 body=hello");
  EXPECT_THAT(first.headers, HasSubstr("Content-Type: text/plain"));
  EXPECT_THAT(first.headers, HasSubstr("Content-Length: "));
  EXPECT_THAT(first.headers, HasSubstr("Date: "));
  const Reply second = curl.Get(server_->url() + "/echo");
  EXPECT_EQ(second.connects, 0);
  EXPECT_EQ(server_->Stats().connections_accepted, 1U);
  EXPECT_EQ(server_->Stats().requests, 2U);
}

TEST_F(HttpServerTest, StreamsAsItComesInChunks) {
  Listen();
  Curl curl;
  const Reply reply = curl.Get(server_->url() + "/ticks?watch=true");
  EXPECT_EQ(reply.body, "tick 1\ntick 2\ntick 3\ntick 4\ntick 5\n");
  EXPECT_THAT(reply.headers, HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_EQ(curl.Get(server_->url() + "/late").body, "late");
  EXPECT_EQ(curl.Get(server_->url() + "/nothing").status, 204);
  EXPECT_EQ(server_->Stats().connections_accepted, 1U);
}

TEST_F(HttpServerTest, HeadersOfAWatchComeBeforeItsFirstEvent) {
  Listen();
  const int fd = Dial();
  const std::string request = "GET /silent?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n";
  ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  char buffer[1024];
  const ssize_t n = ::recv(fd, buffer, sizeof(buffer), 0);
  ASSERT_GT(n, 0);
  EXPECT_THAT(std::string(buffer, static_cast<std::size_t>(n)), HasSubstr("HTTP/1.1 200 OK\r\n"));
  // The client goes: so does the response.
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 1; }));
  ::close(fd);
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 0; }));
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
}

TEST_F(HttpServerTest, LongBodiesArriveWholeCompressedOnlyWhenAskedAndWorthIt) {
  Listen();
  for (const std::size_t size : {std::size_t{0}, std::size_t{65536}, std::size_t{131072},
                                 std::size_t{131073}, std::size_t{3000000}}) {
    const std::string expected = Repeated(size);
    const std::string url = server_->url() + "/big?size=" + std::to_string(size);
    Curl plain;
    const Reply unpacked = plain.Get(url);
    EXPECT_TRUE(unpacked.body == expected) << size;
    EXPECT_THAT(unpacked.headers, Not(HasSubstr("gzip")));
    Curl gzip;
    gzip.Set(CURLOPT_ACCEPT_ENCODING, "gzip");
    const Reply packed = gzip.Get(url);
    EXPECT_TRUE(packed.body == expected) << size;
    EXPECT_EQ(packed.headers.find("Content-Encoding: gzip") != std::string::npos, size > 131072)
        << size;
    EXPECT_THAT(gzip.Get(url + "&watch=true").headers, Not(HasSubstr("gzip")));
  }
}

TEST_F(HttpServerTest, ASlowReaderCostsABufferAndNoMore) {
  Listen({.write_timeout = milliseconds(200)});
  const int fd = Dial();
  const std::string request = "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n";
  ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  // Never reads: after the write timeout the server gives up.
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_accepted == 1; }));
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
  EXPECT_EQ(handler_.alive, 0);
  // What the kernel's buffers took, and one of ours.
  EXPECT_LE(TestStream::most_pulled.load(), server_->Stats().bytes_sent + 300000);
  ::close(fd);
}

TEST_F(HttpServerTest, AnAbortedResponseDoesNotLookComplete) {
  Listen();
  Curl curl;
  const Reply reply = curl.Get(server_->url() + "/cut");
  EXPECT_NE(reply.code, CURLE_OK);
  EXPECT_EQ(reply.body, Repeated(100000));
}

TEST_F(HttpServerTest, BoundsHeadersAndBodies) {
  Listen({.max_header_bytes = 8192, .max_body_bytes = 100000});
  const std::string at_limit(100000, 'b');
  const std::string over = at_limit + "b";
  Curl curl;
  curl.Set(CURLOPT_POSTFIELDS, at_limit.c_str());
  EXPECT_EQ(curl.Get(server_->url() + "/echo").status, 200);
  curl.Set(CURLOPT_POSTFIELDS, over.c_str());
  const Reply reply = curl.Get(server_->url() + "/echo");
  EXPECT_EQ(reply.status, 413);
  EXPECT_THAT(reply.body, HasSubstr("\"reason\":\"RequestEntityTooLarge\""));
  EXPECT_THAT(reply.body, HasSubstr("limit is 100000"));
  Curl chunked;
  chunked.Header("Transfer-Encoding: chunked").Set(CURLOPT_POSTFIELDS, over.c_str());
  EXPECT_EQ(chunked.Get(server_->url() + "/echo").status, 413);
  Curl header;
  const std::string line = "X-Long: " + std::string(10000, 'h');
  header.Header(line.c_str());
  EXPECT_EQ(header.Get(server_->url() + "/echo").status, 431);
}

TEST_F(HttpServerTest, SaysContinueWhenAsked) {
  Listen();
  Curl curl;
  const std::string body(50000, 'c');
  curl.Header("Expect: 100-continue").Set(CURLOPT_POSTFIELDS, body.c_str());
  const Reply reply = curl.Get(server_->url() + "/echo");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.headers, HasSubstr("100 Continue"));
  EXPECT_EQ(reply.body.size(), body.size() + std::string("POST /echo user= x= body=").size());
}

TEST_F(HttpServerTest, ServesPipelinedRequestsInOrderAndOldClients) {
  Listen();
  const std::string two = Talk(Dial(),
                               "GET /echo?1 HTTP/1.1\r\nHost: x\r\n\r\n"
                               "GET /echo?2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_LT(two.find("/echo?1"), two.find("/echo?2"));
  EXPECT_NE(two.find("/echo?2"), std::string::npos);
  EXPECT_THAT(Talk(Dial(), "GET /ticks HTTP/1.0\r\n\r\n"),
              ::testing::EndsWith("\r\n\r\ntick 1\ntick 2\ntick 3\ntick 4\ntick 5\n"));
  EXPECT_THAT(Talk(Dial(), "nonsense\r\n\r\n"), HasSubstr("HTTP/1.1 400 Bad Request\r\n"));
  const std::string head =
      Talk(Dial(), "HEAD /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(head, ::testing::EndsWith("\r\n\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Length: "));
}

TEST_F(HttpServerTest, HalfOpenClientsAreDropped) {
  Listen({.header_timeout = milliseconds(50), .idle_timeout = milliseconds(50)});
  const int silent = Dial();
  const int half = Dial();
  ::send(half, "GET /ec", 7, MSG_NOSIGNAL);
  char byte = 0;
  EXPECT_EQ(::recv(silent, &byte, 1, 0), 0);
  EXPECT_EQ(::recv(half, &byte, 1, 0), 0);
  ::close(silent);
  ::close(half);
}

TEST_F(HttpServerTest, RefusesConnectionsBeyondTheLimit) {
  Listen({.max_connections = 1});
  const int first = Dial();
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 1; }));
  const int second = Dial();
  char byte = 0;
  EXPECT_LE(::recv(second, &byte, 1, 0), 0);
  ::close(second);
  ::close(first);
}

TEST_F(HttpServerTest, ATokenLetsIn) {
  Listen({.bearer_token = "s3cret"});
  EXPECT_EQ(Curl().Get(server_->url() + "/echo").status, 401);
  EXPECT_EQ(Curl().Get(server_->url() + "/version").status, 200);
  EXPECT_EQ(Curl().Get(server_->url() + "/versions").status, 401);
  EXPECT_EQ(Curl().Header("Authorization: Bearer wrong!").Get(server_->url() + "/version").status,
            401);
  EXPECT_THAT(Curl().Header("Authorization: Bearer s3cret").Get(server_->url() + "/echo").body,
              HasSubstr("user=kubernetes-admin"));
  EXPECT_THAT(server_->Kubeconfig(), HasSubstr("token: 's3cret'"));
}

// Undoes the base64 of a field of the kubeconfig.
std::string Decoded(const std::string& config, const std::string& field) {
  const std::size_t at = config.find(field + ": ");
  EXPECT_NE(at, std::string::npos) << field;
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (std::size_t i = at + field.size() + 2; i < config.size() && config[i] != '\n'; ++i) {
    const std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t value = alphabet.find(config[i]);
    if (value == std::string_view::npos) break;
    bits = (bits << 6) | static_cast<unsigned>(value);
    if ((count += 6) >= 8) {
      count -= 8;
      out.push_back(static_cast<char>((bits >> count) & 0xff));
    }
  }
  return out;
}

TEST_F(HttpServerTest, TlsWithItsOwnAuthority) {
  Listen({.tls = true, .require_client_certificate = true});
  EXPECT_THAT(server_->url(), ::testing::StartsWith("https://127.0.0.1:"));
  EXPECT_NE(Curl().Get(server_->url() + "/echo").code, CURLE_OK) << "unknown authority";
  Curl anonymous;
  anonymous.Blob(CURLOPT_CAINFO_BLOB, server_->ca_pem());
  EXPECT_EQ(anonymous.Get(server_->url() + "/echo").status, 401);
  EXPECT_EQ(anonymous.Get(server_->url() + "/livez/ping").status, 200);

  const std::string config = server_->Kubeconfig();
  EXPECT_EQ(Decoded(config, "certificate-authority-data"), server_->ca_pem());
  Curl known;
  known.Blob(CURLOPT_CAINFO_BLOB, server_->ca_pem())
      .Blob(CURLOPT_SSLCERT_BLOB, Decoded(config, "client-certificate-data"))
      .Blob(CURLOPT_SSLKEY_BLOB, Decoded(config, "client-key-data"))
      .Set(CURLOPT_ACCEPT_ENCODING, "gzip");
  EXPECT_THAT(known.Get(server_->url() + "/echo").body, HasSubstr("user=kubernetes-admin"));
  EXPECT_TRUE(known.Get(server_->url() + "/big?size=1000000").body == Repeated(1000000));
  EXPECT_EQ(known.Get(server_->url() + "/ticks?watch=1").body.size(), 35U);
}

TEST_F(HttpServerTest, ACertificateOfAnotherAuthorityIsRefused) {
  Listen({.tls = true});
  TlsAuthority other = TlsAuthority::Make("other", runtime_.env().WallNow()).OrExit();
  const CertificateAndKey cert = other.ClientCertificate("mallory", {}).OrExit();
  Curl curl;
  curl.Blob(CURLOPT_CAINFO_BLOB, server_->ca_pem())
      .Blob(CURLOPT_SSLCERT_BLOB, cert.cert_pem)
      .Blob(CURLOPT_SSLKEY_BLOB, cert.key_pem);
  EXPECT_NE(curl.Get(server_->url() + "/echo").code, CURLE_OK);
}

TEST_F(HttpServerTest, WritesAKubeconfigForItsOwnerOnly) {
  Listen({.bearer_token = "it's"});
  const std::string path = ::testing::TempDir() + "kinformer_http_" + std::to_string(::getpid());
  server_->WriteKubeconfig(path).OrExit();
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), server_->Kubeconfig());
  EXPECT_THAT(text.str(), HasSubstr("server: '" + server_->url() + "'"));
  EXPECT_THAT(text.str(), HasSubstr("token: 'it''s'"));
  ::unlink(path.c_str());
  EXPECT_THAT(server_->WriteKubeconfig("/nowhere/at/all").error().message(),
              HasSubstr("/nowhere/at/all"));
}

TEST_F(HttpServerTest, DestructionEndsWhatIsUnderWay) {
  Listen();
  std::vector<int> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(Dial());
    const std::string request =
        std::string("GET ") + (i % 2 == 0 ? "/silent" : "/endless") + " HTTP/1.1\r\n\r\n";
    ::send(clients.back(), request.data(), request.size(), MSG_NOSIGNAL);
  }
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 20; }));
  server_.reset();
  EXPECT_EQ(handler_.alive, 0);
  for (const int fd : clients) ::close(fd);
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  Listen();
  Env& env = runtime_.env();
  const auto taken = HttpServer::Listen(env, handler_, {.port = server_->port()});
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().reason(), Reason::kTransport);
  EXPECT_THAT(taken.error().message(), HasSubstr(std::to_string(server_->port())));
  EXPECT_EQ(HttpServer::Listen(env, handler_, {.address = "localhost"}).error().reason(),
            Reason::kConfig);
  EXPECT_EQ(HttpServer::Listen(env, handler_, {.tls = true, .cert_pem = "x", .key_pem = "y"})
                .error()
                .reason(),
            Reason::kConfig);
  Simulation sim;
  EXPECT_EQ(HttpServer::Listen(sim.env(), handler_).error().reason(), Reason::kInvalidArgument);
}

}  // namespace
}  // namespace kinformer::apiserver
