#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/body_pipe.h"
#include "kinformer/client/transport.h"

#include "base/core/deadline.h"
#include "base/core/out_of_memory.h"
#include "base/core/user_call.h"
#include "transport/contained_handler.h"
#include "transport/gzip_inflater.h"

namespace kinformer {

namespace {

constexpr int kSwitchingProtocols = 101;

class Exchange;

// State shared by all calls of one transport. Outlives the transport while a call is in progress.
struct Core {
  Core(Env& e, Handler& h, InMemoryTransportOptions o) : env(e), handler(&h), options(o) {}

  Env& env;
  Handler* handler;
  const InMemoryTransportOptions options;
  bool down = false;
  TransportStats stats;
  std::uint64_t next_id = 0;
  std::map<std::uint64_t, Exchange*>
      open;  // by age, so that Down breaks calls in the same order in every run

  Duration Latency() {
    const Duration span = options.max_latency - options.min_latency;
    if (span <= Duration::zero()) return options.min_latency;
    const auto range = static_cast<std::uint64_t>(span.count()) + 1;
    return options.min_latency + Duration(static_cast<std::int64_t>(env.Random() % range));
  }
  std::size_t ChunkSize() {
    const std::size_t most = std::max<std::size_t>(options.max_chunk_bytes, 1);
    return options.random_chunks ? static_cast<std::size_t>(env.Random() % most) + 1 : most;
  }
};

// One request and its response. At most one step is scheduled at a time, and each step calls the
// receiver at most once, so calls are in order and other tasks of the loop run between them.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(std::shared_ptr<Core> core, HttpRequest request, ResponseReceiver& receiver)
      : core_(std::move(core)),
        id_(core_->next_id++),
        request_(std::move(request)),
        receiver_(&receiver) {}

  void Begin() {
    core_->open.emplace(id_, this);
    ++core_->stats.requests;
    if (request_.timeout > Duration::zero()) {
      deadline_ = core_->env.loop().RunAt(
          internal::base::After(core_->env.Now(), request_.timeout), [weak = weak_from_this()] {
            if (auto self = weak.lock()) {
              self->Break(Error(Reason::kDeadlineExceeded, "no complete response in time"));
            }
          });
    }
    if (request_.body_pipe != nullptr) {
      request_.body_pipe->SetWake([weak = weak_from_this(), &env = core_->env] {
        env.loop().Post([weak] {
          const auto self = weak.lock();
          if (self && self->receiver_ != nullptr && !self->broken_) self->Schedule();
        });
      });
    }
    if (core_->down) {
      Break(Error(Reason::kConnectionRefused, "connection refused: the in-memory server is down"));
    } else {
      Schedule();
    }
  }

  // The handle is destroyed: no more calls. The server notices by the destruction of its stream.
  void Abandon() {
    receiver_ = nullptr;
    deadline_.Cancel();
    Close();
  }

  // Breaks the connection. Bytes that were not delivered are lost.
  void Break(Error why) {
    if (receiver_ == nullptr || broken_) return;
    broken_ = std::move(why);
    Close();
    // Without latency: a reset is seen at once, and the next step may be far away.
    scheduled_ = false;
    Schedule(/*at_once=*/true);
  }

  void SetPaused(bool paused) {
    paused_ = paused;
    if (!paused && receiver_ != nullptr && !broken_) Schedule();
  }

  // Passes bytes to the server in a step of its own, as a socket would do.
  void Send(std::string_view bytes) {
    if (receiver_ == nullptr || broken_ || status_ != kSwitchingProtocols || bytes.empty()) return;
    const bool idle = sending_.empty();
    sending_.append(bytes);
    if (idle) SendSoon();
  }
  [[nodiscard]] std::size_t unsent() const { return sending_.size(); }

  void CutAfter(std::size_t bytes) {
    if (ended_) return;
    cut_after_ = bytes;
    if (bytes == 0) Cut();
  }

 private:
  void SendSoon() {
    sending_timer_ = core_->env.loop().RunAt(core_->env.Now() + core_->Latency(),
                                             [self = shared_from_this()] { self->PassOn(); });
  }

  void Cut() {
    Break(started_ ? Error(Reason::kUnexpectedEof,
                           "the connection was cut in the middle of the response")
                   : Error(Reason::kTransport, "the connection was cut before the response"));
  }

  void PassOn() {
    if (receiver_ == nullptr || broken_ || stream_ == nullptr) return;
    in_server_ = true;
    held_ = !stream_->receives();
    in_server_ = false;
    if (held_) return;  // continues at a wake
    const std::string bytes = std::exchange(sending_, {});
    in_server_ = true;
    const Result<void> taken = internal::base::CallUser(core_->env, "ResponseStream::Receive",
                                                        [&] { stream_->Receive(bytes); });
    in_server_ = false;
    if (!taken) Break(taken.error());
    if (receiver_ == nullptr || broken_) {
      Close();
      return;
    }
    Schedule();  // it may have an answer, or be unable to give one
    if (sending_.empty()) Tell([&] { receiver_->OnSent(); });
  }

