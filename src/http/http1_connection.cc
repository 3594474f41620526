#include "http/http1_connection.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/core/work_slice.h"
#include "http/answer.h"
#include "http/host_header.h"
#include "http/tunnel_connection.h"
#include "http/websocket_connection.h"
#include "http/websocket_handshake.h"

namespace kinformer::internal::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast::http;
using base::WorkSlice;
using boost::system::error_code;

constexpr std::size_t kSliceBytes = std::size_t{64} << 10;
// Slices of one response before other connections get a turn.
constexpr int kSlicesPerTurn = 4;
// Bytes of pipelined requests to read while a response is under way.
constexpr std::size_t kReadAheadBytes = std::size_t{64} << 10;
// Limit of a chunk's size line with its extensions, and of the trailers.
constexpr std::size_t kMaxChunkHeadBytes = 4096;

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string_view StatusText(int status) {
  return View(beast::obsolete_reason(beast::int_to_status(static_cast<unsigned>(status))));
}

// Formats numbers into a buffer, to avoid temporary strings.
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
  Http1Connection(ConnectionHost& host, std::unique_ptr<ByteStream> stream, PeerIdentity peer)
      : Connection(host, std::move(stream)), peer_(std::move(peer)) {}

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
  // kGate: the head is complete; the handler has not yet let the body in. kLeaving, kCut: nothing
  // follows the data in out(); once it is written, the connection ends, in kLeaving with a proper
  // shutdown, in kCut at once.
  enum class Phase : std::uint8_t { kRequest, kGate, kResponse, kLeaving, kCut, kLinger };
  struct Parsing {
    Parsing() { parser.on_chunk_header(on_chunk_head_); }
    Parsing(const Parsing&) = delete;
    Parsing& operator=(const Parsing&) = delete;

    beast::request_parser<beast::string_body> parser{};
    // Whether a line of the head begins with a blank: an obsolete continuation line, which others
    // interpret differently.
    bool folded = false;
    char last = 0;  // last byte of the head
    std::size_t head_bytes = 0;
    // The request without its body, once the head is complete. Trailers are never added to it.
    std::optional<HttpRequest> request{};
    // Refusal of the request, sent at once. The connection is kept only if the whole body has
    // already arrived.
    std::unique_ptr<ResponseStream> refusal{};
    // Decides whether the body may be read; null: no gate.
    std::unique_ptr<ResponseStream> gate{};

   private:
    // Referenced by the parser.
    std::function<void(std::uint64_t, boost::beast::string_view, error_code&)> on_chunk_head_ =
        [](std::uint64_t, boost::beast::string_view extensions, error_code& error) {
          if (extensions.size() > kMaxChunkHeadBytes) error = beast::error::bad_chunk_extension;
        };
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

  // Handles requests and responses in turn, as far as possible. Keeps the rest of `data`.
  void Work(std::string_view data, bool stored) {
    const std::size_t all = data.size();
    more_ = false;
    while (!closed()) {
      if (phase_ == Phase::kRequest) {
        if (!ParseRequest(data)) break;
      } else if (phase_ == Phase::kGate) {
        if (!PassGate()) break;
      } else if (phase_ != Phase::kResponse || !Advance()) {
        break;
      }
    }
    if (closed()) return;
    if (becomes_ != Becomes::kNothing) return Become(std::string(data));
    if (stored) {
      in_.erase(0, all - data.size());
      if (in_.empty()) std::string().swap(in_);
    } else {
      in_.assign(data);
    }
    Settle();
  }

  // Returns true if a request is complete and being answered.
  bool ParseRequest(std::string_view& data) {
    if (data.empty()) return false;
    const HttpServerOptions& options = host().options();
    if (parsing_ == nullptr) {
      parsing_ = std::make_unique<Parsing>();
      // Parses step by step, to judge the head before the body is read.
      parsing_->parser.eager(false);
      parsing_->parser.header_limit(static_cast<std::uint32_t>(options.max_header_bytes));
      // The limit of the body's length is revealed only to admitted clients.
      parsing_->parser.body_limit(std::numeric_limits<std::uint64_t>::max());
      SetDeadline(options.header_timeout);
    }
    auto& parser = parsing_->parser;
    while (!data.empty() && !parser.is_done()) {
      error_code error;
      const bool in_head = !parser.is_header_done();
      const std::size_t used = parser.put(asio::buffer(data.data(), data.size()), error);
      if (in_head) NoteHead(data.substr(0, used));
      data.remove_prefix(used);
      // The parser's own limit covers only data it has not consumed.
      if (parsing_->head_bytes > options.max_header_bytes) return Refuse(RefuseHeaders(host()));
      if (error == beast::error::need_more) error = {};
      // Clients that are not admitted learn nothing else.
      if (error && parsing_->refusal != nullptr) return Refuse(std::move(parsing_->refusal));
      if (error == beast::error::body_limit) return Refuse(RefuseBody(host()));
      if (error == beast::error::header_limit || error == beast::error::buffer_overflow) {
        return Refuse(RefuseHeaders(host()));
      }
      if (error) {
        return Malformed(error.message());
      }
      if (parser.is_header_done() && !parsing_->request) {
        if (auto refusal = TakeHead()) return Refuse(std::move(refusal));
        parser.body_limit(options.max_body_bytes);
        if (phase_ == Phase::kGate) return true;
      }
      if (used == 0) break;
    }
    if (parser.is_done()) {
      Begin();
      return true;
    }
    if (parsing_->refusal != nullptr) return Refuse(std::move(parsing_->refusal));
    if (parsing_->request && parser.chunked() && data.size() > kMaxChunkHeadBytes) {
      return Malformed("a chunk's head, or the trailers, are longer than " +
                       std::to_string(kMaxChunkHeadBytes) + " bytes");
    }
    return false;
  }

  bool Malformed(const std::string& why) {
    return Refuse(host().policy().Refuse(400, "malformed HTTP request: " + why));
  }

  void NoteHead(std::string_view bytes) {
    parsing_->head_bytes += bytes.size();
    for (const char c : bytes) {
      if (parsing_->last == '\n' && (c == ' ' || c == '\t')) parsing_->folded = true;
      parsing_->last = c;
    }
  }

  // Handles the complete head. Returns the refusal; null: the body may follow.
  std::unique_ptr<ResponseStream> TakeHead() {
    const auto& parser = parsing_->parser;
    const auto& message = parser.get();
    HttpRequest& request = parsing_->request.emplace();
    request.method = std::string(View(message.method_string()));
    request.target = std::string(View(message.target()));
    for (const auto& field : message)
      request.headers.Add(View(field.name_string()), View(field.value()));
    if (auto refusal = JudgeHead(request, message.version() >= 11)) return refusal;
    parsing_->refusal = AdmitHead(host(), peer_, request);
    const auto length = parser.content_length();
    if (length && *length > host().options().max_body_bytes) {
      return parsing_->refusal != nullptr ? std::move(parsing_->refusal) : RefuseBody(host());
    }
    if (parser.is_done() || parsing_->refusal != nullptr) return nullptr;
    parsing_->gate = GateOf(host(), request);
    if (parsing_->gate != nullptr && parsing_->gate->ready() && !Opens(*parsing_->gate)) {
      parsing_->refusal = std::move(parsing_->gate);
      return nullptr;
    }
    if (parsing_->gate == nullptr) {
      AwaitBody();
    } else {
      phase_ = Phase::kGate;
      ClearDeadline();
      parsing_->gate->SetWake(Waker());
    }
    return nullptr;
  }

  void AwaitBody() {
    SetDeadline(host().options().body_timeout);
    if (SameFieldName(parsing_->request->headers.Get("expect"), "100-continue")) {
      out().Append("HTTP/1.1 100 Continue\r\n\r\n");
    }
  }

  // Returns true if the gate has opened, or is the response.
  bool PassGate() {
    if (!parsing_->gate->ready()) return false;
    std::unique_ptr<ResponseStream> gate = std::move(parsing_->gate);
    if (!Opens(*gate)) return Refuse(std::move(gate));
    phase_ = Phase::kRequest;
    AwaitBody();
    return true;
  }

  // Refuses requests that are ambiguous.
  std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& request, bool http11) {
    const RequestPolicy& policy = host().policy();
    const auto malformed = [&](std::string_view why) {
      return policy.Refuse(400, "malformed HTTP request: " + std::string(why));
    };
    if (parsing_->folded) return malformed("a header goes on in the next line");
    if (const auto why = HostProblem(request.headers, http11); !why.empty()) return malformed(why);
    for (const auto& [name, value] : request.headers) {
      if (!SameFieldName(name, "transfer-encoding") || SameFieldName(value, "chunked")) continue;
      return policy.Refuse(501, "the Transfer-Encoding is not known here; it may be chunked");
    }
    if (!http11 && request.headers.Has("transfer-encoding")) {
      return malformed("HTTP/1.0 has no Transfer-Encoding");
    }
    return nullptr;
  }

  void Begin() {
    const std::unique_ptr<Parsing> parsed = std::move(parsing_);
    auto& message = parsed->parser.get();
    HttpRequest request = *std::move(parsed->request);
    request.body = std::move(message.body());

    const std::uint64_t most = host().options().max_requests_per_connection;
    if (++requests_ == most) going_away_ = true;
    http10_ = message.version() < 11;
    keep_alive_ = message.keep_alive();
    AnswerTraits traits = TraitsOf(host(), request);
    offer_ = WebSocketOfferOf(request);
    if (http10_ || (offer_ && !host().policy().AnswersWithMessages(request))) offer_.reset();
    traits.upgrades = !http10_ && AsksForUpgrade(request);
    if (http10_ || offer_) traits.compression = Compression::kNone;
    phase_ = Phase::kResponse;
    ClearDeadline();
    StartAnswer(traits, parsed->refusal != nullptr ? std::move(parsed->refusal)
                                                   : Dispatch(host(), std::move(request)));
  }

  // Ends the connection after the refusal, since the rest cannot be parsed.
  bool Refuse(std::unique_ptr<ResponseStream> refusal) {
    parsing_.reset();
    keep_alive_ = false;
    http10_ = false;
    offer_.reset();
    phase_ = Phase::kResponse;
    ClearDeadline();
    StartAnswer({}, std::move(refusal));
    return true;
  }

  void StartAnswer(AnswerTraits traits, std::unique_ptr<ResponseStream> response) {
    response->SetWake(Waker());
    answer_.emplace(host(), traits, std::move(response));
    chunked_ = false;
  }

  // Returns true if the response is complete, and another request may follow.
  bool Advance() {
    if (!answer_->ready()) return false;
    const WorkSlice turn(host().env());
    for (int slice = 0;; ++slice) {
      if (out().size() >= kSliceBytes && !Flush()) return false;
      if (IsOver(turn, slice)) return false;
      chunks_.clear();
      const bool begun = answer_->begun();
      const auto state = answer_->Pull(kSliceBytes, chunks_);
      if (!begun && answer_->begun()) {
        if (Switches(state)) return false;
        if (offer_ && answer_->status() == 200) {
          if (TakeOffer(state)) return false;
          continue;
        }
        MakeHead();
        if (state != ResponseStream::State::kEnd) answer_->ReleaseHead();
      }
      if (!answer_->begun() && state != ResponseStream::State::kAbort) {
        more_ = state == ResponseStream::State::kMore;
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
          // GoAway came after the head promised to keep the connection. No further data came.
          if (going_away_ && in_.empty()) keep_alive_ = false;
          phase_ = keep_alive_ ? Phase::kRequest : Phase::kLeaving;
          return keep_alive_;
        case ResponseStream::State::kAbort:
          Abort();
          return false;
      }
    }
  }

  // Returns whether the rest of the answer is for another turn.
  bool IsOver(const WorkSlice& turn, int slice) {
    if (slice != kSlicesPerTurn && (slice == 0 || !turn.over())) return false;
    more_ = true;
    return true;
  }

  // Returns whether the answer, which has just begun, changes the protocol.
  bool Switches(Answer::State state) {
    if (answer_->status() != kSwitchingProtocols) return false;
    early_state_ = state;
    becomes_ = Becomes::kUpgraded;
    return true;
  }

  // Upgrades to a WebSocket, with the first part of the answer already pulled. Returns false if the
  // upgrade is refused by another response.
  bool TakeOffer(Answer::State state) {
    if (auto refusal = RefuseWebSocket(*offer_)) {
      chunks_.clear();
      offer_.reset();
      keep_alive_ = false;
      StartAnswer({}, std::move(refusal));
      return false;
    }
    early_state_ = state;
    becomes_ = Becomes::kWebSocket;
    return true;
  }

  // Replaces this by a connection of the other protocol; the last call.
  void Become(std::string input) {
    const bool websocket = becomes_ == Becomes::kWebSocket;
    if (websocket) {
      out().Append(WebSocketAcceptance(*offer_));
    } else {
      MakeUpgradeHead();
    }
    const MessageForm form =
        websocket ? host().policy().FormOf(answer_->content_type()) : MessageForm::kLine;
    TunnelStart start{.out = std::move(out()),
                      .answer = std::make_unique<Answer>(*std::move(answer_)),
                      .chunks = std::move(chunks_),
                      .state = early_state_,
                      .input = std::move(input)};
    answer_.reset();
    std::unique_ptr<ByteStream> bytes = ReleaseStream();
    host().Replace(
        *this, websocket ? NewWebSocketConnection(host(), std::move(bytes), std::move(start), form)
                         : NewUpgradedConnection(host(), std::move(bytes), std::move(start)));
  }

  void MakeUpgradeHead() {
    Outbox& head = out();
    head.Append("HTTP/1.1 101 Switching Protocols\r\n");
    const auto field = [&head](std::string_view name, std::string_view value) {
      head.Append(name);
      head.Append(": ");
      head.Append(value);
      head.Append("\r\n");
    };
    answer_->ForEachField(field);
    field("Upgrade", answer_->protocol());
    field("Connection", "Upgrade");
    head.Append("\r\n");
  }

  void Abort() {
    const ConnectionEffect effect = answer_->effect();
    answer_.reset();
    if (!LeaveWaiting(effect)) phase_ = Phase::kCut;
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
      keep_alive_ = false;  // the end of the connection ends the body
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
    // Frees the memory, because of thousands of idle watches.
    if (!end) std::vector<BodyChunk>().swap(chunks_);
  }

  // Writes pending data, and decides what to wait for.
  void Settle() {
    const bool flushed = Flush();
    if (closed()) return;
    // Incomplete heads and chunk lines are limited by the parser.
    SetReading(phase_ == Phase::kRequest ||
               (phase_ != Phase::kCut && in_.size() < kReadAheadBytes));
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
      case Phase::kGate:
      case Phase::kLinger:
        break;
    }
  }

  const PeerIdentity peer_;
  std::string in_{};  // received, not yet parsed
  std::unique_ptr<Parsing> parsing_{};
  std::optional<Answer> answer_{};
  std::vector<BodyChunk> chunks_{};
  std::optional<WebSocketOffer> offer_{};  // set if the request asks for a WebSocket
  Answer::State early_state_ = Answer::State::kMore;
  std::uint64_t requests_ = 0;
  Phase phase_ = Phase::kRequest;
  enum class Becomes : std::uint8_t { kNothing, kWebSocket, kUpgraded };
  Becomes becomes_ = Becomes::kNothing;
  bool more_ = false;  // the response had more data at the end of its turn
  bool chunked_ = false;
  bool keep_alive_ = false;
  bool http10_ = false;
  bool going_away_ = false;
};

}  // namespace

std::shared_ptr<Connection> NewHttp1Connection(ConnectionHost& host,
                                               std::unique_ptr<ByteStream> stream,
                                               PeerIdentity peer) {
  return std::make_shared<Http1Connection>(host, std::move(stream), std::move(peer));
}

}  // namespace kinformer::internal::http
