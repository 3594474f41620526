#include "simulation/faulty_connections.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace kinformer::testing {
namespace {

// Times of a real transport: it probes after 30 s of silence; 3 s later it sends no new request on
// this connection or on others that were silent as long; 15 s after the probe it knows.
constexpr Duration kSuspected = std::chrono::seconds(33);
constexpr Duration kNoticed = std::chrono::seconds(45);
// How long a caller must have waited when it gives up, for this to count like a probe.
constexpr Duration kEvidence = std::chrono::seconds(3);

}  // namespace

// One request and its response.
class FaultyConnections::Stream final : public ResponseReceiver,
                                        public std::enable_shared_from_this<Stream> {
 public:
  explicit Stream(ResponseReceiver& receiver) : receiver_(&receiver) {}

  void Begin(Transport& inner, HttpRequest request) {
    call_ = inner.Start(std::move(request), *this);
  }
  void Abandon() {
    receiver_ = nullptr;
    call_.reset();
  }
  [[nodiscard]] bool over() const { return receiver_ == nullptr || failed_; }
  void FallSilent() { silent_ = true; }
  [[nodiscard]] bool silent() const { return silent_; }
  // The receiver gets the error in a separate task.
  void Fail(Env& env, const char* why) {
    if (over()) return;
    failed_ = true;
    call_.reset();
    env.loop().Post([self = shared_from_this(), why] {
      ResponseReceiver* receiver = std::exchange(self->receiver_, nullptr);
      if (receiver != nullptr) receiver->OnDone(Error(Reason::kTransport, why));
    });
  }

  // ResponseReceiver
  void OnHeaders(int status, const HttpHeaders& headers) override {
    if (!silent_ && !over()) receiver_->OnHeaders(status, headers);
  }
  void OnData(std::string_view data) override {
    if (!silent_ && !over()) receiver_->OnData(data);
  }
  void OnDone(Result<void> result) override {
    if (silent_ || over()) return;
    // The call may destroy this object.
    const std::shared_ptr<Stream> self = shared_from_this();
    std::exchange(receiver_, nullptr)->OnDone(std::move(result));
  }

 private:
  ResponseReceiver* receiver_;  // null: done or abandoned
  std::unique_ptr<HttpCall> call_;
  bool silent_ = false;
  bool failed_ = false;
};

class FaultyConnections::Call final : public HttpCall {
 public:
  Call(FaultyConnections& connections, std::shared_ptr<Stream> stream)
      : connections_(connections), stream_(std::move(stream)), begun_(connections.env_.Now()) {}
  ~Call() override {
    const bool waited = connections_.env_.Now() - begun_ >= kEvidence;
    if (stream_->silent() && !stream_->over() && waited) connections_.SuspectTheSilent();
    stream_->Abandon();
  }

 private:
  FaultyConnections& connections_;
  const std::shared_ptr<Stream> stream_;
  const SteadyTime begun_;
};

FaultyConnections::Connection& FaultyConnections::ConnectionFor(ConnectionPool pool) {
  for (Connection& connection : connections_) {
    std::erase_if(connection.streams, [](const auto& stream) { return stream->over(); });
  }
  // A timer that is already due then finds nothing to break.
  std::erase_if(connections_, [](const Connection& connection) {
    return !connection.takes_more && connection.streams.empty();
  });
  for (Connection& connection : connections_) {
    if (connection.pool == pool && connection.takes_more &&
        connection.streams.size() < kMostStreams) {
      return connection;
    }
  }
  return connections_.emplace_back(Connection{.pool = pool, .streams = {}});
}

std::unique_ptr<HttpCall> FaultyConnections::Start(HttpRequest request,
                                                   ResponseReceiver& receiver) {
  auto stream = std::make_shared<Stream>(receiver);
  auto call = std::make_unique<Call>(*this, stream);
  if (refusals_ > 0) {
    --refusals_;
    ++hits_;
    stream->Fail(env_, "the stream was refused (REFUSED_STREAM)");
    return call;
  }
  Connection& connection = ConnectionFor(request.pool);
  connection.streams.push_back(stream);
  // Data sent on a silent connection never arrives.
  if (connection.silent) {
    stream->FallSilent();
  } else {
    stream->Begin(*inner_, std::move(request));
  }
  return call;
}

void FaultyConnections::Break(Connection& connection, const char* why) {
  connection.takes_more = false;
  for (const auto& stream : std::exchange(connection.streams, {})) {
    if (!stream->over()) ++hits_;
    stream->Fail(env_, why);
  }
}

void FaultyConnections::SuspectTheSilent() {
  for (Connection& connection : connections_) {
    if (connection.silent) connection.takes_more = false;
  }
}

void FaultyConnections::Disturb() {
  if (connections_.empty() || dice_.OneIn(8)) {
    refusals_ += 1 + dice_.Below(3);
    return;
  }
  const auto drawn = static_cast<std::ptrdiff_t>(dice_.Below(connections_.size()));
  Connection& connection = *std::next(connections_.begin(), drawn);
  switch (dice_.Below(8)) {
    case 0:
    case 1: {  // GOAWAY: streams continue, or the newest ones were not processed
      connection.takes_more = false;
      ++hits_;
      if (!connection.streams.empty() && dice_.OneIn(2)) {
        connection.streams.back()->Fail(env_, "GOAWAY: the stream was not processed");
      }
      return;
    }
    case 2:
    case 3:
    case 4: {  // RST_STREAM
      if (connection.streams.empty()) return;
      ++hits_;
      connection.streams[dice_.Below(connection.streams.size())]->Fail(env_,
                                                                       "the stream was reset");
      return;
    }
    case 5:
    case 6:
      return Break(connection, "the connection broke");
    default:  // Silence without an error, so new requests use the connection too.
      connection.silent = true;
      for (const auto& stream : connection.streams) {
        ++hits_;
        stream->FallSilent();
      }
      connection.suspected =
          env_.loop().RunAt(env_.Now() + kSuspected, [this] { SuspectTheSilent(); });
      connection.noticed = env_.loop().RunAt(env_.Now() + kNoticed, [this, &connection] {
        Break(connection, "the connection was silent for too long");
      });
  }
}

void FaultyConnections::Calm() { refusals_ = 0; }

}  // namespace kinformer::testing
