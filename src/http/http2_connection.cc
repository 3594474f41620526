#include "http/http2_connection.h"

#include <algorithm>
#include <array>
#include <nghttp2/nghttp2.h>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/core/work_slice.h"
#include "http/answer.h"
#include "http/host_header.h"
#include "http/http2_stream.h"

namespace kinformer::internal::http {
namespace {

using base::WorkSlice;
using Stream = Http2Stream;
using State = ResponseStream::State;

constexpr std::size_t kSliceBytes = std::size_t{64} << 10;
// Most bytes that wait for the socket before production pauses.
constexpr std::size_t kMaxOut = std::size_t{128} << 10;
// Filled outboxes before other connections get a turn.
constexpr int kRoundsPerTurn = 4;
// Limit of all incomplete bodies on one connection, in multiples of the limit for one.
constexpr std::size_t kMaxBodies = 16;
// An overlong body is discarded up to this multiple, so that the client can read the refusal.
constexpr std::size_t kSwallow = 4;
// Most bytes of bodies behind closed gates; beyond it, reading from the connection pauses.
constexpr std::size_t kGatedBytes = std::size_t{64} << 10;
constexpr std::size_t kFrameHeadBytes = 9;
// Most bytes of request bodies that a client may have on their way: of one stream, of one
// connection.
constexpr std::uint32_t kStreamWindow = std::uint32_t{256} << 10;
constexpr std::int32_t kConnectionWindow = std::int32_t{1} << 20;
// Limits of resets by the client: burst, and rate per second.
constexpr std::uint64_t kResetBurst = 1000;
constexpr std::uint64_t kResetRate = 100;
constexpr std::size_t kMaxUnsentAcks = 1000;

std::string_view View(const std::uint8_t* text, std::size_t size) {
  return {reinterpret_cast<const char*>(text), size};
}

class Http2Connection final : public Connection {
 public:
  Http2Connection(ConnectionHost& host, std::unique_ptr<ByteStream> stream, PeerIdentity peer)
      : Connection(host, std::move(stream)), peer_(std::move(peer)) {}
  ~Http2Connection() override { nghttp2_session_del(session_); }
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  bool Open();
  void Start() override {
    SetDeadline(host().options().header_timeout);
    Send();
  }
  void Pump() override;
  void GoAway() override;
  void SetMaxStreams(std::uint32_t streams) override;
  [[nodiscard]] bool http2() const override { return true; }

 private:
  void OnBytes(std::string_view data) override;
  void OnDeadline() override;
  void OnClose() override;

  // ---- Callbacks of nghttp2.
  static Http2Connection& Of(void* self) { return *static_cast<Http2Connection*>(self); }
  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* self);
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                    std::size_t size, void* self);
  static int OnStreamClose(nghttp2_session*, std::int32_t id, std::uint32_t, void* self);
  static ssize_t ReadBody(nghttp2_session*, std::int32_t id, std::uint8_t*, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source*, void* self);
  static int SendBody(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head, std::size_t size,
                      nghttp2_data_source* source, void* self);
  static const nghttp2_session_callbacks* Callbacks();

  [[nodiscard]] Stream* Find(std::int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : &found->second;
  }
  bool TakeHead(Stream& stream);
  void PassGate(Stream& stream);
  void Refuse(Stream& stream, std::unique_ptr<ResponseStream> refusal) {
    if (!std::exchange(stream.asked, true)) StartAnswer(stream, {}, std::move(refusal));
  }
  void Ask(Stream& stream);
  void StartAnswer(Stream& stream, AnswerTraits traits, std::unique_ptr<ResponseStream> response);
  void SendHead(Stream& stream);
  void Abort(Stream& stream);
  void Reset(std::int32_t id, std::uint32_t code) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, code);
  }
  void TakeBody(Stream& stream, std::size_t size);
  // As Waker(), for one stream.
  [[nodiscard]] std::function<void()> WakerOf(std::int32_t id);
  template <class Work>
  void WhileTimeIs(const WorkSlice& turn, std::vector<std::int32_t>& ids, const Work& work);
  void Send();
  void Settle();
  // Returns the interval at which streams are checked for timeouts.
  [[nodiscard]] Duration Tick() {
    const HttpServerOptions& options = host().options();
    return std::min(options.body_timeout, options.write_timeout) / 2;
  }

  const PeerIdentity peer_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<std::int32_t, Stream> streams_{};
  std::vector<std::int32_t> heads_{};     // streams whose bodies follow
  std::vector<std::int32_t> complete_{};  // requests to answer
  std::vector<std::int32_t> woken_{};     // responses to continue
  std::size_t body_bytes_ = 0;            // of incomplete requests
  std::size_t gated_bytes_ = 0;           // behind gates
  std::uint64_t requests_ = 0;
  bool settings_seen_ = false;
  bool going_away_ = false;
  bool full_ = false;     // out() accepts no more body data
  bool in_work_ = false;  // frames are being read or made
  std::optional<ConnectionEffect::Cut> cut_{};
};

