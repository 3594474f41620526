#include "conformance/http_peer.h"

#include <array>
#include <condition_variable>
#include <curl/curl.h>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <sys/socket.h>
#include <thread>
#include <utility>
#include <zlib.h>

#include "conformance/websocket_exchange.h"

namespace kinformer::testing {
namespace {

// Sets a small window, so that the server soon notices a client that does not read.
int SmallReceiveBuffer(void*, curl_socket_t socket, curlsocktype) {
  const int bytes = 16384;
  ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
  return CURL_SOCKOPT_OK;
}

// Decompresses a gzip body; `members` becomes the number of its members.
std::string Unpacked(const std::string& packed, int& members) {
  std::string out;
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return out;
  std::string input = packed;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  std::array<char, 16384> buffer{};
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
    if (result != Z_STREAM_END) continue;
    ++members;
    if (stream.avail_in > 0) result = inflateReset(&stream);
  }
  EXPECT_EQ(result, Z_STREAM_END) << "a broken gzip body";
  inflateEnd(&stream);
  return out;
}

}  // namespace

class HttpPeer::Exchange {
 public:
  Exchange(void* curl, bool slow) : curl_(curl), held_(slow) {}
  ~Exchange() {
    Release();
    if (thread_.joinable()) thread_.join();
    curl_slist_free_all(fields_);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void Begin(const HttpPeerOptions& options, HttpRequest request) {
    request_ = std::move(request);
    url_ = options.url + request_.target;
    for (const auto& [name, value] : request_.headers)
      Field(std::string(name).append(": ").append(value));
    if (!request_.headers.Has("Content-Type")) Field("Content-Type:");
    if (!request_.headers.Has("User-Agent")) Field("User-Agent: checks");
    if (!options.bearer_token.empty() && !request_.headers.Has("Authorization")) {
      Field("Authorization: Bearer " + options.bearer_token);
    }
    if (request_.headers.Has("Upgrade")) return BeginWebSocket(options);
    if (!request_.headers.Has("Accept")) Field("Accept:");
    Field("Expect:");
    curl_easy_setopt(curl_, CURLOPT_URL, url_.c_str());
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, fields_);
    curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    if (request_.method == "HEAD") curl_easy_setopt(curl_, CURLOPT_NOBODY, 1L);
    if (!request_.body.empty() || request_.method == "POST" || request_.method == "PUT") {
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(request_.body.size()));
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, request_.body.data());
    }
    if (!options.ca_file.empty()) {
      curl_easy_setopt(curl_, CURLOPT_CAINFO, options.ca_file.c_str());
    }
    real_ = options.word == "real";
    const bool http2 = options.http2 && !held_;
    curl_easy_setopt(curl_, CURLOPT_HTTP_VERSION,
                     http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
    if (held_) {
      curl_easy_setopt(curl_, CURLOPT_SOCKOPTFUNCTION, &SmallReceiveBuffer);
      curl_easy_setopt(curl_, CURLOPT_FRESH_CONNECT, 1L);
    }
    curl_easy_setopt(curl_, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    curl_easy_setopt(curl_, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT, 120L);
    curl_easy_setopt(curl_, CURLOPT_HEADERFUNCTION, &Exchange::OnHeader);
    curl_easy_setopt(curl_, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &Exchange::OnData);
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, this);
    thread_ = std::thread([this] { result_ = curl_easy_perform(curl_); });
  }

  ScriptReply Wait() {
    Release();
    thread_.join();
    // A real server that refuses a request does not read the body, and ends the stream after its
    // answer; libcurl may see the end first.
    for (int i = 0; i < 20 && BrokeOffRefused(); ++i) {
      reply_ = {};
      result_ = curl_easy_perform(curl_);
    }
    EXPECT_EQ(result_, CURLE_OK) << request_.method << " " << request_.target << ": "
                                 << curl_easy_strerror(result_);
    if (websocket_) return std::move(reply_);
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    reply_.status = static_cast<int>(status);
    if (reply_.headers.Get("Content-Encoding") == "gzip") {
      int members = 0;
      reply_.body = Unpacked(reply_.body, members);
      reply_.headers.Add("Gzip-Members", std::to_string(members));
    }
    return std::move(reply_);
  }
  [[nodiscard]] void* curl() const { return curl_; }

 private:
  void BeginWebSocket(const HttpPeerOptions& options) {
    websocket_ = true;
    if (!options.bearer_token.empty()) {
      request_.headers.Add("Authorization", "Bearer " + options.bearer_token);
    }
    // On a handle of its own: one that is used again forgets such a connection and leaves it open.
    thread_ = std::thread([this, url = options.url, ca_file = options.ca_file] {
      const std::unique_ptr<void, void (*)(void*)> curl(curl_easy_init(), &curl_easy_cleanup);
      curl_easy_setopt(curl.get(), CURLOPT_URL, url_.c_str());
      if (!ca_file.empty()) curl_easy_setopt(curl.get(), CURLOPT_CAINFO, ca_file.c_str());
      curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
      reply_ = WebSocketExchange(curl.get(), request_, url);
    });
  }
  [[nodiscard]] bool BrokeOffRefused() const {
    if (!real_ || websocket_ || result_ != CURLE_PARTIAL_FILE) return false;
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    return status == 401;
  }
  void Field(const std::string& line) { fields_ = curl_slist_append(fields_, line.c_str()); }
  void Release() {
    const std::scoped_lock lock(mutex_);
    held_ = false;
    released_.notify_all();
  }
  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
    const std::string_view line(data, size * count);
    HttpHeaders& headers = static_cast<Exchange*>(self)->reply_.headers;
    const std::size_t colon = line.find(':');
    if (line.starts_with("HTTP/")) {
      headers = {};
    } else if (colon != std::string_view::npos) {
      std::string_view value = line.substr(colon + 1);
      const auto blank = [](char c) { return c == ' ' || c == '\r' || c == '\n'; };
      while (!value.empty() && blank(value.front())) value.remove_prefix(1);
      while (!value.empty() && blank(value.back())) value.remove_suffix(1);
      headers.Add(line.substr(0, colon), value);
    }
    return size * count;
  }
  static std::size_t OnData(char* data, std::size_t size, std::size_t count, void* self) {
    auto& exchange = *static_cast<Exchange*>(self);
    {
      std::unique_lock lock(exchange.mutex_);
      exchange.released_.wait(lock, [&] { return !exchange.held_; });
    }
    exchange.reply_.body.append(data, size * count);
    return size * count;
  }

  void* const curl_;
  HttpRequest request_;
  std::string url_;
  curl_slist* fields_ = nullptr;
  ScriptReply reply_;
  CURLcode result_ = CURLE_OK;
  bool websocket_ = false;
  bool real_ = false;
  std::mutex mutex_;
  std::condition_variable released_;
  bool held_;
  std::thread thread_;
};