  // Takes the next piece of the request's body, in a step of its own. Returns true if the body is
  // complete: a Handler gets it as a whole.
  bool HasBody() {
    if (request_.body_pipe == nullptr) return true;
    std::string piece(core_->ChunkSize(), '\0');
    const Result<BodyPipe::Taken> taken = request_.body_pipe->Take(piece.data(), piece.size());
    if (!taken) {
      Break(taken.error());
      return false;
    }
    request_.body.append(piece, 0, taken->bytes);
    if (taken->end) {
      std::exchange(request_.body_pipe, nullptr)->Abandon();
      return true;
    }
    if (taken->bytes > 0) Schedule();
    return false;
  }

  void Close() {
    core_->open.erase(id_);
    if (request_.body_pipe != nullptr) {
      std::exchange(request_.body_pipe, nullptr)->Abandon();
    }
    timer_.Cancel();
    sending_timer_.Cancel();
    sending_.clear();
    pending_.clear();
    if (in_server_) return;  // the step that is using the stream destroys it
    stream_.reset();
  }

  void Schedule(bool at_once = false) {
    if (scheduled_) return;
    scheduled_ = true;
    const Duration delay = at_once ? Duration::zero() : core_->Latency();
    auto step = [self = shared_from_this()] {
      self->scheduled_ = false;
      self->Step();
    };
    if (delay <= Duration::zero()) {
      core_->env.loop().Post(std::move(step));
    } else {
      timer_ = core_->env.loop().RunAt(core_->env.Now() + delay, std::move(step));
    }
  }

  void Step() {
    if (receiver_ == nullptr) return;
    if (broken_) {
      Done(Result<void>(*broken_));
    } else if (!stream_) {
      if (HasBody()) Ask();
    } else if (!started_) {
      waiting_ = true;  // set before ready(), because the wake may come right after it
      if (!stream_->ready()) return;
      waiting_ = false;
      (void)stream_->headers();  // if either throws, both come from the replacement
      const int status = stream_->status();
      if (status == 0) {
        Break(Error(Reason::kTransport, "the server closed the connection without a response"));
        return;
      }
      started_ = true;
      status_ = status;
      const HttpHeaders headers = stream_->headers();
      if (headers.Get("Content-Encoding") == "gzip") inflater_.emplace();
      Tell([&] { receiver_->OnHeaders(status, headers); });
      Schedule(/*at_once=*/true);
    } else {
      Pump();
    }
  }

  void Ask() {
    auto stream =
        internal::transport::HandleContained(core_->env, *core_->handler, std::move(request_));
    if (receiver_ == nullptr || broken_) return;
    if (stream == nullptr) {
      Break(Error(Reason::kTransport, "the server closed the connection without a response"));
      return;
    }
    stream_ = std::move(stream);
    stream_->SetWake([weak = weak_from_this()] {
      auto self = weak.lock();
      if (self && self->waiting_) {
        self->waiting_ = false;
        self->Schedule();
      }
    });
    Schedule();
  }

  // Reads until there is enough for one OnData, or nothing more to read now, and delivers that.
  void Pump() {
    if (held_) {
      held_ = false;
      SendSoon();
    }
    if (paused_) return;
    const std::size_t want = core_->ChunkSize();
    while (!ended_ && Pending() < want) {
      // The wake may come from inside Read.
      waiting_ = true;
      in_server_ = true;
      const auto state = stream_->Read(std::max<std::size_t>(want, 4096), pending_);
      in_server_ = false;
      if (receiver_ == nullptr || broken_) {
        Close();
        return;
      }
      if (state == ResponseStream::State::kWait) break;
      waiting_ = false;
      if (state == ResponseStream::State::kMore) continue;
      ended_ = true;
      aborted_ = state == ResponseStream::State::kAbort;
      // The head was delivered already, so a replacement response comes too late.
      if (stream_->status() != status_) {
        pending_.clear();
        aborted_ = true;
      }
    }
    std::size_t take = std::min(want, Pending());
    if (cut_after_) take = std::min(take, *cut_after_);
    if (take > 0) {
      Deliver(take);
      if (receiver_ == nullptr || broken_) return;
      if (cut_after_) *cut_after_ -= take;
      if (cut_after_ == 0U) {
        Cut();
        return;
      }
      // Also if nothing is pending: a stream with more data than fit into the chunk does not call
      // the wake.
      if (Pending() > 0 || !waiting_) Schedule();
      return;
    }
    if (!ended_) return;  // continues at the wake
    if (aborted_) {
      Cut();
      return;
    }
    Result<void> result;
    if (inflater_) result = inflater_->Finish();
    Done(std::move(result));
  }

  [[nodiscard]] std::size_t Pending() const {
    std::size_t total = 0;
    for (const BodyChunk& chunk : pending_) total += chunk.bytes.size();
    return total - offset_;
  }