const nghttp2_session_callbacks* Http2Connection::Callbacks() {
  static const nghttp2_session_callbacks* const callbacks = [] {
    nghttp2_session_callbacks* made = nullptr;
    if (nghttp2_session_callbacks_new(&made) != 0) return made;
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, &OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(made, &OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, &OnFrame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, &OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, &OnStreamClose);
    nghttp2_session_callbacks_set_send_data_callback(made, &SendBody);
    return made;
  }();
  return callbacks;
}

bool Http2Connection::Open() {
  nghttp2_option* option = nullptr;
  if (Callbacks() == nullptr || nghttp2_option_new(&option) != 0) return false;
  nghttp2_option_set_stream_reset_rate_limit(option, kResetBurst, kResetRate);
  nghttp2_option_set_max_outbound_ack(option, kMaxUnsentAcks);
#if defined(KINFORMER_NGHTTP2_LIMITS_CONTINUATIONS)
  // Continuation frames for a head of the allowed size; nghttp2's default is 8.
  constexpr std::size_t kFrame = std::size_t{16} << 10;
  nghttp2_option_set_max_continuations(option, host().options().max_header_bytes / kFrame + 8);
#endif
  nghttp2_option_set_no_closed_streams(option, 1);
  const int made = nghttp2_session_server_new2(&session_, Callbacks(), this, option);
  nghttp2_option_del(option);
  if (made != 0) return false;
  const HttpServerOptions& options = host().options();
  const std::array<nghttp2_settings_entry, 3> settings{
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, host().max_streams()},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
        static_cast<std::uint32_t>(options.max_header_bytes)}}};
  if (nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) != 0) {
    return false;
  }
  return nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow) ==
         0;
}

// ---- Requests

int Http2Connection::OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;  // trailers
  Http2Connection& connection = Of(self);
  Stream& stream = connection.streams_[frame->hd.stream_id];
  stream.id = frame->hd.stream_id;
  stream.since = connection.host().env().Now();
  return 0;
}

int Http2Connection::OnHeader(nghttp2_session*, const nghttp2_frame* frame,
                              const std::uint8_t* name, std::size_t name_size,
                              const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                              void* self) {
  // Overhead per field, as SETTINGS_MAX_HEADER_LIST_SIZE counts.
  constexpr std::size_t kPerField = 32;
  Http2Connection& connection = Of(self);
  Stream* const stream = connection.Find(frame->hd.stream_id);
  if (stream == nullptr || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;  // trailers
  stream->header_bytes += name_size + value_size + kPerField;
  if (stream->header_bytes > connection.host().options().max_header_bytes) {
    stream->headers_too_long = true;
    return 0;
  }
  const std::string_view key = View(name, name_size);
  const std::string_view text = View(value, value_size);
  if (key == "host" && stream->request.headers.Get("host") == text) {
    // Ignored: :authority came before.
  } else if (!key.starts_with(':')) {
    stream->request.headers.Add(key, text);
  } else if (key == ":method") {
    stream->request.method = text;
  } else if (key == ":path") {
    stream->request.target = text;
  } else if (key == ":authority") {
    stream->request.headers.Add("host", text);
  }
  return 0;
}

int Http2Connection::OnData(nghttp2_session* session, std::uint8_t, std::int32_t id,
                            const std::uint8_t* data, std::size_t size, void* self) {
  Http2Connection& connection = Of(self);
  Stream* const stream = connection.Find(id);
  if (stream == nullptr) return 0;
  const std::size_t most = connection.host().options().max_body_bytes;
  stream->body_bytes += size;
  if (stream->body_bytes <= most && !stream->asked) {
    stream->request.body.append(View(data, size));
    connection.body_bytes_ += size;
    if (stream->gate != nullptr) connection.gated_bytes_ += size;
  } else if (!stream->body_too_long && !stream->asked) {
    stream->body_too_long = true;
    connection.complete_.push_back(id);
  }
  if (stream->body_bytes > kSwallow * most || connection.body_bytes_ > kMaxBodies * most) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_ENHANCE_YOUR_CALM);
  }
  return 0;
}

