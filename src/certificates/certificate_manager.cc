#include "kinformer/certificate/certificate_manager.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "kinformer/base/metrics.h"
#include "kinformer/base/task.h"
#include "kinformer/base/until.h"
#include "kinformer/certificate/csr.h"
#include "kinformer/internal/flow.h"

#include "base/core/deadline.h"
#include "base/core/user_call.h"
#include "base/loop/signal.h"
#include "certificates/held_certificate.h"
#include "certificates/store_call.h"
#include "client/tools/running_calls.h"
#include "transport/tls_material.h"
#include "x509/address.h"

namespace kinformer::certificate {
namespace {

using internal::certificates::HeldCertificate;
using internal::certificates::SecondsOf;
using internal::certificates::TimedPair;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLookPeriod = seconds(10);
constexpr Duration kRequestTimeout = minutes(1);
// How long a request waits for its approval before another one takes its place.
constexpr Duration kCertificateTimeout = minutes(15);
constexpr Duration kFirstPause = seconds(2);
constexpr Duration kLongestPause = seconds(32);

// Whether all of `wanted` are in `there`.
bool Includes(const std::vector<std::string>& there, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(wanted, [&](const std::string& name) {
    return std::ranges::find(there, name) != there.end();
  });
}

// Whether a certificate is for all that the template names. It may be for more.
bool Satisfies(const cert::CertificateRequest& names, const cert::CertificateRequest& wanted) {
  std::vector<std::string> ips = wanted.alt_names.ips;
  for (std::string& address : ips) address = internal::x509::CanonicalAddress(address);
  return names.subject.common_name == wanted.subject.common_name &&
         Includes(names.subject.organizations, wanted.subject.organizations) &&
         Includes(names.alt_names.dns_names, wanted.alt_names.dns_names) &&
         Includes(names.alt_names.ips, ips);
}

// Returns the pair with its times. kConfig: it is no pair.
Result<TimedPair> Timed(CertificatePair pair, const std::string& what) {
  Result<void> good = internal::transport::CheckKeyPair(pair.cert_pem, pair.key_pem, what);
  if (!good) return good.error();
  const auto times = internal::transport::TimesOfCertificate(pair.cert_pem);
  if (!times) return Error(Reason::kConfig, what + ": its times cannot be read");
  Result<cert::CertificateRequest> names = cert::NamesOf(pair.cert_pem);
  if (!names) return Error(names.error()).WithContext(what);
  return TimedPair{std::move(pair), *times, *std::move(names)};
}

// Whether a server that gives this error works.
bool IsHealthy(const Error& error) {
  return IsUnauthorized(error) || IsForbidden(error) || IsNotFound(error);
}

Task<Result<void>> Pause(Env& env, std::stop_token stop, Duration duration) {
  const SteadyTime until = internal::base::After(env.Now(), duration);
  std::function<std::optional<Result<void>>()> check = [&env, stop,
                                                        until]() -> std::optional<Result<void>> {
    if (stop.stop_requested() || env.Now() >= until) return Result<void>();
    return std::nullopt;
  };
  Task<Result<void>> wait = internal::base::AwaitUntil(
      env, std::make_shared<internal::base::Signal>(), stop, until, std::move(check));
  co_return co_await wait;
}

}  // namespace

std::vector<std::string> DefaultKubeletClientGetUsages() {
  return {"digital signature", "client auth"};
}

std::vector<std::string> DefaultKubeletServingGetUsages() {
  return {"digital signature", "server auth"};
}

struct Manager::State : std::enable_shared_from_this<State> {
  State(Env& environment, Config given)
      : env(environment),
        config(std::move(given)),
        running(std::make_shared<internal::client::RunningCalls>(environment)),
        rotation_age(environment.metrics().NewHistogram(
            "certificate_manager_rotation_age_seconds",
            "Age in seconds of a certificate when another one replaced it.",
            {{"name", config.name}})),
        failures(environment.metrics().NewCounter(
            "certificate_manager_renew_failures_total",
            "Failed attempts to get a certificate from the cluster.", {{"name", config.name}})) {}