  // Delivers the first `count` pending bytes: in place if they are in one chunk, else joined, as a
  // socket would do.
  void Deliver(std::size_t count) {
    std::vector<BodyChunk> keep;  // keeps the bytes alive if Break clears pending_ during the call
    std::string joined;
    std::string_view data;
    if (pending_.front().bytes.size() - offset_ >= count) {
      data = pending_.front().bytes.substr(offset_, count);
      keep.push_back(pending_.front());
    }
    std::size_t left = count;
    std::size_t done = 0;
    while (left > 0) {
      const std::string_view rest = pending_[done].bytes.substr(offset_);
      const std::size_t n = std::min(left, rest.size());
      if (keep.empty()) joined.append(rest.substr(0, n));
      left -= n;
      offset_ += n;
      if (offset_ == pending_[done].bytes.size()) {
        ++done;
        offset_ = 0;
      }
    }
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(done));
    if (keep.empty()) data = joined;
    core_->stats.bytes_received += count;
    if (!inflater_) {
      Tell([&] { receiver_->OnData(data); });
      return;
    }
    const Result<void> result = inflater_->Write(data, [this](std::string_view plain) {
      Tell([&] { receiver_->OnData(plain); });
      return receiver_ != nullptr && !broken_;
    });
    if (!result) Break(result.error());
  }

  void Done(Result<void> result) {
    ResponseReceiver* receiver = std::exchange(receiver_, nullptr);
    deadline_.Cancel();
    Close();
    (void)internal::base::CallUser(core_->env, "a response's receiver",
                                   [&] { receiver->OnDone(std::move(result)); });
  }

  // An exception from the receiver breaks the call, as over a socket.
  template <class Call>
  void Tell(const Call& call) {
    try {
      call();
    } catch (const std::bad_alloc&) {
      internal::base::DieOfNoMemory("a response");
    } catch (...) {
      Error thrown = internal::base::ReportThrown(core_->env, "a response's receiver");
      Break(std::move(thrown));
    }
  }

  const std::shared_ptr<Core> core_;
  const std::uint64_t id_;
  HttpRequest request_;
  ResponseReceiver* receiver_;  // null once done or abandoned
  std::unique_ptr<ResponseStream> stream_;
  std::vector<BodyChunk> pending_;  // not yet delivered, except offset_ bytes of the first
  std::size_t offset_ = 0;
  std::optional<internal::transport::GzipInflater> inflater_;
  std::optional<Error> broken_;
  std::optional<std::size_t> cut_after_;
  std::string sending_;  // bytes of Send that the server does not have yet
  bool held_ = false;    // the server has no room for them
  Timer sending_timer_;
  Timer timer_;
  Timer deadline_;
  bool scheduled_ = false;
  bool started_ = false;  // OnHeaders has been called
  int status_ = 0;        // as delivered
  bool waiting_ = false;  // the stream returned kWait
  bool in_server_ = false;
  bool paused_ = false;
  bool ended_ = false;
  bool aborted_ = false;
};

class InMemoryCall final : public HttpCall {
 public:
  explicit InMemoryCall(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
  ~InMemoryCall() override { exchange_->Abandon(); }
  void SetPaused(bool paused) override { exchange_->SetPaused(paused); }
  void Send(std::string_view bytes) override { exchange_->Send(bytes); }
  std::size_t unsent() const override { return exchange_->unsent(); }

 private:
  const std::shared_ptr<Exchange> exchange_;
};

class InMemoryTransportImpl final : public InMemoryTransport {
 public:
  InMemoryTransportImpl(Env& env, Handler& handler, InMemoryTransportOptions options)
      : core_(std::make_shared<Core>(env, handler, options)) {}

  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    auto exchange = std::make_shared<Exchange>(core_, std::move(request), receiver);
    exchange->Begin();
    return std::make_unique<InMemoryCall>(std::move(exchange));
  }

  TransportStats Stats() const override {
    TransportStats stats = core_->stats;
    stats.connections_opened = stats.requests;
    stats.connections_open = core_->open.size();
    return stats;
  }

  std::string Describe() const override { return "in-memory server"; }

  void Down() override {
    core_->down = true;
    BreakAll("the in-memory server went down");
  }

  void Up() override { core_->down = false; }

  void CutSoon(std::size_t max_bytes) override {
    for (Exchange* exchange : Open()) {
      exchange->CutAfter(static_cast<std::size_t>(core_->env.Random() % (max_bytes + 1)));
    }
  }

  void Replace(Handler& handler) override {
    BreakAll("the in-memory server was replaced");
    core_->handler = &handler;
  }

 private:
  [[nodiscard]] std::vector<Exchange*> Open() const {
    std::vector<Exchange*> open;
    for (const auto& [id, exchange] : core_->open) open.push_back(exchange);
    return open;
  }
  void BreakAll(const char* why) {
    for (Exchange* exchange : Open()) exchange->Break(Error(Reason::kTransport, why));
  }

  const std::shared_ptr<Core> core_;
};

}  // namespace

std::unique_ptr<InMemoryTransport> NewInMemoryTransport(Env& env, Handler& handler,
                                                        InMemoryTransportOptions options) {
  return std::make_unique<InMemoryTransportImpl>(env, handler, options);
}

}  // namespace kinformer
