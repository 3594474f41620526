// The libcurl transport: which exchange goes to which lane, credentials, dead peers, changed
// certificates.

#include <algorithm>
#include <chrono>
#include <curl/curl.h>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/http_transport.h"

#include "base/deadline.h"
#include "base/forked.h"
#include "base/own_job.h"
#include "base/user_call.h"
#include "transport/awaited_source.h"
#include "transport/curl_lane.h"
#include "transport/curl_loop.h"
#include "transport/curl_transfer.h"
#include "transport/endpoint.h"
#include "transport/proxy.h"
#include "transport/tls_material.h"

namespace kinformer {

namespace internal::transport {

namespace {

using std::chrono::seconds;

constexpr Duration kStall = seconds(2);  // connected, but no stream: the server's limit is reached
constexpr Duration kIdleLane = seconds(90);  // connections nobody used for so long are closed
constexpr Duration kCheckPeriod = seconds(5);
constexpr Duration kQuickCheckPeriod = seconds(1);

// Any answer is a sign of life, and the lane has seen its bytes before this does.
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

void InitializeCurl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

class CurlTransport : public std::enable_shared_from_this<CurlTransport> {
 public:
  CurlTransport(Env& env, HttpTransportOptions options, Endpoint endpoint, std::string proxy,
                TlsMaterial tls, std::unique_ptr<CurlLoop> loop)
      : env_(env),
        shared_(std::make_shared<CurlShared>(
            CurlShared{env, std::move(options), std::move(endpoint), std::move(proxy)})),
        tls_(std::make_shared<const TlsMaterial>(std::move(tls))),
        loop_(std::move(loop)),
        capacity_(std::max<std::size_t>(shared_->options.watches_per_connection, 1)),
        last_reload_(env.Now()) {}

  std::shared_ptr<CurlTransfer> Start(HttpRequest request, ResponseReceiver& receiver) {
    auto transfer = std::make_shared<CurlTransfer>(shared_, std::move(request), receiver);
    ++shared_->stats.requests;
    if (transfer->request().timeout > Duration::zero()) {
      transfer->deadline =
          env_.loop().RunAt(base::After(env_.Now(), transfer->request().timeout),
                            [weak = weak_from_this(), held = std::weak_ptr(transfer)] {
                              auto self = weak.lock();
                              auto late = held.lock();
                              if (self && late) self->TimedOut(late);
                            });
    }
    ReloadIfDue();
    CredentialSource* source = shared_->options.credentials.get();
    if (source == nullptr || transfer->request().headers.Has("Authorization")) {
      Launch(transfer, Credentials());
    } else {
      FetchAndLaunch(*source, transfer);
    }
    return transfer;
  }

  void Abandon(const std::shared_ptr<CurlTransfer>& transfer) {
    transfer->Silence();
    Forget(transfer);
    if (transfer->lane != nullptr) transfer->lane->Remove(transfer);
  }

  [[nodiscard]] TransportStats Stats() const { return shared_->stats; }
  [[nodiscard]] std::string Describe() const {
    const Endpoint& e = shared_->endpoint;
    return (e.tls ? "https://" : "http://") + e.authority + e.prefix;
  }

  void Shutdown() {
    stopped_ = true;
    check_timer_.Cancel();
    for (auto& lane : lanes_) {
      if (lane->probe != nullptr) EndProbe(*lane);
      for (const auto& transfer : lane->Transfers()) {
        lane->Remove(transfer);
        FailLater(transfer, Error(Reason::kStopped, "the transport was shut down"));
      }
    }
    lanes_.clear();
    for (const auto& transfer : std::vector(awaiting_)) {
      Forget(transfer);
      FailLater(transfer, Error(Reason::kStopped, "the transport was shut down"));
    }
    reload_.GiveUp();
    loop_.reset();
  }