int Http2Connection::OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  Http2Connection& connection = Of(self);
  if (frame->hd.type == NGHTTP2_SETTINGS) connection.settings_seen_ = true;
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  const std::int32_t id = frame->hd.stream_id;
  Stream* const stream = connection.Find(id);
  if (stream == nullptr) return 0;
  if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
    stream->malformed = HostProblem(stream->request.headers, /*required=*/true);
  }
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 || stream->headers_too_long ||
      !stream->malformed.empty()) {
    connection.complete_.push_back(id);
  } else if (frame->hd.type == NGHTTP2_HEADERS) {
    connection.heads_.push_back(id);
  }
  return 0;
}

int Http2Connection::OnStreamClose(nghttp2_session*, std::int32_t id, std::uint32_t, void* self) {
  Http2Connection& connection = Of(self);
  if (const Stream* stream = connection.Find(id); stream != nullptr && !stream->asked) {
    connection.body_bytes_ -= stream->request.body.size();
    if (stream->gate != nullptr) connection.gated_bytes_ -= stream->request.body.size();
  }
  connection.streams_.erase(id);
  return 0;
}

void Http2Connection::OnBytes(std::string_view data) {
  in_work_ = true;
  const ssize_t used = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
  in_work_ = false;
  if (used < 0) return Close();
  Pump();
}

// Decides on admission at the end of the head. Returns false if the request is refused.
bool Http2Connection::TakeHead(Stream& stream) {
  if (std::exchange(stream.judged, true)) return !stream.asked;
  auto refusal = AdmitHead(host(), peer_, stream.request);
  if (refusal == nullptr) return true;
  Refuse(stream, std::move(refusal));
  return false;
}

void Http2Connection::PassGate(Stream& stream) {
  if (!stream.gate->ready()) return;
  std::unique_ptr<ResponseStream> gate = std::move(stream.gate);
  gated_bytes_ -= stream.request.body.size();
  if (!Opens(*gate)) return Refuse(stream, std::move(gate));
  stream.since = host().env().Now();
  if (stream.complete) return Ask(stream);
  SubmitContinue(session_, stream);
}

void Http2Connection::Ask(Stream& stream) {
  if (stream.headers_too_long) return Refuse(stream, RefuseHeaders(host()));
  if (!stream.malformed.empty()) {
    return Refuse(stream, host().policy().Refuse(400, stream.malformed));
  }
  if (!TakeHead(stream)) return;
  if (stream.gate != nullptr) {
    stream.complete = true;
    return;
  }
  if (stream.body_too_long) return Refuse(stream, RefuseBody(host()));
  stream.asked = true;
  body_bytes_ -= stream.request.body.size();
  const AnswerTraits traits = TraitsOf(host(), stream.request);
  HttpRequest request = std::exchange(stream.request, {});
  StartAnswer(stream, traits, Dispatch(host(), std::move(request)));
}

void Http2Connection::StartAnswer(Stream& stream, AnswerTraits traits,
                                  std::unique_ptr<ResponseStream> response) {
  body_bytes_ -= stream.request.body.size();
  stream.request = {};
  if (++requests_ == host().options().max_requests_per_connection) GoAway();
  response->SetWake(WakerOf(stream.id));
  stream.answer.emplace(host(), traits, std::move(response));
  SendHead(stream);
}

// ---- Responses

