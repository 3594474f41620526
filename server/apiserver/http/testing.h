// apiserver/http/testing.h
//
// Helpers shared by the front end's tests: a handler that responds by path, curl, and a server on a
// loopback socket.

#ifndef KINFORMER_APISERVER_HTTP_TESTING_H_
#define KINFORMER_APISERVER_HTTP_TESTING_H_

#include <arpa/inet.h>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <curl/curl.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"

namespace kinformer::apiserver {
using std::chrono::milliseconds;
using std::chrono::seconds;

inline std::string Repeated(std::size_t size) {
  std::string text;
  text.reserve(size + 16);
  while (text.size() < size) text += "line " + std::to_string(text.size()) + "\n";
  text.resize(size);
  return text;
}

// Response of the test's handler; the path selects its behaviour.
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
    if (path == "/break") effect_.cut = ConnectionEffect::Cut::kConnection;
    if (path == "/stall") effect_.cut = ConnectionEffect::Cut::kStall;
    if (path == "/goaway") effect_.go_away = true;
    if (path == "/limit") effect_.max_streams = 3;
    if (path == "/cut" || path == "/break" || path == "/stall") body_ = Repeated(100000);
    if (path == "/goaway" || path == "/limit") body_ = "so be it";
    if (path == "/late") {
      ready_ = false;
      body_ = "late";
      timer_ = env_.loop().RunAt(env_.Now() + milliseconds(20), [this] {
        ready_ = true;
        wake_();
      });
    }
  }
  ~TestStream() override {
    if (mode_ == "/last-word") wake_();
    --alive_;
  }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;

  [[nodiscard]] bool ready() const override { return ready_; }
  [[nodiscard]] int status() const override { return status_; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    if (mode_ == "/ticks") {
      // Sends five events, one every 5 ms.
      if (ticked_ < ticks_)
        out.push_back(BodyChunk::Of("tick " + std::to_string(++ticked_) + "\n"));
      if (ticked_ == 5) return State::kEnd;
      timer_ = env_.loop().RunAt(env_.Now() + milliseconds(5), [this] {
        ++ticks_;
        wake_();
      });
      return State::kWait;
    }
    if (mode_ == "/silent" || mode_ == "/last-word") return State::kWait;
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
    const bool cut = mode_ == "/cut" || mode_ == "/break" || mode_ == "/stall";
    return cut ? State::kAbort : State::kEnd;
  }
  void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }
  [[nodiscard]] ConnectionEffect effect() const override { return effect_; }

  inline static std::atomic<std::size_t> most_pulled{0};

 private:
  Env& env_;
  std::atomic<int>& alive_;
  std::string mode_;
  int status_ = 200;
  bool ready_ = true;
  ConnectionEffect effect_{};
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
  std::atomic<int> alive{0};  // live streams

 private:
  Env& env_;
};

enum class Protocol : std::uint8_t { kHttp1, kHttp1Tls, kHttp2Tls };

struct Reply {
  CURLcode code = CURLE_OK;
  long status = 0;
  std::string body{};
  std::string headers{};  // in lower case
  long connects = 0;
  bool http2 = false;
};

inline std::size_t Append(char* data, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

// One curl handle, which keeps its connections open.
class Curl {
 public:
  // `ca_pem` empty: curl's own trust store.
  Curl(Protocol protocol, const std::string& ca_pem) : handle_(curl_easy_init()) {
    Set(CURLOPT_HTTP_VERSION,
        protocol == Protocol::kHttp2Tls ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
    if (!ca_pem.empty()) Blob(CURLOPT_CAINFO_BLOB, ca_pem);
  }
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
  Reply Get(const std::string& url, long timeout = 30) {
    Reply reply;
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_WRITEFUNCTION, &Append);
    Set(CURLOPT_WRITEDATA, &reply.body);
    Set(CURLOPT_HEADERFUNCTION, &Append);
    Set(CURLOPT_HEADERDATA, &reply.headers);
    Set(CURLOPT_NOSIGNAL, 1L);
    if (timeout != 0) Set(CURLOPT_TIMEOUT, timeout);
    reply.code = curl_easy_perform(handle_);
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &reply.status);
    curl_easy_getinfo(handle_, CURLINFO_NUM_CONNECTS, &reply.connects);
    long version = 0;
    curl_easy_getinfo(handle_, CURLINFO_HTTP_VERSION, &version);
    reply.http2 = version == CURL_HTTP_VERSION_2_0;
    for (char& c : reply.headers)
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return reply;
  }

 private:
  CURL* handle_;
  curl_slist* headers_ = nullptr;
};

// Opens a plain socket to a local port.
inline int Connect(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return fd;
}

// Waits for a condition that the server's loop makes true. False: it did not within 20 s.
template <class Condition>
bool Becomes(Env& env, Condition condition) {
  const SteadyTime deadline = env.Now() + seconds(20);
  while (!condition()) {
    if (env.Now() > deadline) return false;
    env.SleepFor(milliseconds(2));
  }
  return true;
}

class HttpServerFixture {
 public:
  explicit HttpServerFixture(Protocol protocol) : protocol_(protocol) {}

  void Listen(HttpServerOptions options = {}) {
    options.tls = options.tls || protocol_ != Protocol::kHttp1;
    server_ = HttpServer::Listen(runtime_.env(), handler_, std::move(options)).OrExit();
  }
  // Waits until the loop has handled the client's action.
  template <class Condition>
  bool Eventually(Condition condition) {
    return Becomes(runtime_.env(), condition);
  }
  [[nodiscard]] Curl Client() const { return Curl(protocol_, server_->ca_pem()); }
  // Opens a plain socket to the server.
  int Dial() { return Connect(server_->port()); }
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

  static std::string TalkTls(int fd, const std::string& text) {
    ::signal(SIGPIPE, SIG_IGN);  // OpenSSL's sockets raise it if the server has closed
    const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()),
                                                               &SSL_CTX_free);
    const std::unique_ptr<SSL, void (*)(SSL*)> ssl(SSL_new(context.get()), &SSL_free);
    SSL_set_fd(ssl.get(), fd);
    EXPECT_EQ(SSL_connect(ssl.get()), 1);
    (void)SSL_write(ssl.get(), text.data(), static_cast<int>(text.size()));
    std::string all;
    char buffer[4096];
    for (int n = 0; (n = SSL_read(ssl.get(), buffer, sizeof(buffer))) > 0;) {
      all.append(buffer, static_cast<std::size_t>(n));
    }
    ::close(fd);
    return all;
  }

  const Protocol protocol_;
  Runtime runtime_{{.name = "http"}};
  TestHandler handler_{runtime_.env()};
  std::unique_ptr<HttpServer> server_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_TESTING_H_