 private:
  void FetchAndLaunch(CredentialSource& source, const std::shared_ptr<CurlTransfer>& transfer) {
    const auto fetched = [weak = weak_from_this(), transfer](Result<Credentials> credentials) {
      auto self = weak.lock();
      if (!self) return;
      std::erase(self->awaiting_, transfer);
      if (transfer->done()) return;
      if (!credentials) {
        self->FailLater(transfer, credentials.error());
      } else {
        self->Launch(transfer, *credentials);
      }
    };
    const Result<void> asked = base::CallUser(env_, "CredentialSource::Fetch", [&] {
      auto* const awaited = dynamic_cast<AwaitedSource*>(&source);
      if (awaited == nullptr) return source.Fetch(env_, fetched);
      awaiting_.push_back(transfer);
      awaited->FetchFor(transfer.get(), env_, fetched);
    });
    if (asked) return;
    env_.loop().Post([weak = weak_from_this(), transfer, why = asked.error()] {
      if (auto self = weak.lock()) self->Fail(transfer, why);
    });
  }

  // Nobody waits for its credentials any more.
  void Forget(const std::shared_ptr<CurlTransfer>& transfer) {
    if (std::erase(awaiting_, transfer) == 0) return;
    auto* const awaited = dynamic_cast<AwaitedSource*>(shared_->options.credentials.get());
    if (awaited != nullptr) awaited->Forget(transfer.get(), env_);
  }

  // Never from inside libcurl's own callbacks: Start has returned by then.
  void FailLater(const std::shared_ptr<CurlTransfer>& transfer, Error why) {
    env_.loop().Post([transfer, why = std::move(why)] { transfer->Done(why); });
  }
  void Fail(const std::shared_ptr<CurlTransfer>& transfer, Error why) {
    Forget(transfer);
    if (transfer->lane != nullptr) transfer->lane->Remove(transfer);
    transfer->Done(std::move(why));
  }

  void TimedOut(const std::shared_ptr<CurlTransfer>& transfer) {
    // Over HTTP/2 the connection outlives the exchange. If nothing came on it all the while, nobody
    // else should be sent there.
    CurlLane* lane = transfer->lane;
    if (lane != nullptr && transfer->started && lane->last_activity() <= transfer->added) {
      lane->retired = true;
    }
    Fail(transfer, Error(Reason::kDeadlineExceeded, Describe() + transfer->request().target +
                                                        ": no complete response in time"));
  }

  void Launch(const std::shared_ptr<CurlTransfer>& transfer, Credentials credentials) {
    if (stopped_) {
      FailLater(transfer, Error(Reason::kStopped, "the transport was shut down"));
      return;
    }
    if (!credentials.cert_pem.empty() &&
        (tls_->cert != credentials.cert_pem || tls_->key != credentials.key_pem)) {
      UseMaterial({tls_->ca, credentials.cert_pem, credentials.key_pem});
    }
    const auto prepared = transfer->Prepare(tls_, std::move(credentials.authorization));
    if (!prepared) {
      FailLater(transfer, prepared.error());
      return;
    }
    const ConnectionPool pool = transfer->request().pool;
    CurlLane& lane = LaneFor(pool);
    const std::size_t most = shared_->options.max_http1_watches;
    if (pool == ConnectionPool::kWatch && lane.http1() && most > 0 && lane.size() >= most) {
      FailLater(transfer,
                Error(Reason::kOverLimit,
                      Describe() + ": " + std::to_string(most) +
                          " watches run, each on its own HTTP/1.1 connection: that is "
                          "max_http1_watches. Raise it, or reach the server over HTTP/2"));
      return;
    }
    lane.Add(transfer);
    ScheduleCheck();
  }

  CurlLane& LaneFor(ConnectionPool pool) {
    for (const auto& lane : lanes_) {
      if (lane->pool() != pool || lane->retired) continue;
      if (pool != ConnectionPool::kWatch || lane->http1()) return *lane;
      const bool probing = lane->probe != nullptr && lane->probe->lane == lane.get();
      const std::size_t others = lane->size() - (probing ? 1 : 0);
      if (others < capacity_) return *lane;
    }
    lanes_.push_back(std::make_unique<CurlLane>(shared_, *loop_, pool));
    return *lanes_.back();
  }

  // ---- what has to be looked at from time to time

