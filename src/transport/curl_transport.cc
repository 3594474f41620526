// The libcurl transport: assigns exchanges to lanes; handles credentials, dead peers and changed
// certificates.

#include <algorithm>
#include <chrono>
#include <curl/curl.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/http_transport.h"

#include "base/core/deadline.h"
#include "base/core/forked.h"
#include "base/core/user_call.h"
#include "base/loop/own_job.h"
#include "transport/awaited_source.h"
#include "transport/curl_lane.h"
#include "transport/curl_loop.h"
#include "transport/curl_transfer.h"
#include "transport/endpoint.h"
#include "transport/kept_env_transport.h"
#include "transport/life_signs.h"
#include "transport/openers.h"
#include "transport/proxy.h"
#include "transport/socket_source.h"
#include "transport/tls_material.h"

namespace kinformer {

namespace internal::transport {

namespace {

using std::chrono::seconds;

constexpr Duration kStall = seconds(2);  // connected, but no stream: the server's limit is reached
constexpr std::size_t kMostTrying = 4;   // lanes of a pool that try in vain to connect
constexpr Duration kIdleLane = seconds(90);  // unused connections are closed after this time
constexpr Duration kBareLane = seconds(4);   // for a lane without sockets; its handle may have some
constexpr Duration kCheckPeriod = seconds(5);
constexpr Duration kQuickCheckPeriod = seconds(1);
constexpr Duration kQuietReload = seconds(300);  // for files, while no request asks for them

void InitializeCurl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

class CurlTransport final : public std::enable_shared_from_this<CurlTransport>,
                            private LifeSigns::Owner,
                            private Openers::Owner {
 public:
  CurlTransport(std::shared_ptr<Env> env, HttpTransportOptions options, Endpoint endpoint,
                std::string proxy, TlsMaterial tls, std::unique_ptr<CurlLoop> loop,
                SocketSource* sockets)
      : env_(*env),
        shared_(Shared(std::move(env), std::move(options), std::move(endpoint), std::move(proxy),
                       sockets)),
        tls_(std::make_shared<const TlsMaterial>(std::move(tls))),
        loop_(std::move(loop)),
        awaited_(dynamic_cast<AwaitedSource*>(shared_->options.credentials.get())),
        capacity_(std::max<std::size_t>(shared_->options.watches_per_connection, 1)),
        last_reload_(env_.Now()) {}

  std::shared_ptr<CurlTransfer> Start(HttpRequest request, ResponseReceiver& receiver) {
    auto transfer = std::make_shared<CurlTransfer>(shared_, std::move(request), receiver);
    ++shared_->stats.requests;
    if (transfer->request().timeout > Duration::zero()) {
      transfer->deadline = env_.loop().RunAt(base::After(env_.Now(), transfer->request().timeout),
                                             [weak = weak_from_this(), late = transfer.get()] {
                                               if (auto self = weak.lock()) {
                                                 self->TimedOut(late->shared_from_this());
                                               }
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
    life_.GivenUp(*transfer);
    transfer->Silence();
    Forget(transfer);
    if (transfer->lane != nullptr) transfer->lane->Remove(transfer);
  }

  static void SetPaused(CurlTransfer& transfer, bool paused) {
    const bool may_be = transfer.request().pool == ConnectionPool::kStream;
    if (may_be && transfer.lane != nullptr) transfer.lane->SetPaused(transfer, paused);
  }

  static void Send(CurlTransfer& transfer, std::string_view bytes) {
    if (bytes.empty() || transfer.done() || !transfer.upgraded()) return;
    transfer.AddOutgoing(bytes);
    if (transfer.lane != nullptr && !transfer.taking()) transfer.lane->GoOn(transfer);
  }

  [[nodiscard]] TransportStats Stats() const { return shared_->stats; }
  [[nodiscard]] std::string Describe() const override {
    const Endpoint& e = shared_->endpoint;
    return (e.tls ? "https://" : "http://") + e.authority + e.prefix;
  }

  // Ends all exchanges. Nothing but the destructor may follow.
  void Shutdown() {
    const Error why(Reason::kStopped, "the transport was shut down");
    // First, because a source that forgets one caller may answer another, which gets a lane.
    while (!awaiting_.empty()) {
      const std::shared_ptr<CurlTransfer> transfer = awaiting_.back();
      Forget(transfer);
      FailLater(transfer, why);
    }
    for (const auto& lane : lanes_) {
      if (lane->probe != nullptr) LifeSigns::EndProbe(*lane);
      Openers::End(*lane);
      for (const auto& transfer : lane->Transfers()) FailLater(transfer, why);
    }
  }

 private:
  static std::shared_ptr<CurlShared> Shared(std::shared_ptr<Env> env, HttpTransportOptions options,
                                            Endpoint endpoint, std::string proxy,
                                            SocketSource* sockets) {
    std::shared_ptr<Dials> dials;
    if (options.dial && sockets == nullptr) {
      dials = std::make_shared<Dials>(*env, options.dial, FirstHopOf(endpoint, proxy));
    }
    Env& used = *env;
    return std::make_shared<CurlShared>(CurlShared{.kept_env = std::move(env),
                                                   .env = used,
                                                   .options = std::move(options),
                                                   .endpoint = std::move(endpoint),
                                                   .proxy = std::move(proxy),
                                                   .sockets = sockets,
                                                   .dials = std::move(dials)});
  }

  void FetchAndLaunch(CredentialSource& source, const std::shared_ptr<CurlTransfer>& transfer) {
    // Held weakly: a source may keep its callbacks for as long as it lives, and the exchange keeps
    // the source.
    const auto fetched = [weak = weak_from_this(),
                          held = std::weak_ptr(transfer)](Result<Credentials> credentials) {
      const auto self = weak.lock();
      const auto waiting = held.lock();
      if (!self || !waiting) return;
      std::erase(self->awaiting_, waiting);
      if (waiting->done()) return;
      if (!credentials) {
        self->FailLater(waiting, credentials.error());
      } else {
        self->Launch(waiting, *credentials);
      }
    };
    const Result<void> asked = base::CallUser(env_, "CredentialSource::Fetch", [&] {
      if (awaited_ == nullptr) return source.Fetch(env_, fetched);
      awaiting_.push_back(transfer);
      awaited_->FetchFor(transfer.get(), env_, fetched);
    });
    if (asked) return;
    env_.loop().Post([weak = weak_from_this(), transfer, why = asked.error()] {
      if (auto self = weak.lock()) self->Fail(transfer, why);
    });
  }

  // Called when the credentials for the transfer are no longer needed.
  void Forget(const std::shared_ptr<CurlTransfer>& transfer) {
    if (std::erase(awaiting_, transfer) > 0) awaited_->Forget(transfer.get(), env_);
  }

  // Not called inside libcurl's callbacks: Start must return first.
  void FailLater(const std::shared_ptr<CurlTransfer>& transfer, Error why) {
    env_.loop().Post([transfer, why = std::move(why)] { transfer->Done(why); });
  }
  void Fail(const std::shared_ptr<CurlTransfer>& transfer, Error why) override {
    Forget(transfer);
    if (transfer->lane != nullptr) transfer->lane->Remove(transfer);
    transfer->Done(std::move(why));
  }

  void TimedOut(const std::shared_ptr<CurlTransfer>& transfer) {
    life_.GivenUp(*transfer);
    Fail(transfer, Error(Reason::kDeadlineExceeded, Describe() + transfer->request().target +
                                                        ": no complete response in time"));
  }

  void Launch(const std::shared_ptr<CurlTransfer>& transfer, Credentials credentials) {
    transfer->certified = !credentials.cert_pem.empty();
    if (transfer->certified) {
      UseMaterial({tls_->ca, std::move(credentials.cert_pem), std::move(credentials.key_pem)});
    }
    if (!Prepare(transfer, std::move(credentials.authorization))) return;
    const ConnectionPool pool = transfer->request().pool;
    CurlLane& lane = LaneFor(pool);
    const std::size_t most = shared_->options.max_http1_watches;
    if (pool == ConnectionPool::kWatch && lane.http1() && most > 0 && Watches() >= most) {
      FailLater(transfer,
                Error(Reason::kOverLimit,
                      Describe() + ": " + std::to_string(most) +
                          " watches run, each on its own HTTP/1.1 connection: that is "
                          "max_http1_watches. Raise it, or reach the server over HTTP/2"));
      return;
    }
    lane.Add(transfer);
    ScheduleCheck(openers_.NextLook(lane));
  }

  // False: it cannot be sent, and gets the reason later.
  bool Prepare(const std::shared_ptr<CurlTransfer>& transfer, std::string authorization) {
    const Result<void> prepared = transfer->Prepare(tls_, std::move(authorization));
    if (!prepared) FailLater(transfer, prepared.error());
    return prepared.ok();
  }

  [[nodiscard]] const std::vector<std::unique_ptr<CurlLane>>& lanes() const override {
    return lanes_;
  }
  [[nodiscard]] const std::shared_ptr<const TlsMaterial>& tls() const override { return tls_; }

  [[nodiscard]] std::size_t Watches() const {
    std::size_t watches = 0;
    for (const auto& lane : lanes_) {
      if (lane->pool() == ConnectionPool::kWatch) watches += OthersThanProbe(*lane);
    }
    return watches;
  }

  static std::size_t OthersThanProbe(const CurlLane& lane) {
    const bool probing = lane.probe != nullptr && lane.probe->lane == &lane;
    return lane.size() - (probing ? 1 : 0);
  }

  [[nodiscard]] bool HasRoom(const CurlLane& lane) const override {
    return lane.http1() || OthersThanProbe(lane) < capacity_;
  }
  CurlLane& NewLane(ConnectionPool pool) override {
    lanes_.push_back(std::make_unique<CurlLane>(shared_, *loop_, pool));
    return *lanes_.back();
  }

  // Prefers an existing connection to one that is being made. A suspected lane, or one that has
  // tried to connect for some time, gets no new exchanges, so that it delays none. If too many
  // lanes try without success, the newest of them gets the rest.
  CurlLane& LaneFor(ConnectionPool pool) {
    CurlLane* coming = nullptr;
    CurlLane* last_trying = nullptr;
    CurlLane* least = nullptr;  // the least loaded of the full lanes
    std::size_t trying = 0;
    std::size_t connections = 0;  // of full lanes
    const bool watches = IsLong(pool);
    for (const auto& lane : lanes_) {
      if (lane->pool() != pool || lane->retired || lane->suspected) continue;
      if (openers_.TriesTooLong(*lane)) {
        ++trying;
        last_trying = lane.get();
        continue;
      }
      if (lane->connected() && HasRoom(*lane)) return *lane;
      if (!lane->connected()) {
        if (coming == nullptr && (!watches || HasRoom(*lane))) coming = lane.get();
      } else if (!watches) {
        connections += std::max<std::size_t>(lane->sockets(), 1);
        if (least == nullptr || lane->size() < least->size()) least = lane.get();
      }
    }
    if (coming != nullptr) return *coming;
    const std::size_t most = shared_->options.max_connections;
    if (least != nullptr && connections >= most) return *least;
    if (trying >= kMostTrying) return *last_trying;
    CurlLane& lane = NewLane(pool);
    if (least != nullptr) Share(pool, most - connections);
    return lane;
  }

  // Limits the connections of a pool in total: the other lanes keep the connections they have, and
  // the last lane, which is new, may open the remaining ones.
  void Share(ConnectionPool pool, std::size_t left) {
    for (const auto& lane : lanes_) {
      if (lane->pool() != pool) continue;
      lane->Allow(lane == lanes_.back() ? left : std::max<std::size_t>(lane->sockets(), 1));
    }
  }

  // ---- periodic checks

  // Schedules a check for `look` or earlier.
  void ScheduleCheck(SteadyTime look) {
    if (lanes_.empty()) return;
    const bool quick = std::any_of(lanes_.begin(), lanes_.end(), [](const auto& lane) {
      return lane->pool() == ConnectionPool::kWatch && lane->started() < lane->size();
    });
    // Tests use much shorter periods.
    Duration period = quick ? kQuickCheckPeriod : kCheckPeriod;
    const Duration idle = shared_->options.read_idle_timeout;
    const Duration ping = shared_->options.ping_timeout;
    if (idle > Duration::zero()) period = std::min({period, idle / 2, ping / 2});
    const SteadyTime now = env_.Now();
    const SteadyTime due =
        std::max(std::min(now + period, look), now + std::chrono::milliseconds(5));
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
    // Watches alone ask for nothing, but must not go on for long under a replaced certificate.
    if (now - last_reload_ >= kQuietReload) ReloadIfDue();
    std::vector<CurlLane*> lanes;
    for (const auto& lane : lanes_) lanes.push_back(lane.get());
    for (CurlLane* lane : lanes) {
      life_.Check(*lane);
      openers_.Check(*lane);
      if (lane->pool() == ConnectionPool::kWatch) CheckStall(*lane, now);
    }
    // This is a task of its own, so no lane is inside libcurl.
    std::erase_if(lanes_, [&](const auto& lane) {
      const Duration kept = lane->sockets() == 0 ? kBareLane : kIdleLane;
      return lane->size() == 0 && (lane->retired || now - lane->last_use() > kept);
    });
    if (lanes_.empty()) shared_->handles.Clear();
    // A check that is already overdue could not do anything, so it waits for the usual period.
    SteadyTime next = SteadyTime::max();
    const auto consider = [&](SteadyTime look) {
      if (look > now) next = std::min(next, look);
    };
    for (const auto& lane : lanes_) {
      consider(life_.NextLook(*lane));
      consider(openers_.NextLook(*lane));
    }
    ScheduleCheck(next);
  }

  // Detects a server that allows fewer streams on a connection than assumed: learns the limit, and
  // moves waiting exchanges.
  void CheckStall(CurlLane& lane, SteadyTime now) {
    if (lane.http1() || !lane.connected()) return;
    CurlLane::List waiting;
    for (const auto& transfer : lane.Transfers()) {
      if (!transfer->started && transfer != lane.probe && now - transfer->added >= kStall) {
        waiting.push_back(transfer);
      }
    }
    if (waiting.empty()) return;
    // Keeps one stream free for the probe.
    const std::size_t found = std::max<std::size_t>(lane.peak(), 2) - 1;
    if (found < capacity_) {
      capacity_ = found;
      env_.log().Log(LogLevel::kInfo, "server limits streams per connection, opening more",
                     {{"server", Describe()}, {"watches per connection", std::to_string(found)}});
    }
    lane.retired = true;
    Move(lane, waiting);
    if (lane.started() > capacity_) {
      // Its watch resumes on another connection, which makes room for the probe.
      for (const auto& transfer : lane.Transfers()) {
        if (!transfer->started || transfer == lane.probe) continue;
        Fail(transfer, Error(Reason::kTransport,
                             Describe() + ": closed to keep a stream free on a full connection"));
        break;
      }
    }
  }

  // Moves exchanges that were not sent yet to the lanes that LaneFor chooses.
  void Move(CurlLane& lane, const CurlLane::List& waiting) override {
    for (const auto& transfer : waiting) {
      CurlLane& other = LaneFor(lane.pool());
      if (&other == &lane) return;
      lane.Remove(transfer);
      if (Prepare(transfer, transfer->authorization())) other.Add(transfer);
    }
  }

  // ---- changed certificates

  void ReloadIfDue() {
    const HttpTransportOptions& options = shared_->options;
    if (reloading_ || !shared_->endpoint.tls || !UsesFiles(options.tls) ||
        env_.Now() - last_reload_ < options.reload_period) {
      return;
    }
    reloading_ = true;
    reload_ = base::OwnJob::Start(
        env_, [weak = weak_from_this(), tls = options.tls](Env&, const std::stop_token&) {
          CaResult ca{};
          Result<TlsMaterial> loaded = LoadTlsMaterial(tls, &ca);
          return Closure([weak, ca, loaded = std::move(loaded)] {
            if (auto self = weak.lock()) self->Reloaded(loaded, ca);
          });
        });
  }

  // Counts an attempt with the results and reasons of client-go. One that fails because of the
  // client certificate leaves the CA as it is.
  void CountCaReload(const Result<TlsMaterial>& loaded, CaResult ca) {
    if (!UsesCaFile(shared_->options.tls)) return;
    const bool failed = ca != CaResult::kRead;
    const char* const reason = ca == CaResult::kCannotRead             ? "read_error"
                               : ca == CaResult::kEmpty                ? "empty"
                               : ca == CaResult::kNoPem                ? "ca_parse_error"
                               : loaded.ok() && loaded->ca != tls_->ca ? "updated"
                                                                       : "unchanged";
    env_.metrics()
        .NewCounter("rest_client_transport_ca_reload_total",
                    "Attempts to read the CA file again, by result and reason.",
                    {{"result", failed ? "failure" : "success"}, {"reason", reason}})
        ->Add();
  }

  void Reloaded(const Result<TlsMaterial>& loaded, CaResult ca) {
    reloading_ = false;
    last_reload_ = env_.Now();
    CountCaReload(loaded, ca);
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
      // The client certificate, if any, came with the credentials.
      material.cert = tls_->cert;
      material.key = tls_->key;
    }
    UseMaterial(std::move(material));
  }

  // Uses new certificates for new exchanges, on new connections. Watches under a replaced client
  // certificate are ended, because nothing else would ever end them; watches under a replaced CA
  // continue.
  void UseMaterial(TlsMaterial material) {
    if (material == *tls_) return;
    const bool new_identity = material.cert != tls_->cert || material.key != tls_->key;
    tls_ = std::make_shared<const TlsMaterial>(std::move(material));
    for (const auto& lane : lanes_) {
      lane->retired = true;
      if (!new_identity || lane->pool() != ConnectionPool::kWatch) continue;
      for (const auto& transfer : lane->Transfers()) {
        env_.loop().Post([weak = weak_from_this(), transfer] {
          if (auto self = weak.lock()) {
            self->Fail(transfer,
                       Error(Reason::kTransport,
                             self->Describe() + ": closed, the client certificate changed"));
          }
        });
      }
    }
  }

  Env& env_;
  const std::shared_ptr<CurlShared> shared_;
  std::shared_ptr<const TlsMaterial> tls_;
  std::unique_ptr<CurlLoop> loop_;
  std::vector<std::unique_ptr<CurlLane>> lanes_;         // uses loop_
  AwaitedSource* const awaited_;                         // the source, if it is one
  std::vector<std::shared_ptr<CurlTransfer>> awaiting_;  // wait for its credentials
  std::size_t capacity_;                                 // exchanges per HTTP/2 connection
  LifeSigns life_{shared_, *this};
  Openers openers_{shared_, *this};
  Timer check_timer_;
  SteadyTime check_due_{};
  SteadyTime last_reload_;
  base::OwnJob reload_;
  bool reloading_ = false;
  bool reload_failed_ = false;
};

namespace {

class CurlCall final : public HttpCall {
 public:
  CurlCall(std::weak_ptr<CurlTransport> transport, std::shared_ptr<CurlTransfer> transfer)
      : transport_(std::move(transport)), transfer_(std::move(transfer)) {}
  ~CurlCall() override {
    if (birthplace_.InAnotherProcess()) {
      // libcurl's closing messages would be sent on the parent's connection.
      base::LeaveToParent(transfer_);
      return;
    }
    if (auto transport = transport_.lock()) {
      transport->Abandon(transfer_);
    } else {
      transfer_->Silence();
    }
  }
  void SetPaused(bool paused) override { CurlTransport::SetPaused(*transfer_, paused); }
  void Send(std::string_view bytes) override { CurlTransport::Send(*transfer_, bytes); }
  std::size_t unsent() const override { return transfer_->unsent(); }

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
      base::LeaveToParent(std::move(impl_));  // like CurlCall
      return;
    }
    // Always in a task: on the loop, the caller may be inside a receiver, and so inside libcurl.
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

namespace internal::transport {
namespace {

Result<std::unique_ptr<Transport>> NewTransport(std::shared_ptr<Env> kept_env,
                                                HttpTransportOptions options,
                                                SocketSource* sockets) {
  Env& env = *kept_env;
  InitializeCurl();
  auto endpoint = ParseEndpoint(options.base_url);
  if (!endpoint) return endpoint.error();
  auto proxy = ProxyFor(*endpoint, options, ProxyEnvironment::OfProcess());
  if (!proxy) return proxy.error();
  if (!options.tls.server_name.empty()) {
    auto name = ParseServerName(options.tls.server_name);
    if (!name) return name.error();
    options.tls.server_name = *std::move(name);
  }
  TlsMaterial tls;
  if (endpoint->tls) {
    auto loaded = LoadTlsMaterial(options.tls);
    if (!loaded) return loaded.error();
    tls = *std::move(loaded);
  }
  auto loop = CurlLoop::New(env);
  if (!loop) return loop.error();
  auto impl =
      std::make_shared<CurlTransport>(std::move(kept_env), std::move(options), *std::move(endpoint),
                                      *std::move(proxy), std::move(tls), *std::move(loop), sockets);
  return std::make_unique<HttpTransport>(env, std::move(impl));
}

std::shared_ptr<Env> NotOwned(Env& env) { return {std::shared_ptr<void>(), &env}; }

}  // namespace

Result<std::unique_ptr<Transport>> NewHttpTransportOver(Env& env, HttpTransportOptions options,
                                                        SocketSource& sockets) {
  return NewTransport(NotOwned(env), std::move(options), &sockets);
}

Result<std::unique_ptr<Transport>> NewHttpTransportOn(std::shared_ptr<Env> env,
                                                      HttpTransportOptions options) {
  return NewTransport(std::move(env), std::move(options), nullptr);
}

}  // namespace internal::transport

Result<std::unique_ptr<Transport>> NewHttpTransport(Env& env, HttpTransportOptions options) {
  return internal::transport::NewTransport(internal::transport::NotOwned(env), std::move(options),
                                           nullptr);
}

}  // namespace kinformer
