#include "http/http1_connection.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/answer.h"

namespace kinformer::internal::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kSliceBytes = std::size_t{64} << 10;
// Slices of one response before others have their turn.
constexpr int kSlicesPerTurn = 4;
// How much of the next requests is read while a response is under way.
constexpr std::size_t kReadAheadBytes = std::size_t{64} << 10;

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string_view StatusText(int status) {
  return View(beast::obsolete_reason(beast::int_to_status(static_cast<unsigned>(status))));
}

// What one write may append to: a few words, without a string for them.
class Digits {
 public:
  explicit Digits(std::size_t value, int base = 10)
      : end_(std::to_chars(text_.data(), text_.data() + text_.size(), value, base).ptr) {}
  [[nodiscard]] std::string_view view() const {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

 private:
  std::array<char, 24> text_{};
  const char* end_;
};

class Http1Connection final : public Connection {
 public:
  Http1Connection(ConnectionHost& host, std::unique_ptr<ByteStream> stream, std::string peer_user)
      : Connection(host, std::move(stream)), peer_user_(std::move(peer_user)) {}

  void Start() override {
    SetDeadline(host().options().header_timeout);
    SetReading(true);
  }

  void Pump() override {
    if (closed() || phase_ == Phase::kLinger) return;
    Work(in_, /*stored=*/true);
  }

  void GoAway() override {
    going_away_ = true;
    if (phase_ == Phase::kRequest && parsing_ == nullptr && out().empty()) Close();
  }

 private:
  // kLeaving and kCut: nothing comes after what is to be written; then the connection ends,
  // properly or not.
  enum class Phase : std::uint8_t { kRequest, kResponse, kLeaving, kCut, kLinger };
  struct Parsing {
    beast::request_parser<beast::string_body> parser{};
    bool header_seen = false;
  };

  void OnBytes(std::string_view data) override {
    if (in_.empty()) return Work(data, /*stored=*/false);
    in_.append(data);
    Work(in_, /*stored=*/true);
  }

  void OnClose() override {
    answer_.reset();
    parsing_.reset();
  }

  // Requests and answers in turn, as far as it goes. What is left of `data` is kept for later.
  void Work(std::string_view data, bool stored) {
    const std::size_t all = data.size();
    more_ = false;
    while (!closed()) {
      if (phase_ == Phase::kRequest) {
        if (!ParseRequest(data)) break;
      } else if (phase_ != Phase::kResponse || !Advance()) {
        break;
      }
    }
    if (closed()) return;
    if (stored) {
      in_.erase(0, all - data.size());
      if (in_.empty()) std::string().swap(in_);
    } else {
      in_.assign(data);
    }
    Settle();
  }

  // True: a request is complete and being answered.
  bool ParseRequest(std::string_view& data) {
    if (data.empty()) return false;
    const HttpServerOptions& options = host().options();
    if (parsing_ == nullptr) {
      parsing_ = std::make_unique<Parsing>();
      parsing_->parser.eager(true);
      parsing_->parser.header_limit(static_cast<std::uint32_t>(options.max_header_bytes));
      parsing_->parser.body_limit(options.max_body_bytes);
      SetDeadline(options.header_timeout);
    }
    auto& parser = parsing_->parser;
    while (!data.empty() && !parser.is_done()) {
      error_code error;
      const std::size_t used = parser.put(asio::buffer(data.data(), data.size()), error);
      data.remove_prefix(used);
      if (error == beast::error::need_more) error = {};
      if (error == beast::error::body_limit) return Refuse(RefuseBody(host()));
      if (error == beast::error::header_limit || error == beast::error::buffer_overflow) {
        return Refuse(RefuseHeaders(host()));
      }
      if (error) {
        return Refuse(host().policy().Refuse(400, "malformed HTTP request: " + error.message()));
      }
      if (used == 0) break;
    }
    if (parser.is_header_done() && !parsing_->header_seen) {
      parsing_->header_seen = true;
      if (!parser.is_done()) {
        SetDeadline(options.body_timeout);
        if (SameFieldName(View(parser.get()[beast::field::expect]), "100-continue")) {
          out().Append("HTTP/1.1 100 Continue\r\n\r\n");
        }
      }
    }
    if (!parser.is_done()) return false;
    Begin();
    return true;
  }

  void Begin() {
    const std::unique_ptr<Parsing> parsed = std::move(parsing_);
    auto& message = parsed->parser.get();
    HttpRequest request;
    request.method = std::string(View(message.method_string()));
    request.target = std::string(View(message.target()));
    for (const auto& field : message)
      request.headers.Add(View(field.name_string()), View(field.value()));
    request.body = std::move(message.body());

    const std::uint64_t most = host().options().max_requests_per_connection;
    if (++requests_ == most) going_away_ = true;
    http10_ = message.version() < 11;
    keep_alive_ = message.keep_alive();
    AnswerTraits traits = TraitsOf(host(), request);
    if (http10_) traits.compression = Compression::kNone;
    phase_ = Phase::kResponse;
    ClearDeadline();
    StartAnswer(traits, Dispatch(host(), peer_user_, std::move(request)));
  }