void Http2Connection::SendHead(Stream& stream) {
  Answer& answer = *stream.answer;
  if (!answer.ready()) return;
  stream.state = answer.Pull(kSliceBytes, stream.pending);
  if (!answer.begun()) {
    if (stream.state == State::kAbort) return Abort(stream);
    if (stream.state == State::kWait) return;
    woken_.push_back(stream.id);  // the response has more to produce
    host().Woken(*this);
    return;
  }
  for (const BodyChunk& chunk : stream.pending) stream.left += chunk.bytes.size();
  stream.head_sent = true;
  stream.since = host().env().Now();
  const ConnectionEffect effect = answer.effect();
  if (effect.max_streams != 0) SetMaxStreams(effect.max_streams);
  if (effect.go_away) GoAway();

  std::string text;  // names and values, concatenated
  std::vector<std::pair<std::size_t, std::size_t>> sizes;
  const auto field = [&](std::string_view name, std::string_view value) {
    for (const char c : name) text.push_back(LowerCase(c));
    text.append(value);
    sizes.emplace_back(name.size(), value.size());
  };
  field(":status", std::to_string(answer.status()));
  answer.ForEachField(field);
  if (answer.length()) field("content-length", std::to_string(*answer.length()));
  if (stream.state != State::kEnd) answer.ReleaseHead();
  std::vector<nghttp2_nv> fields;
  fields.reserve(sizes.size());
  auto* at = reinterpret_cast<std::uint8_t*>(text.data());
  for (const auto& [name, value] : sizes) {
    fields.push_back({at, at + name, name, value, NGHTTP2_NV_FLAG_NONE});
    at += name + value;
  }
  nghttp2_data_provider body{};
  body.read_callback = &ReadBody;
  const bool empty = stream.left == 0 && stream.state == State::kEnd;
  if (nghttp2_submit_response(session_, stream.id, fields.data(), fields.size(),
                              empty ? nullptr : &body) != 0) {
    Reset(stream.id, NGHTTP2_INTERNAL_ERROR);
  }
}

ssize_t Http2Connection::ReadBody(nghttp2_session*, std::int32_t id, std::uint8_t*,
                                  std::size_t size, std::uint32_t* flags, nghttp2_data_source*,
                                  void* self) {
  Http2Connection& connection = Of(self);
  Stream* const stream = connection.Find(id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  stream->since = connection.host().env().Now();
  if (stream->left == 0 && stream->state != State::kAbort) {
    stream->pending.clear();
    stream->first = stream->offset = 0;
    stream->state = stream->answer->Pull(kSliceBytes, stream->pending);
    for (const BodyChunk& chunk : stream->pending) stream->left += chunk.bytes.size();
  }
  if (stream->left == 0) {
    stream->pending = {};
    switch (stream->state) {
      case State::kMore:  // the response has more to produce; other streams get a turn
        connection.woken_.push_back(id);
        connection.host().Woken(connection);
        [[fallthrough]];
      case State::kWait:
        stream->deferred = true;
        return NGHTTP2_ERR_DEFERRED;
      case State::kEnd:
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        return 0;
      case State::kAbort:
        connection.Abort(*stream);
        return NGHTTP2_ERR_DEFERRED;
    }
  }
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  const std::size_t part = std::min(size, stream->left);
  if (part == stream->left && stream->state == State::kEnd) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(part);
}

int Http2Connection::SendBody(nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* head,
                              std::size_t size, nghttp2_data_source*, void* self) {
  Http2Connection& connection = Of(self);
  if (connection.out().size() >= kMaxOut) {
    connection.full_ = true;
    return NGHTTP2_ERR_WOULDBLOCK;
  }
  Stream* const stream = connection.Find(frame->hd.stream_id);
  if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  connection.out().Append(View(head, kFrameHeadBytes));
  connection.TakeBody(*stream, size);
  return 0;
}

void Http2Connection::TakeBody(Stream& stream, std::size_t size) {
  stream.left -= size;
  while (size > 0) {
    const BodyChunk& chunk = stream.pending[stream.first];
    const std::string_view part = chunk.bytes.substr(stream.offset, size);
    out().Append(BodyChunk{.bytes = part, .owner = chunk.owner});
    size -= part.size();
    stream.offset += part.size();
    if (stream.offset == chunk.bytes.size()) {
      stream.pending[stream.first++] = {};
      stream.offset = 0;
    }
  }
}

void Http2Connection::Abort(Stream& stream) {
  const ConnectionEffect effect = stream.answer->effect();
  if (effect.cut == ConnectionEffect::Cut::kStream) {
    Reset(stream.id, NGHTTP2_INTERNAL_ERROR);
  } else {
    cut_ = effect.cut;
  }
}

// ---- Connection

void Http2Connection::Pump() {
  if (closed() || in_work_) return;
  // Each call may wake or complete other streams.
  const WorkSlice turn(host().env());
  WhileTimeIs(turn, heads_, [this](std::int32_t id) {
    Stream* const stream = Find(id);
    if (stream == nullptr || !TakeHead(*stream)) return;
    stream->gate = GateOf(host(), stream->request);
    if (stream->gate == nullptr) return SubmitContinue(session_, *stream);
    gated_bytes_ += stream->request.body.size();
    stream->gate->SetWake(WakerOf(id));
    PassGate(*stream);
  });
  WhileTimeIs(turn, complete_, [this](std::int32_t id) {
    if (Stream* const stream = Find(id)) Ask(*stream);
  });
  WhileTimeIs(turn, woken_, [this](std::int32_t id) {
    Stream* const stream = Find(id);
    if (stream == nullptr) return;
    if (stream->gate != nullptr) return PassGate(*stream);
    if (!stream->asked) return;
    if (!stream->head_sent) {
      SendHead(*stream);
    } else if (std::exchange(stream->deferred, false)) {
      nghttp2_session_resume_data(session_, id);
    }
  });
  Send();
}

// Calls `work` for the streams in `ids`, at least for one; the rest waits for the next turn.
template <class Work>
void Http2Connection::WhileTimeIs(const WorkSlice& turn, std::vector<std::int32_t>& ids,
                                  const Work& work) {
  const std::vector<std::int32_t> now = std::exchange(ids, {});
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (i > 0 && turn.over()) {
      ids.insert(ids.begin(), now.begin() + static_cast<std::ptrdiff_t>(i), now.end());
      host().Woken(*this);
      return;
    }
    work(now[i]);
  }
}

