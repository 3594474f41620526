#include "transport/life_signs.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/core/deadline.h"

namespace kinformer::internal::transport {

namespace {

using std::chrono::seconds;

// Less than short deadlines of callers, such as a leader's renewals.
constexpr Duration kPatience = seconds(3);
// Number of checks over which silence must last, so that a loop that was busy with other tasks is
// not mistaken for a silent connection.
constexpr int kLooks = 3;

// Any answer is a sign of life, and the lane notices its bytes before this class does.
class ProbeReceiver final : public ResponseReceiver {
 public:
  void OnHeaders(int, const HttpHeaders&) override { answered = true; }
  void OnData(std::string_view) override {}
  void OnDone(Result<void> result) override {
    done = true;
    answered = answered || result.ok();
  }
  bool answered = false;
  bool done = false;
};

std::string Seconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<seconds>(duration).count());
}

// Uses the credentials of the watches: a probe must not run a plugin or read a file.
std::string AuthorizationOf(const CurlLane& lane) {
  const auto all = lane.Transfers();
  return all.empty() ? std::string() : all.back()->authorization();
}

// Returns the time since which an answer is missing on the lane; max if none is awaited.
SteadyTime QuietSince(const CurlLane& lane) {
  SteadyTime oldest = SteadyTime::max();
  lane.ForEach([&](const CurlTransfer& transfer) {
    if (transfer.started) oldest = std::min(oldest, transfer.started_at);
  });
  return std::max(oldest, lane.last_activity());
}

}  // namespace

LifeSigns::LifeSigns(std::shared_ptr<CurlShared> shared, Owner& owner)
    : shared_(std::move(shared)), owner_(owner) {}

bool LifeSigns::probes() const { return shared_->options.read_idle_timeout > Duration::zero(); }

Duration LifeSigns::Patience() const {
  return probes() ? std::min<Duration>(kPatience, shared_->options.ping_timeout) : kPatience;
}

void LifeSigns::GivenUp(const CurlTransfer& transfer) {
  CurlLane* const lane = transfer.lane;
  // An accepted watch does not wait for an answer.
  if (lane == nullptr || !transfer.started || transfer.lasts()) return;
  // With several connections, one request is no evidence if others get data.
  if (!lane->has_one_connection() && lane->last_activity() > shared_->env.Now() - Patience())
    return;
  const Duration awaited = lane->AwaitedInVain(transfer);
  if (awaited < Patience()) return;
  Suspect(lane, shared_->env.Now() - awaited, transfer.authorization());
}

void LifeSigns::Suspect(CurlLane* lane, SteadyTime since, const std::string& authorization) {
  if (lane != nullptr) Doubt(*lane, authorization);
  for (const auto& other : owner_.lanes()) {
    if (other->connected() && other->last_activity() <= since) Doubt(*other, authorization);
  }
}

void LifeSigns::Doubt(CurlLane& lane, const std::string& authorization) {
  if (lane.retired || lane.suspected) return;
  if (!lane.has_one_connection() || !probes()) {
    lane.retired = true;
    return;
  }
  shared_->env.log().Log(
      LogLevel::kDebug,
      "nothing came on a connection for which an answer was awaited, it has to "
      "give a sign of life before it is used again",
      {{"server", owner_.Describe()}, {"requests", std::to_string(lane.size())}});
  lane.suspected = true;
  if (lane.probe == nullptr) StartProbe(lane, authorization);
}

void LifeSigns::Check(CurlLane& lane) {
  CheckConnecting(lane);
  if (!probes()) return;
  CheckLife(lane);
  CheckProgress(lane);
}

SteadyTime LifeSigns::NextLook(const CurlLane& lane) const {
  const HttpTransportOptions& options = shared_->options;
  SteadyTime next = SteadyTime::max();
  lane.ForEach([&](const CurlTransfer& transfer) {
    if (transfer.started) return;
    if (transfer.connecting_since && options.connect_timeout > Duration::zero()) {
      next = std::min(next, base::After(*transfer.connecting_since, options.connect_timeout));
    }
    if (transfer.handshake_since && options.tls_handshake_timeout > Duration::zero()) {
      next = std::min(next, base::After(*transfer.handshake_since, options.tls_handshake_timeout));
    }
  });
  if (!probes()) return next;
  if (lane.probe != nullptr) {
    next = std::min(next, base::After(lane.probe->added, options.ping_timeout));
    if (lane.probe->started && !lane.suspected && !lane.retired) {
      next = std::min(next, lane.probe->started_at + Patience());
    }
  } else if (const SteadyTime quiet = QuietSince(lane); quiet != SteadyTime::max()) {
    next = std::min(next, base::After(quiet, options.read_idle_timeout));
  }
  return next;
}