HttpPeer::HttpPeer(HttpPeerOptions options) : options_(std::move(options)) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
}

HttpPeer::~HttpPeer() {
  for (const auto& [number, exchange] : exchanges_) idle_.push_back(exchange->curl());
  exchanges_.clear();
  for (void* curl : idle_) curl_easy_cleanup(curl);
}

int HttpPeer::Begin(HttpRequest request, bool slow) {
  void* curl = nullptr;
  if (idle_.empty()) {
    curl = curl_easy_init();
  } else {
    curl = idle_.back();
    idle_.pop_back();
  }
  curl_easy_reset(curl);
  const int number = ++last_;
  auto exchange = std::make_unique<Exchange>(curl, slow);
  exchange->Begin(options_, std::move(request));
  exchanges_[number] = std::move(exchange);
  return number;
}

int HttpPeer::Start(HttpRequest request) { return Begin(std::move(request), false); }
int HttpPeer::StartSlow(HttpRequest request) { return Begin(std::move(request), true); }

ScriptReply HttpPeer::Finish(int number) {
  Exchange& exchange = *exchanges_.at(number);
  ScriptReply reply = exchange.Wait();
  idle_.push_back(exchange.curl());
  exchanges_.erase(number);
  return reply;
}

void HttpPeer::Sleep(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

}  // namespace kinformer::testing