  // Returns a time between 70 % and 90 % of the way.
  std::int64_t DueIn(std::int64_t begin, std::int64_t end) {
    const double share = 0.7 + 0.2 * RandomUnit(env);
    return begin + static_cast<std::int64_t>(static_cast<double>(end - begin) * share);
  }

  // Takes over a pair, and decides when the next is due.
  void Adopt(TimedPair pair) {
    due_at = DueIn(pair.times.not_before, pair.times.not_after);
    force = false;
    const std::optional<TimedPair> before = held->Set(std::move(pair));
    if (before) {
      rotation_age->Observe(
          static_cast<double>(SecondsOf(env.WallNow()) - before->times.not_before));
    }
  }

  // ---- on the loop

  Result<std::optional<cert::CertificateRequest>> Template() {
    return internal::base::CallUserForResult(
        env, "get_template",
        [&]() -> Result<std::optional<cert::CertificateRequest>> { return config.get_template(); },
        [] { return std::string(); });
  }

  // Whether a certificate is to be requested now.
  Result<bool> IsDue() {
    Result<std::optional<cert::CertificateRequest>> wanted = Template();
    if (!wanted) return std::move(wanted).error();
    if (!*wanted) return false;
    const std::optional<TimedPair> current = held->Get();
    return !current || force || SecondsOf(env.WallNow()) >= due_at ||
           !Satisfies(current->names, **wanted);
  }

  // Returns the time until the next is due, between a second and the period of looks.
  [[nodiscard]] Duration UntilNextLook() const {
    const std::int64_t left = due_at - SecondsOf(env.WallNow());
    if (!held->Get() || left >= kLookPeriod / seconds(1)) return kLookPeriod;
    return seconds(std::max<std::int64_t>(left, 1));
  }

  // Ends the attempt if another certificate is wanted than the one that it asks for.
  void LookAtTemplate(const std::stop_source& attempt, cert::CertificateRequest asked) {
    look = env.loop().RunAt(internal::base::After(env.Now(), kLookPeriod),
                            [weak = weak_from_this(), attempt = std::stop_source(attempt),
                             asked = std::move(asked)]() mutable {
                              const std::shared_ptr<State> self = weak.lock();
                              if (self == nullptr) return;
                              const Result<std::optional<cert::CertificateRequest>> wanted =
                                  self->Template();
                              if (wanted && *wanted && **wanted != asked) {
                                attempt.request_stop();
                              } else {
                                self->LookAtTemplate(attempt, std::move(asked));
                              }
                            });
  }

  Result<Client> ClientForRequests() {
    const CertificatePair current = held->Valid(env).value_or(CertificatePair());
    return internal::base::CallUserForResult(
        env, "clientset_fn", [&] { return config.clientset_fn(current); },
        [] { return std::string(); });
  }

