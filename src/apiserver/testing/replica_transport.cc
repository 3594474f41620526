#include "apiserver/testing/replica_transport.h"

#include <deque>
#include <string_view>
#include <utility>

namespace kinformer::testing {
namespace {

bool IsAbout(const HttpRequest& request, std::string_view resource) {
  return request.target.find("/" + std::string(resource)) != std::string::npos;
}

// One that changes what the operator is about.
bool IsWrite(const HttpRequest& request) {
  return request.method != "GET" && !IsAbout(request, "leases") && !IsAbout(request, "events");
}

}  // namespace

// One request. What the server says goes on to the client, now or later; or, where the replica has
// crashed, never.
class ReplicaTransport::Call final : public HttpCall, public ResponseReceiver {
 public:
  Call(ReplicaTransport& transport, HttpRequest request, ResponseReceiver& client)
      : transport_(transport), request_(std::move(request)), client_(client) {
    transport_.calls_.insert(this);
  }
  ~Call() override { transport_.calls_.erase(this); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void Begin(bool last) {
    last_ = last;
    inner_ = transport_.server_->Start(request_, *this);
  }
  // Nothing more of it gets through, in either direction.
  void Cut() {
    if (inner_ != nullptr && IsWrite(request_)) transport_.on_write_(request_, "cut off");
    inner_.reset();
    late_.clear();
    timer_ = transport_.env_.loop().RunAt(transport_.env_.Now(), [this] { End(NoServer()); });
  }

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
      transport_.on_write_(request_,
                           result.ok() ? std::to_string(status_) : result.error().ToString());
    }
    if (last_) return transport_.Crash();
    Pass([this, result = std::move(result)] { End(result); });
  }

 private:
  static Result<void> NoServer() { return Error(Reason::kTransport, "the connection is gone"); }

  // The client may destroy this in its OnDone.
  void End(const Result<void>& result) { client_.OnDone(result); }

  // In order, each so much later as watches are late.
  void Pass(std::function<void()> deliver) {
    const bool watch = request_.pool == ConnectionPool::kWatch;
    const Duration delay = watch ? transport_.watch_delay_ : Duration(0);
    if (delay <= Duration::zero() && late_.empty()) return deliver();
    late_.push_back({transport_.env_.Now() + delay, std::move(deliver)});
    if (late_.size() == 1) Arm();
  }
  void Arm() {
    timer_ = transport_.env_.loop().RunAt(late_.front().when, [this] {
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

  ReplicaTransport& transport_;
  const HttpRequest request_;
  ResponseReceiver& client_;
  bool last_ = false;  // the replica crashes with it
  int status_ = 0;
  std::unique_ptr<HttpCall> inner_;
  std::deque<Late> late_;
  Timer timer_;
};

std::unique_ptr<HttpCall> ReplicaTransport::Start(HttpRequest request, ResponseReceiver& receiver) {
  const SteadyTime now = env_.Now();
  const bool refused = crashed_ || now < disconnected_until_ ||
                       (now < no_leases_until_ && IsAbout(request, "leases"));
  bool last = false;
  if (!refused && IsWrite(request) && writes_until_crash_ > 0) {
    --writes_until_crash_;
    last = writes_until_crash_ == 0;
  }
  auto call = std::make_unique<Call>(*this, std::move(request), receiver);
  if (refused) {
    call->Cut();
  } else {
    call->Begin(last);
  }
  return call;
}

void ReplicaTransport::Crash() {
  if (std::exchange(crashed_, true)) return;
  for (Call* const call : calls_) call->Cut();
  on_crash_();
}

void ReplicaTransport::Disconnect(SteadyTime until) {
  disconnected_until_ = until;
  for (Call* const call : calls_) call->Cut();
}

}  // namespace kinformer::testing
