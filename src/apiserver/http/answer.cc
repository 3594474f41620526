#include "apiserver/http/answer.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "apiserver/http/letting_in.h"

namespace kinformer::apiserver {
namespace {

class Refusal final : public ResponseStream {
 public:
  Refusal(int status, std::string body) : status_(status), body_(std::move(body)) {
    headers_.Add("Content-Type", "application/json");
    headers_.Add("Cache-Control", "no-cache, private");
    if (status == 401) headers_.Add("WWW-Authenticate", "Bearer");
  }
  [[nodiscard]] int status() const override { return status_; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t, std::vector<BodyChunk>& out) override {
    out.push_back(BodyChunk::Of(std::exchange(body_, {})));
    return State::kEnd;
  }
  void SetWake(std::function<void()>) override {}

 private:
  const int status_;
  std::string body_;
  HttpHeaders headers_;
};

// What the target's query says of watches. A bare "watch" counts too.
struct WatchWords {
  bool watch = false;
  bool initial_events = false;
  bool bookmarks = false;
};

WatchWords WatchWordsOf(std::string_view target) {
  WatchWords words;
  const std::size_t question = target.find('?');
  words.watch = target.substr(0, question).find("/watch/") != std::string_view::npos;
  if (question == std::string_view::npos) return words;
  std::string_view query = target.substr(question + 1);
  while (!query.empty()) {
    const std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), item.size() + 1));
    const std::string_view name = item.substr(0, item.find('='));
    const std::string_view value = item.substr(std::min(item.size(), name.size() + 1));
    if (!value.empty() && value != "true" && value != "1") continue;
    if (name == "watch") words.watch = true;
    if (name == "sendInitialEvents") words.initial_events = true;
    if (name == "allowWatchBookmarks") words.bookmarks = true;
  }
  return words;
}

bool AcceptsGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    std::string_view item = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(accept_encoding.size(), item.size() + 1));
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    if (item == "gzip" || (item.starts_with("gzip;") && item.find("q=0") == item.npos)) return true;
  }
  return false;
}

std::optional<std::size_t> Number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

AnswerTraits TraitsOf(const HttpRequest& request) {
  using Compression = AnswerTraits::Compression;
  AnswerTraits traits{.head_request = request.method == "HEAD"};
  if (!AcceptsGzip(request.headers.Get("Accept-Encoding"))) return traits;
  const WatchWords words = WatchWordsOf(request.target);
  if (!words.watch) {
    traits.compression = Compression::kIfLong;
  } else if (words.initial_events && words.bookmarks) {
    traits.compression = Compression::kMembers;
  }
  return traits;
}

std::unique_ptr<ResponseStream> NewRefusal(int status, std::string_view reason,
                                           std::string_view message) {
  std::string text;
  for (const char c : message) {
    if (c == '"' || c == '\\') text.push_back('\\');
    text.push_back(c);
  }
  return std::make_unique<Refusal>(
      status,
      "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
      "\"message\":\"" +
          text + "\",\"reason\":\"" + std::string(reason) +
          "\",\"code\":" + std::to_string(status) + "}\n");
}

std::unique_ptr<ResponseStream> RefuseBody(const HttpServerOptions& options) {
  return NewRefusal(413, "RequestEntityTooLarge",
                    "Request entity too large: limit is " + std::to_string(options.max_body_bytes));
}

std::unique_ptr<ResponseStream> RefuseHeaders(const HttpServerOptions& options) {
  return NewRefusal(
      431, "BadRequest",
      "request headers are longer than " + std::to_string(options.max_header_bytes) + " bytes");
}

std::unique_ptr<ResponseStream> Dispatch(ConnectionHost& host, const std::string& certificate_user,
                                         HttpRequest request) {
  host.CountRequest();
  if (!LetIn(host.options(), certificate_user, request)) {
    return NewRefusal(401, "Unauthorized", "Unauthorized");
  }
  auto response = host.handler().Handle(std::move(request));
  if (response != nullptr) return response;
  return NewRefusal(500, "InternalError", "the handler gave no response");
}

