#include "testing/replica_transport.h"

#include <deque>
#include <string_view>
#include <utility>

namespace kinformer::testing {
namespace {

bool IsAbout(const HttpRequest& request, std::string_view resource) {
  return request.target.find("/" + std::string(resource)) != std::string::npos;
}

// Returns whether the request changes objects that the operator manages.
bool IsWrite(const HttpRequest& request) {
  return request.method != "GET" && !IsAbout(request, "leases") && !IsAbout(request, "events");
}

}  // namespace

// One request. Passes the server's response to the client, now or later; never after the replica
// has crashed.
class ReplicaFaults::Call final : public HttpCall, public ResponseReceiver {
 public:
  Call(Env& env, std::shared_ptr<ReplicaFaults> faults, HttpRequest request,
       ResponseReceiver& client)
      : env_(env), faults_(std::move(faults)), request_(std::move(request)), client_(client) {
    faults_->calls_.push_back(this);
  }
  ~Call() override { std::erase(faults_->calls_, this); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void Begin(Transport& server, bool last) {
    last_ = last;
    inner_ = server.Start(request_, *this);
  }
  // Stops all traffic in both directions.
  void Cut() {
    if (inner_ != nullptr && IsWrite(request_)) faults_->on_write_(request_, "cut off");
    inner_.reset();
    late_.clear();
    timer_ = env_.loop().RunAt(env_.Now(), [this] { End(NoServer()); });
  }

  void SetPaused(bool paused) override {
    if (inner_ != nullptr) inner_->SetPaused(paused);
  }
  void Send(std::string_view bytes) override {
    if (inner_ != nullptr) inner_->Send(bytes);
  }
  [[nodiscard]] std::size_t unsent() const override {
    return inner_ == nullptr ? 0 : inner_->unsent();
  }

  void OnSent() override { client_.OnSent(); }
  void OnHeaders(int status, const HttpHeaders& headers) override {
    status_ = status;
    if (last_) return;
    Pass([this, status, headers] { client_.OnHeaders(status, headers); });
  }
  void OnData(std::string_view data) override {
    if (last_) return;
    Pass([this, text = std::string(data)] { client_.OnData(text); });
  }
  void OnDone(Result<void> result) override {
    inner_.reset();
    if (IsWrite(request_)) {
      faults_->on_write_(request_,
                         result.ok() ? std::to_string(status_) : result.error().ToString());
    }
    if (last_) return faults_->Crash();
    Pass([this, result = std::move(result)] { End(result); });
  }

 private:
  static Result<void> NoServer() { return Error(Reason::kTransport, "the connection is gone"); }

  // The client may destroy this in its OnDone.
  void End(const Result<void>& result) { client_.OnDone(result); }

  // Delivers in order, with the delay of watches.
  void Pass(std::function<void()> deliver) {
    const bool watch = request_.pool == ConnectionPool::kWatch;
    const Duration delay = watch ? faults_->watch_delay_ : Duration(0);
    if (delay <= Duration::zero() && late_.empty()) return deliver();
    late_.push_back({env_.Now() + delay, std::move(deliver)});
    if (late_.size() == 1) Arm();
  }
  void Arm() {
    timer_ = env_.loop().RunAt(late_.front().when, [this] {
      const std::function<void()> deliver = std::move(late_.front().deliver);
      late_.pop_front();
      if (!late_.empty()) Arm();
      deliver();
    });
  }

  struct Late {
    SteadyTime when;
    std::function<void()> deliver;
  };

  Env& env_;
  const std::shared_ptr<ReplicaFaults> faults_;
  const HttpRequest request_;
  ResponseReceiver& client_;
  bool last_ = false;  // the replica crashes with this request
  int status_ = 0;
  std::unique_ptr<HttpCall> inner_;
  std::deque<Late> late_;
  Timer timer_;
};

std::unique_ptr<HttpCall> ReplicaTransport::Start(HttpRequest request, ResponseReceiver& receiver) {
  ReplicaFaults& faults = *faults_;
  const SteadyTime now = env_.Now();
  const bool refused = faults.crashed_ || now < faults.disconnected_until_ ||
                       (now < faults.no_leases_until_ && IsAbout(request, "leases"));
  bool last = false;
  if (!refused && IsWrite(request) && faults.writes_until_crash_ > 0) {
    --faults.writes_until_crash_;
    last = faults.writes_until_crash_ == 0;
  }
  if (!refused && IsWrite(request)) faults.on_send_(request);
  auto call = std::make_unique<ReplicaFaults::Call>(env_, faults_, std::move(request), receiver);
  if (refused) {
    call->Cut();
  } else {
    call->Begin(*server_, last);
  }
  return call;
}

void ReplicaFaults::Crash() {
  if (std::exchange(crashed_, true)) return;
  for (Call* const call : calls_) call->Cut();
  on_crash_();
}

void ReplicaFaults::Disconnect(SteadyTime until) {
  disconnected_until_ = until;
  for (Call* const call : calls_) call->Cut();
}

}  // namespace kinformer::testing