  // What cannot be parsed any further ends the connection.
  bool Refuse(std::unique_ptr<ResponseStream> refusal) {
    parsing_.reset();
    keep_alive_ = false;
    http10_ = false;
    phase_ = Phase::kResponse;
    ClearDeadline();
    StartAnswer({}, std::move(refusal));
    return true;
  }

  void StartAnswer(AnswerTraits traits, std::unique_ptr<ResponseStream> response) {
    response->SetWake([this] { host().Woken(*this); });
    answer_.emplace(host(), traits, std::move(response));
    chunked_ = false;
  }

  // True: the response is complete, and there may be another request.
  bool Advance() {
    if (!answer_->ready()) return false;
    for (int slice = 0;; ++slice) {
      if (out().size() >= kSliceBytes && !Flush()) return false;
      if (slice == kSlicesPerTurn) {
        more_ = true;
        return false;
      }
      chunks_.clear();
      const bool begun = answer_->begun();
      const auto state = answer_->Pull(kSliceBytes, chunks_);
      if (!begun && answer_->begun()) MakeHead();
      if (!answer_->begun() && state == ResponseStream::State::kMore) {
        more_ = true;
        return false;
      }
      const bool nothing = chunks_.empty();
      FrameBody(state == ResponseStream::State::kEnd);
      switch (state) {
        case ResponseStream::State::kMore:
          if (!nothing) continue;
          more_ = true;
          return false;
        case ResponseStream::State::kWait:
          return false;
        case ResponseStream::State::kEnd:
          answer_.reset();
          phase_ = keep_alive_ ? Phase::kRequest : Phase::kLeaving;
          return keep_alive_;
        case ResponseStream::State::kAbort:
          Abort();
          return false;
      }
    }
  }

  void Abort() {
    const ConnectionEffect effect = answer_->effect();
    answer_.reset();
    if (effect.cut == ConnectionEffect::Cut::kStall) {
      if (Flush()) Freeze();
      return;
    }
    phase_ = Phase::kCut;
  }

  void MakeHead() {
    const Answer& answer = *answer_;
    Outbox& head = out();
    if (answer.effect().go_away || going_away_) keep_alive_ = false;
    head.Append("HTTP/1.1 ");
    head.Append(Digits(static_cast<std::size_t>(answer.status())).view());
    head.Append(" ");
    head.Append(StatusText(answer.status()));
    head.Append("\r\n");
    answer.ForEachField([&](std::string_view name, std::string_view value) {
      head.Append(name);
      head.Append(": ");
      head.Append(value);
      head.Append("\r\n");
    });
    if (answer.length()) {
      head.Append("Content-Length: ");
      head.Append(Digits(*answer.length()).view());
      head.Append("\r\n");
    } else if (!answer.bodiless() && http10_) {
      keep_alive_ = false;  // the end of the connection is the end of the body
    } else if (!answer.bodiless()) {
      chunked_ = true;
      head.Append("Transfer-Encoding: chunked\r\n");
    }
    if (!keep_alive_) {
      head.Append("Connection: close\r\n");
    } else if (http10_) {
      head.Append("Connection: keep-alive\r\n");
    }
    head.Append("\r\n");
  }

  void FrameBody(bool end) {
    Outbox& body = out();
    std::size_t size = 0;
    for (const BodyChunk& chunk : chunks_) size += chunk.bytes.size();
    if (chunked_ && size > 0) {
      body.Append(Digits(size, 16).view());
      body.Append("\r\n");
    }
    for (BodyChunk& chunk : chunks_) body.Append(std::move(chunk));
    if (chunked_ && size > 0) body.Append("\r\n");
    if (chunked_ && end) body.Append("0\r\n\r\n");
    // Thousands of idle watches keep none of it.
    if (!end) std::vector<BodyChunk>().swap(chunks_);
  }

  // Writes what there is, and sees to what comes next.
  void Settle() {
    const bool flushed = Flush();
    if (closed()) return;
    SetReading(phase_ != Phase::kCut && in_.size() < kReadAheadBytes);
    if (!flushed) return;
    switch (phase_) {
      case Phase::kRequest:
        if (parsing_ == nullptr) SetDeadline(host().options().idle_timeout);
        break;
      case Phase::kResponse:
        if (more_) {
          ClearDeadline();
          host().Woken(*this);
        } else {
          ForgetDeadline();
        }
        break;
      case Phase::kLeaving:
        phase_ = Phase::kLinger;
        std::string().swap(in_);
        Linger();
        break;
      case Phase::kCut:
        Close();
        break;
      case Phase::kLinger:
        break;
    }
  }

  const std::string peer_user_;
  std::string in_{};  // received, and to be looked at later
  std::unique_ptr<Parsing> parsing_{};
  std::optional<Answer> answer_{};
  std::vector<BodyChunk> chunks_{};
  std::uint64_t requests_ = 0;
  Phase phase_ = Phase::kRequest;
  bool more_ = false;  // the response had more when its turn was over
  bool chunked_ = false;
  bool keep_alive_ = false;
  bool http10_ = false;
  bool going_away_ = false;
};

}  // namespace

std::shared_ptr<Connection> NewHttp1Connection(ConnectionHost& host,
                                               std::unique_ptr<ByteStream> stream,
                                               std::string peer_user) {
  return std::make_shared<Http1Connection>(host, std::move(stream), std::move(peer_user));
}

}  // namespace kinformer::internal::http