void Http2Connection::Send() {
  if (closed() || in_work_) return;
  const WorkSlice turn(host().env());
  for (int round = 0; round < kRoundsPerTurn && (round == 0 || !turn.over()); ++round) {
    bool others = false;  // other connections get a turn, though there is more
    full_ = out().size() >= kMaxOut;
    in_work_ = true;
    while (!full_ && !cut_ && !others) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
      if (size < 0) {
        in_work_ = false;
        return Close();
      }
      if (size == 0) break;
      out().Append(View(bytes, static_cast<std::size_t>(size)));
      full_ = full_ || out().size() >= kMaxOut;
      others = turn.over();
    }
    in_work_ = false;
    const bool flushed = Flush();
    if (closed()) return;
    // Responses to its requests must be written before more is read.
    SetReading(out().size() < kMaxOut && gated_bytes_ < kGatedBytes);
    if (!flushed) return;
    if (!full_ && !others) return Settle();
  }
  host().Woken(*this);
}

// Called when all output was written.
void Http2Connection::Settle() {
  if (cut_) {
    if (*cut_ == ConnectionEffect::Cut::kConnection) return Close();
    for (auto& [id, stream] : streams_) stream.answer.reset();
    return Freeze();
  }
  if (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0) {
    return Linger();
  }
  if (!settings_seen_) return;  // the first deadline applies until then
  const Duration idle = host().options().idle_timeout;
  SetDeadline(streams_.empty() ? idle : Tick());
}

void Http2Connection::GoAway() {
  if (std::exchange(going_away_, true) || closed()) return;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
  if (!in_work_) host().Woken(*this);
}

void Http2Connection::SetMaxStreams(std::uint32_t streams) {
  if (closed()) return;
  const nghttp2_settings_entry entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &entry, 1);
  if (!in_work_) host().Woken(*this);
}

void Http2Connection::OnDeadline() {
  // The client does not read, is idle, or has sent no settings yet.
  if (blocked() || !settings_seen_) return Close();
  if (streams_.empty()) return GoAway();
  const HttpServerOptions& options = host().options();
  const SteadyTime now = host().env().Now();
  for (const auto& [id, stream] : streams_) {
    if (stream.gate != nullptr) continue;  // not the client's fault
    if (!stream.asked) {
      if (now - stream.since >= options.body_timeout) Reset(id, NGHTTP2_CANCEL);
    } else if (stream.head_sent && !stream.deferred &&
               now - stream.since >= options.write_timeout) {
      // The client kept its window closed all the time.
      Reset(id, NGHTTP2_ENHANCE_YOUR_CALM);
    }
  }
  Send();
}

std::function<void()> Http2Connection::WakerOf(std::int32_t id) {
  return [this, id, weak = weak_from_this()] {
    const std::shared_ptr<Connection> self = weak.lock();
    if (self == nullptr || closed()) return;
    woken_.push_back(id);
    host().Woken(*this);
  };
}

void Http2Connection::OnClose() {
  // nghttp2 holds no references to them; the session itself may be in use, and is destroyed with
  // the connection.
  streams_.clear();
}

}  // namespace

std::shared_ptr<Connection> NewHttp2Connection(ConnectionHost& host,
                                               std::unique_ptr<ByteStream> stream,
                                               PeerIdentity peer) {
  auto connection = std::make_shared<Http2Connection>(host, std::move(stream), std::move(peer));
  if (!connection->Open()) return nullptr;
  return connection;
}

}  // namespace kinformer::internal::http