  void ScheduleCheck() {
    if (stopped_ || lanes_.empty()) return;
    const bool quick = std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) {
      return lane->pool() == ConnectionPool::kWatch && lane->started() < lane->size();
    });
    // Tests use periods far below the usual ones.
    Duration period = quick ? kQuickCheckPeriod : kCheckPeriod;
    const Duration idle = shared_->options.read_idle_timeout;
    const Duration ping = shared_->options.ping_timeout;
    if (idle > Duration::zero()) period = std::min({period, idle / 2, ping / 2});
    const SteadyTime due = env_.Now() + std::max<Duration>(period, std::chrono::milliseconds(5));
    if (check_timer_.armed() && check_due_ <= due) return;
    check_due_ = due;
    check_timer_ = env_.loop().RunAt(due, [weak = weak_from_this()] {
      if (auto self = weak.lock()) {
        self->check_timer_ = Timer();
        self->CheckLanes();
      }
    });
  }

  void CheckLanes() {
    const SteadyTime now = env_.Now();
    std::vector<CurlLane*> lanes;
    for (const auto& lane : lanes_) lanes.push_back(lane.get());
    for (CurlLane* lane : lanes) {
      if (stopped_) return;
      CheckLife(*lane, now);
      if (lane->pool() == ConnectionPool::kWatch) CheckStall(*lane, now);
      CheckProgress(*lane, now);
    }
    if (stopped_) return;
    // This is a task of ours: no lane is inside libcurl now.
    std::erase_if(lanes_, [&](const auto& lane) {
      return lane->size() == 0 && (lane->retired || now - lane->last_use() > kIdleLane);
    });
    ScheduleCheck();
  }

  void CheckLife(CurlLane& lane, SteadyTime now) {
    const Duration idle = shared_->options.read_idle_timeout;
    if (idle <= Duration::zero()) return;
    if (lane.probe == nullptr) {
      if (now - QuietSince(lane, now) >= idle) StartProbe(lane);
      return;
    }
    const auto& receiver = static_cast<const ProbeReceiver&>(*lane.probe_receiver);
    const bool alive = receiver.answered || lane.last_activity() > lane.probe->added;
    const bool late = now - lane.probe->added >= shared_->options.ping_timeout;
    if (!alive && !late) return;
    // A stream that the server has no room for says nothing about the connection.
    const bool own_connection = lane.http1() && lane.pool() == ConnectionPool::kWatch;
    const bool conclusive = lane.probe->started || own_connection || receiver.done;
    EndProbe(lane);
    if (alive || !conclusive) return;
    env_.log().Log(LogLevel::kWarning, "server does not answer, abandoning its connection",
                   {{"server", Describe()}, {"requests", std::to_string(lane.size())}});
    lane.retired = true;
    for (const auto& transfer : lane.Transfers()) {
      Fail(transfer,
           Error(Reason::kTransport,
                 Describe() + ": the server gave no sign of life on a silent connection"));
    }
  }

  // Since when an answer has been awaited on the lane and nothing has come.
  static SteadyTime QuietSince(const CurlLane& lane, SteadyTime now) {
    SteadyTime oldest = now;
    for (const auto& transfer : lane.Transfers()) {
      if (transfer->started) oldest = std::min(oldest, transfer->added);
    }
    return std::max(oldest, lane.last_activity());
  }

  // The connection may live, or others of the lane may, while what was asked for comes to a halt:
  // behind a proxy that has lost the server, say. Silence is not to be mistaken for a loop that was
  // busy elsewhere, so it has to last over several looks.
  void CheckProgress(CurlLane& lane, SteadyTime now) {
    const Duration idle = shared_->options.read_idle_timeout;
    if (idle <= Duration::zero()) return;
    constexpr int kLooks = 3;
    for (const auto& transfer : lane.Transfers()) {
      if (transfer == lane.probe || !transfer->in_answer()) continue;
      const Duration silent = now - transfer->last_progress();
      if (silent < idle || transfer->idle_since < transfer->last_progress()) {
        transfer->idle_checks = 0;
        transfer->idle_since = now;
      }
      if (silent < idle || ++transfer->idle_checks < kLooks ||
          now - transfer->idle_since < shared_->options.ping_timeout) {
        continue;
      }
      const std::string silence =
          std::to_string(std::chrono::duration_cast<std::chrono::seconds>(silent).count());
      env_.log().Log(LogLevel::kWarning, "a response has stopped in its middle, giving it up",
                     {{"server", Describe()},
                      {"request", transfer->request().method + " " + transfer->request().target},
                      {"seconds", silence}});
      Fail(transfer, Error(Reason::kTransport, Describe() + transfer->request().target +
                                                   ": the response stopped in its middle, and "
                                                   "nothing more came for " +
                                                   silence + " s"));
    }
  }