Answer::Answer(ConnectionHost& host, AnswerTraits traits, std::unique_ptr<ResponseStream> response)
    : host_(host), traits_(traits), response_(std::move(response)) {}

// Framing is ours: what the handler says about it does not go out.
bool Answer::IsFraming(std::string_view name) {
  return SameFieldName(name, "Content-Length") || SameFieldName(name, "Transfer-Encoding") ||
         SameFieldName(name, "Connection") || SameFieldName(name, "Keep-Alive") ||
         SameFieldName(name, "Upgrade");
}

Answer::State Answer::Pull(std::size_t max_bytes, std::vector<BodyChunk>& out) {
  if (!begun_) return Begin(max_bytes, out);
  if (bodiless_) return State::kEnd;
  const State state = Read(max_bytes, out);
  if (compressed_) Compress(state, out);
  return state;
}

Answer::State Answer::Read(std::size_t max_bytes, std::vector<BodyChunk>& out) {
  auto state = State::kMore;
  std::size_t total = 0;
  while (state == State::kMore && total < max_bytes) {
    const std::size_t first = out.size();
    state = response_->Read(max_bytes - total, out);
    if (out.size() == first) break;  // it looks for more
    for (std::size_t i = first; i < out.size(); ++i) total += out[i].bytes.size();
  }
  return state;
}

Answer::State Answer::Begin(std::size_t max_bytes, std::vector<BodyChunk>& out) {
  // Until it is clear how long the body is, more is collected: a short one gets a length, and only a long one is worth
  // compressing.
  using Compression = AnswerTraits::Compression;
  headers_ = &response_->headers();
  const bool encoded = headers_->Has("Content-Encoding");
  const bool may_compress = traits_.compression == Compression::kIfLong && !encoded;
  const std::size_t threshold = host_.options().gzip_above_bytes;
  const std::size_t enough = may_compress ? std::max(max_bytes, threshold + 1) : max_bytes;
  const std::size_t first = early_.size();
  const State state = Read(enough - early_bytes_, early_);
  for (std::size_t i = first; i < early_.size(); ++i) early_bytes_ += early_[i].bytes.size();
  const std::size_t total = early_bytes_;
  if (state == State::kAbort && total == 0) return state;
  if (state == State::kMore && total < enough) return state;
  if (out.empty()) {
    out = std::move(early_);
  } else {
    out.insert(out.end(), std::make_move_iterator(early_.begin()),
               std::make_move_iterator(early_.end()));
  }
  early_ = {};
  begun_ = true;
  status_ = response_->status();
  bodiless_ = traits_.head_request || status_ == 204 || status_ == 304 || status_ < 200;
  if (bodiless_) {
    if (traits_.head_request) {
      length_ = Number(headers_->Get("Content-Length"));
      if (!length_ && state == State::kEnd) length_ = total;
    }
    out.clear();
    return State::kEnd;
  }
  const bool members = traits_.compression == Compression::kMembers && !encoded && status_ == 200;
  compressed_ = members || (may_compress && total > threshold);
  if (!compressed_) {
    if (state == State::kEnd) length_ = total;
    return state;
  }
  if (!members) gzip_ = std::make_unique<GzipDeflater>();
  Compress(state, out);
  return state;
}

void Answer::Compress(State state, std::vector<BodyChunk>& out) {
  using Flush = GzipDeflater::Flush;
  std::string packed;
  if (gzip_ == nullptr) {
    if (out.empty()) return;
    GzipDeflater& members = host_.scratch().members;
    members.Restart();
    for (std::size_t i = 0; i < out.size(); ++i) {
      members.Deflate(out[i].bytes, i + 1 == out.size() ? Flush::kFinish : Flush::kNo, packed);
    }
  } else {
    for (const BodyChunk& chunk : out) gzip_->Deflate(chunk.bytes, Flush::kNo, packed);
    if (state == State::kEnd) gzip_->Deflate({}, Flush::kFinish, packed);
    if (state == State::kWait) gzip_->Deflate({}, Flush::kSync, packed);
  }
  out.clear();
  if (!packed.empty()) out.push_back(BodyChunk::Of(std::move(packed)));
}

}  // namespace kinformer::apiserver