  Env& env;
  const Config config;
  const std::shared_ptr<HeldCertificate> held = std::make_shared<HeldCertificate>();
  const std::shared_ptr<internal::client::RunningCalls> running;
  const std::shared_ptr<Histogram> rotation_age;
  const std::shared_ptr<Counter> failures;
  std::stop_source stop{};
  std::atomic<bool> started = false;
  std::atomic<bool> healthy = false;
  // Loop only, once it is started.
  std::int64_t due_at = 0;
  bool force = false;
  Timer look{};
};

namespace {

// The steps of a manager. `S` is its state, which is private.
template <class S>
struct Keeper {
  // Requests a certificate, and uses it. OK also if another one is wanted meanwhile.
  static Task<Result<void>> Attempt(std::shared_ptr<S> self, std::shared_ptr<void> alive) {
    Result<std::optional<cert::CertificateRequest>> wanted = self->Template();
    if (!wanted) co_return wanted.error();
    if (!*wanted) co_return Result<void>();
    Result<std::string> key = keyutil::MakeEllipticPrivateKeyPEM();
    if (!key) co_return key.error();
    Result<std::string> request = cert::MakeCSRFromTemplate(*key, **wanted);
    if (!request) co_return request.error();
    const Result<Client> client = self->ClientForRequests();
    if (!client) co_return client.error();

    std::stop_source attempt;
    const std::stop_callback on_stop(self->stop.get_token(),
                                     [attempt]() mutable { attempt.request_stop(); });
    csr::RequestOptions options;
    options.signer_name = self->config.signer_name;
    options.usages = self->config.usages;
    options.requested_duration = self->config.requested_certificate_lifetime;
    AsyncCall<csr::Requested> create =
        csr::AsyncRequestCertificate(*client, *std::move(request), std::move(options))
            .WithStop(attempt.get_token())
            .WithTimeout(kRequestTimeout);
    Result<csr::Requested> requested = co_await create;
    self->healthy = requested.ok() || IsHealthy(requested.error());
    if (!requested) co_return requested.error();

    self->LookAtTemplate(attempt, **wanted);
    AsyncCall<std::string> wait = csr::AsyncWaitForCertificate(*client, *std::move(requested))
                                      .WithStop(attempt.get_token())
                                      .WithTimeout(kCertificateTimeout);
    Result<std::string> cert = co_await wait;
    self->look.Cancel();
    if (!cert && attempt.stop_requested()) co_return Result<void>();
    if (!cert) co_return cert.error();
    CertificatePair pair;
    pair.cert_pem = *std::move(cert);
    pair.key_pem = *std::move(key);
    Task<Result<void>> use = Use(self, std::move(pair), std::move(alive));
    const Result<void> used = co_await use;
    if (!used || Satisfies(self->held->Get()->names, **wanted)) co_return used;
    co_return Error(Reason::kConfig,
                    "the certificate is not for all that was asked: its signer left names out");
  }

  static Task<Result<void>> Use(std::shared_ptr<S> self, CertificatePair pair,
                                std::shared_ptr<void> alive) {
    Env& env = self->env;
    Result<TimedPair> timed = Timed(pair, "what the signer returned");
    if (!timed) co_return timed.error();
    if (timed->times.not_after <= SecondsOf(env.WallNow())) {
      co_return Error(Reason::kConfig, "what the signer returned has expired: compare the clocks");
    }
    const std::int64_t end = timed->times.not_after;
    self->Adopt(*std::move(timed));
    // A signer may give certificates that began long ago.
    const std::int64_t now = SecondsOf(env.WallNow());
    if (self->due_at <= now) self->due_at = self->DueIn(now, end);
    env.log().Log(LogLevel::kInfo, "a new certificate is in use", {{"name", self->config.name}});
    Task<Result<void>> store = internal::certificates::UpdateStore(
        env, self->config.certificate_store, pair, std::move(alive));
    const Result<void> stored = co_await store;
    if (!stored) {
      env.log().Log(LogLevel::kError, "cannot store the new certificate, which is in use",
                    {{"name", self->config.name}, {"err", stored.error().ToString()}});
    }
    if (self->config.on_rotation) {
      static_cast<void>(internal::base::CallUser(env, "on_rotation", [&] {
                          self->config.on_rotation(pair);
                        }).ok());
    }
    co_return Result<void>();
  }

  static void Failed(S& self, const Error& error) {
    self.failures->Add();
    self.env.log().Log(LogLevel::kError, "cannot get a certificate from the cluster",
                       {{"name", self.config.name}, {"err", error.ToString()}});
  }