  void StartProbe(CurlLane& lane) {
    auto receiver = std::make_unique<ProbeReceiver>();
    HttpRequest request{.target = shared_->options.probe_target, .pool = lane.pool()};
    auto probe = std::make_shared<CurlTransfer>(shared_, std::move(request), *receiver);
    if (!probe->Prepare(tls_, AuthorizationOf(lane))) return;
    lane.probe = probe;
    lane.probe_receiver = std::move(receiver);
    lane.MakeRoomForProbe();
    lane.Add(std::move(probe));
  }

  // The watches' own: a probe must not run a plugin or read a file.
  static std::string AuthorizationOf(const CurlLane& lane) {
    const auto all = lane.Transfers();
    return all.empty() ? std::string() : all.back()->authorization();
  }

  static void EndProbe(CurlLane& lane) {
    lane.probe->Silence();
    lane.Remove(lane.probe);
    lane.probe = nullptr;
    lane.probe_receiver = nullptr;
  }

  // The server takes fewer streams on a connection than we thought: learn how many, and move those
  // that wait.
  void CheckStall(CurlLane& lane, SteadyTime now) {
    if (lane.http1() || !lane.connected()) return;
    CurlLane::List waiting;
    for (const auto& transfer : lane.Transfers()) {
      if (!transfer->started && transfer != lane.probe && now - transfer->added >= kStall) {
        waiting.push_back(transfer);
      }
    }
    if (waiting.empty()) return;
    // One stream stays free for the probe.
    const std::size_t found = std::max<std::size_t>(lane.peak(), 2) - 1;
    if (found < capacity_) {
      capacity_ = found;
      env_.log().Log(LogLevel::kInfo, "server limits streams per connection, opening more",
                     {{"server", Describe()}, {"watches per connection", std::to_string(found)}});
    }
    lane.retired = true;
    for (const auto& transfer : waiting) {
      lane.Remove(transfer);
      const auto prepared = transfer->Prepare(tls_, transfer->authorization());
      if (!prepared) {
        FailLater(transfer, prepared.error());
      } else {
        LaneFor(ConnectionPool::kWatch).Add(transfer);
      }
    }
    if (lane.started() > 1 && lane.started() > capacity_) {
      // Resumes elsewhere at once, and makes room for the probe.
      for (const auto& transfer : lane.Transfers()) {
        if (!transfer->started || transfer == lane.probe) continue;
        Fail(transfer, Error(Reason::kTransport,
                             Describe() + ": closed to keep a stream free on a full connection"));
        break;
      }
    }
  }

  // ---- changed certificates

  void ReloadIfDue() {
    const HttpTransportOptions& options = shared_->options;
    if (reloading_ || stopped_ || !UsesFiles(options.tls) ||
        env_.Now() - last_reload_ < options.reload_period) {
      return;
    }
    reloading_ = true;
    reload_ = base::OwnJob::Start(
        env_, [weak = weak_from_this(), tls = options.tls](Env&, const std::stop_token&) {
          return Task([weak, loaded = LoadTlsMaterial(tls)] {
            if (auto self = weak.lock()) self->Reloaded(loaded);
          });
        });
  }

  void Reloaded(const Result<TlsMaterial>& loaded) {
    reloading_ = false;
    last_reload_ = env_.Now();
    if (!loaded) {
      if (!reload_failed_) {
        env_.log().Log(LogLevel::kWarning, "cannot read certificates again, keeping the old ones",
                       {{"err", loaded.error().message()}});
      }
      reload_failed_ = true;
      return;
    }
    reload_failed_ = false;
    TlsMaterial material = *loaded;
    if (material.cert.empty()) {
      // Ours, if any, came with the credentials.
      material.cert = tls_->cert;
      material.key = tls_->key;
    }
    UseMaterial(std::move(material));
  }