// Both limits use the Env's clock; libcurl's own limit, which includes DNS, uses the system's.
void LifeSigns::CheckConnecting(CurlLane& lane) {
  const HttpTransportOptions& options = shared_->options;
  const SteadyTime now = shared_->env.Now();
  const auto over = [&](const std::optional<SteadyTime>& since, Duration limit) {
    return since && limit > Duration::zero() && now - *since >= limit;
  };
  // As when libcurl itself gives up: exchanges that wait for the connection get the same error.
  const CurlLane::List behind = lane.ScoutSince() ? lane.Queued() : CurlLane::List{};
  const auto fail = [&](const std::shared_ptr<CurlTransfer>& transfer, const Error& why) {
    for (const auto& other : behind) {
      if (other != lane.probe) owner_.Fail(other, why);
    }
    owner_.Fail(transfer, why);
  };
  for (const auto& transfer : lane.Transfers()) {
    if (transfer->started) continue;
    if (over(transfer->handshake_since, options.tls_handshake_timeout)) {
      fail(transfer,
           Error(Reason::kTransport, owner_.Describe() + ": no TLS handshake within " +
                                         Seconds(options.tls_handshake_timeout) +
                                         " s of connecting. Is it the server that accepts there, "
                                         "does it speak TLS, and is it well?"));
    } else if (over(transfer->connecting_since, options.connect_timeout)) {
      const bool dials = transfer->dial != nullptr;
      const char* const why = dials ? ": Config::dial has not returned in connect_timeout. It "
                                      "should limit its own attempts, and heed DialTarget::stop"
                                    : ": no connection in time. Check address, firewall and proxy";
      fail(transfer, Error(Reason::kTransport, owner_.Describe() + why));
    }
  }
}

void LifeSigns::CheckLife(CurlLane& lane) {
  const SteadyTime now = shared_->env.Now();
  if (lane.probe == nullptr) {
    const SteadyTime quiet = QuietSince(lane);
    const bool long_quiet =
        quiet != SteadyTime::max() && now - quiet >= shared_->options.read_idle_timeout;
    if (lane.suspected || long_quiet) StartProbe(lane, AuthorizationOf(lane));
    return;
  }
  const auto& receiver = static_cast<const ProbeReceiver&>(*lane.probe_receiver);
  const std::shared_ptr<CurlTransfer> probe = lane.probe;
  const bool alive = receiver.answered || lane.last_activity() > probe->added;
  if (alive) {
    EndProbe(lane);
    lane.suspected = false;
    return;
  }
  const SteadyTime since = probe->started ? probe->started_at : probe->added;
  if (now - probe->added < shared_->options.ping_timeout) {
    if (probe->started && now - since >= Patience()) {
      Suspect(&lane, since, probe->authorization());
    }
    return;
  }
  // A probe that waits for a free stream is no evidence about the connection.
  const bool own_connection = lane.http1() && IsLong(lane.pool());
  const bool conclusive = probe->started || own_connection || receiver.done;
  EndProbe(lane);
  if (!conclusive) return;
  shared_->env.log().Log(
      LogLevel::kWarning, "server does not answer, abandoning its connection",
      {{"server", owner_.Describe()}, {"requests", std::to_string(lane.size())}});
  lane.retired = true;
  // Before any receiver gets the error and sends another request.
  Suspect(nullptr, since, probe->authorization());
  for (const auto& transfer : lane.Transfers()) {
    owner_.Fail(transfer, Error(Reason::kTransport,
                                owner_.Describe() +
                                    ": the server gave no sign of life on a silent connection"));
  }
}

// The connection or the lane may be alive while a single response makes no progress, for example
// behind a proxy that has lost the server.
void LifeSigns::CheckProgress(CurlLane& lane) {
  const SteadyTime now = shared_->env.Now();
  const Duration idle = shared_->options.read_idle_timeout;
  for (const auto& transfer : lane.Transfers()) {
    if (transfer == lane.probe || !transfer->in_answer()) continue;
    const Duration silent = now - transfer->last_progress();
    if (transfer->idle_since <= transfer->last_progress()) transfer->idle_checks = 0;
    if (silent < idle) continue;
    if (transfer->idle_checks++ == 0) transfer->idle_since = now;
    if (transfer->idle_checks < kLooks ||
        now - transfer->idle_since < shared_->options.ping_timeout) {
      continue;
    }
    GiveUpHalf(transfer, silent);
  }
}

void LifeSigns::GiveUpHalf(const std::shared_ptr<CurlTransfer>& transfer, Duration silent) {
  shared_->env.log().Log(
      LogLevel::kWarning, "a response has stopped in its middle, giving it up",
      {{"server", owner_.Describe()},
       {"request", transfer->request().method + " " + transfer->request().target},
       {"seconds", Seconds(silent)}});
  owner_.Fail(transfer,
              Error(Reason::kTransport, owner_.Describe() + transfer->request().target +
                                            ": the response stopped in its middle, and nothing "
                                            "more came for " +
                                            Seconds(silent) + " s"));
}

void LifeSigns::StartProbe(CurlLane& lane, const std::string& authorization) {
  auto receiver = std::make_unique<ProbeReceiver>();
  HttpRequest request{.target = kSignOfLife, .pool = lane.pool()};
  auto probe = std::make_shared<CurlTransfer>(shared_, std::move(request), *receiver);
  if (!probe->Prepare(owner_.tls(), authorization)) return;
  lane.probe = probe;
  lane.probe_receiver = std::move(receiver);
  lane.LimitConnections();
  lane.Add(std::move(probe));
}

void LifeSigns::EndProbe(CurlLane& lane) {
  lane.probe->Silence();
  lane.Remove(lane.probe);
  lane.probe = nullptr;
}

}  // namespace kinformer::internal::transport