  static Task<Result<void>> Keep(std::shared_ptr<S> self, std::shared_ptr<void> alive) {
    Env& env = self->env;
    const std::stop_token stop = self->stop.get_token();
    Duration pause = kFirstPause;
    while (!stop.stop_requested()) {
      const Result<bool> due = self->IsDue();
      if (due.ok() && !*due) {
        Task<Result<void>> sleep = Pause(env, stop, self->UntilNextLook());
        static_cast<void>(co_await sleep);
        continue;
      }
      Result<void> done = due.ok() ? Result<void>() : due.error();
      if (due.ok()) {
        Task<Result<void>> attempt = Attempt(self, alive);
        done = co_await attempt;
      }
      if (done) {
        pause = kFirstPause;
        continue;
      }
      if (stop.stop_requested()) break;
      Failed(*self, done.error());
      const auto jitter =
          static_cast<std::int64_t>(static_cast<double>(pause.count()) * 0.1 * RandomUnit(env));
      Task<Result<void>> sleep = Pause(env, stop, pause + Duration(jitter));
      static_cast<void>(co_await sleep);
      pause = std::min(2 * pause, kLongestPause);
    }
    co_return Result<void>();
  }
};

Result<void> Validate(const Config& config) {
  const char* missing = !config.clientset_fn                  ? "clientset_fn"
                        : !config.get_template                ? "get_template"
                        : config.signer_name.empty()          ? "signer_name"
                        : config.certificate_store == nullptr ? "certificate_store"
                                                              : nullptr;
  if (missing != nullptr) {
    return Error(Reason::kInvalidArgument,
                 std::string("certificate::Config::") + missing + " is empty");
  }
  if (config.bootstrap_certificate_pem.empty() != config.bootstrap_key_pem.empty()) {
    return Error(Reason::kInvalidArgument,
                 "certificate::Config::bootstrap_certificate_pem and bootstrap_key_pem are given "
                 "together");
  }
  return {};
}

// Returns the pair of the store, if it has one that is still valid.
Result<std::optional<TimedPair>> Stored(Env& env, Store& store) {
  Result<CertificatePair> pair = internal::base::CallUserForResult(
      env, "certificate store", [&] { return store.Current(); }, [] { return std::string(); });
  if (!pair && IsNotFound(pair.error())) return std::optional<TimedPair>();
  if (!pair) return std::move(pair).error();
  Result<TimedPair> timed = Timed(*std::move(pair), "the store's certificate");
  if (!timed) return std::move(timed).error();
  if (SecondsOf(env.WallNow()) >= timed->times.not_after) return std::optional<TimedPair>();
  return std::optional(*std::move(timed));
}

}  // namespace

Manager::Manager(std::shared_ptr<State> state) : state_(std::move(state)) {}

Manager::~Manager() {
  Stop();
  state_->running->Wait();
}

void Manager::Start() {
  if (state_->started.exchange(true)) return;
  Spawn(state_->env, state_->env.loop(), Keeper<State>::Keep(state_, state_->running->Begin()));
}

void Manager::Stop() { state_->stop.request_stop(); }

Result<void> Manager::Run(const std::stop_token& stop) {
  if (std::optional<Error> deadlock = internal::WhyNotBlock(state_->env)) {
    return *std::move(deadlock);
  }
  Start();
  while (SleepUnlessStopped(state_->env, stop, std::chrono::hours(24))) {
  }
  Stop();
  return {};
}

std::optional<CertificatePair> Manager::Current() const { return state_->held->Valid(state_->env); }

bool Manager::ServerHealthy() const { return state_->healthy; }

std::shared_ptr<CredentialSource> Manager::ClientCredentials() const {
  return internal::certificates::NewHeldCredentials(state_->held);
}

Result<std::unique_ptr<Manager>> NewManager(Env& env, Config config) {
  if (Result<void> valid = Validate(config); !valid) return valid.error();
  if (config.usages.empty()) config.usages = DefaultKubeletClientGetUsages();
  if (config.name.empty()) config.name = config.signer_name;
  Result<std::optional<TimedPair>> first = Stored(env, *config.certificate_store);
  if (!first) return std::move(first).error();
  std::optional<TimedPair> bootstrap;
  if (!*first && !config.bootstrap_certificate_pem.empty()) {
    CertificatePair pair{.cert_pem = config.bootstrap_certificate_pem,
                         .key_pem = config.bootstrap_key_pem};
    Result<TimedPair> timed = Timed(std::move(pair), "the bootstrap certificate");
    if (!timed) return std::move(timed).error();
    bootstrap = *std::move(timed);
  }
  auto state = std::make_shared<Manager::State>(env, std::move(config));
  if (*first) state->Adopt(**std::move(first));
  if (bootstrap) {
    state->Adopt(*std::move(bootstrap));
    state->force = true;
  }
  return std::unique_ptr<Manager>(new Manager(std::move(state)));
}

}  // namespace kinformer::certificate