  // Exchanges that begin now use the new certificates on new connections. Watches that run under a
  // client certificate which has been replaced are ended, since nothing else would ever end them;
  // under a replaced CA they go on.
  void UseMaterial(TlsMaterial material) {
    if (stopped_ || material == *tls_) return;
    const bool new_identity = material.cert != tls_->cert || material.key != tls_->key;
    tls_ = std::make_shared<const TlsMaterial>(std::move(material));
    for (const auto& lane : lanes_) {
      lane->retired = true;
      if (!new_identity || lane->pool() != ConnectionPool::kWatch) continue;
      for (const auto& transfer : lane->Transfers()) {
        env_.loop().Post([weak = weak_from_this(), transfer] {
          auto self = weak.lock();
          if (!self || transfer->done()) return;
          self->Fail(transfer,
                     Error(Reason::kTransport,
                           self->Describe() + ": closed, the client certificate changed"));
        });
      }
    }
  }

  Env& env_;
  const std::shared_ptr<CurlShared> shared_;
  std::shared_ptr<const TlsMaterial> tls_;
  std::unique_ptr<CurlLoop> loop_;
  std::vector<std::unique_ptr<CurlLane>> lanes_;         // uses loop_
  std::vector<std::shared_ptr<CurlTransfer>> awaiting_;  // credentials of an AwaitedSource
  std::size_t capacity_;                                 // watches per HTTP/2 connection
  Timer check_timer_;
  SteadyTime check_due_{};
  SteadyTime last_reload_;
  base::OwnJob reload_;
  bool reloading_ = false;
  bool reload_failed_ = false;
  bool stopped_ = false;
};

namespace {

class CurlCall final : public HttpCall {
 public:
  CurlCall(std::weak_ptr<CurlTransport> transport, std::shared_ptr<CurlTransfer> transfer)
      : transport_(std::move(transport)), transfer_(std::move(transfer)) {}
  ~CurlCall() override {
    if (birthplace_.InAnotherProcess()) {
      // What libcurl said on the way out would be said on the parent's connection.
      base::LeaveToParent(transfer_);
      return;
    }
    if (auto transport = transport_.lock()) {
      transport->Abandon(transfer_);
    } else {
      transfer_->Silence();
    }
  }

 private:
  const std::weak_ptr<CurlTransport> transport_;
  const std::shared_ptr<CurlTransfer> transfer_;
  const base::Birthplace birthplace_;
};

class HttpTransport final : public Transport {
 public:
  HttpTransport(Env& env, std::shared_ptr<CurlTransport> impl)
      : env_(env), impl_(std::move(impl)) {}
  ~HttpTransport() override {
    if (birthplace_.InAnotherProcess()) {
      base::LeaveToParent(std::move(impl_));  // as CurlCall
      return;
    }
    // Always as a task: on the loop we may be inside a receiver, and so inside libcurl.
    env_.loop().Post([impl = std::move(impl_)] { impl->Shutdown(); });
  }

  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    return std::make_unique<CurlCall>(impl_, impl_->Start(std::move(request), receiver));
  }
  TransportStats Stats() const override { return impl_->Stats(); }
  std::string Describe() const override { return impl_->Describe(); }

 private:
  Env& env_;
  std::shared_ptr<CurlTransport> impl_;
  const base::Birthplace birthplace_;
};

}  // namespace

}  // namespace internal::transport

Result<std::unique_ptr<Transport>> NewHttpTransport(Env& env, HttpTransportOptions options) {
  internal::transport::InitializeCurl();
  auto endpoint = internal::transport::ParseEndpoint(options.base_url);
  if (!endpoint) return endpoint.error();
  auto proxy = internal::transport::ProxyFor(*endpoint, options,
                                             internal::transport::ProxyEnvironment::OfProcess());
  if (!proxy) return proxy.error();
  if (!options.tls.server_name.empty()) {
    auto name = internal::transport::ParseServerName(options.tls.server_name);
    if (!name) return name.error();
    options.tls.server_name = *std::move(name);
  }
  internal::transport::TlsMaterial tls;
  if (endpoint->tls) {
    auto loaded = internal::transport::LoadTlsMaterial(options.tls);
    if (!loaded) return loaded.error();
    tls = *std::move(loaded);
  }
  auto loop = internal::transport::CurlLoop::New(env);
  if (!loop) return loop.error();
  auto impl = std::make_shared<internal::transport::CurlTransport>(
      env, std::move(options), *std::move(endpoint), *std::move(proxy), std::move(tls),
      *std::move(loop));
  return std::make_unique<internal::transport::HttpTransport>(env, std::move(impl));
}

}  // namespace kinformer
