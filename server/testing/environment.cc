#include "kinformer/testing/environment.h"

#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "testing/replica_transport.h"
#include "testing/webhook_gate.h"

namespace kinformer::testing {
namespace {

constexpr std::size_t kScheduleLines = 500;

// Log of the simulation's events, for people.
class Diary {
 public:
  explicit Diary(Simulation& simulation) : env_(simulation.env()), start_(simulation.env().Now()) {}

  void Note(const std::string& line) {
    const std::chrono::duration<double> since = env_.Now() - start_;
    char time[32];
    std::snprintf(time, sizeof time, "%.3f s ", since.count());
    if (lines_.size() == kScheduleLines) lines_.pop_front();
    lines_.push_back(time + line);
  }
  void Write(const std::string& line) {
    ++writes_;
    Note(line);
  }
  [[nodiscard]] std::string Text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }

 private:
  Env& env_;
  const SteadyTime start_;
  std::deque<std::string> lines_;
  std::uint64_t writes_ = 0;
};

ManagerOptions OptionsOf(const EnvironmentOptions& options, const std::string& replica,
                         int incarnation) {
  ManagerOptions manager = options.manager;
  manager.metrics_bind_address = "0";
  manager.health_probe_bind_address = "0";
  manager.serve_webhooks = false;
  if (!manager.leader_election) return manager;
  if (manager.leader_election_namespace.empty()) manager.leader_election_namespace = "default";
  manager.leader_election_identity = replica;
  if (incarnation > 1) manager.leader_election_identity += "-" + std::to_string(incarnation);
  return manager;
}

}  // namespace

struct Replica::Impl {
  Impl(Env& e, Diary& d, std::string n, std::optional<Fake> f)
      : env(e), diary(d), name(std::move(n)), fake(std::move(f)) {}

  void Begin(ApiServer& server, ReplicaFaults::OnSend on_send, ManagerOptions options,
             const std::function<void(Manager&)>& setup) {
    faults = std::make_shared<ReplicaFaults>(
        std::move(on_send),
        [this](const HttpRequest& request, const std::string& answer) {
          diary.Write(name + " " + request.method + " " +
                      request.target.substr(0, request.target.find('?')) + ": " + answer);
        },
        [this] {
          diary.Note(name + " has crashed");
          stop.request_stop();
        });
    if (options.leader_election && !options.leader_election_client) {
      leases = env.NewLoop("leases");
      options.leader_election_client = ClientOn(leases->env(), server);
    }
    manager = Manager::New(ClientOn(env, server), std::move(options)).OrExit();
    setup(*manager);
    diary.Note(name + " starts");
    thread = env.NewThread(name, [this] {
      result = manager->Start(stop.get_token());
      ended = true;
      diary.Note(name + " has ended" + (result.ok() ? "" : ": " + result.error().ToString()));
    });
  }
  Client ClientOn(Env& loop, ApiServer& server) {
    std::shared_ptr<Transport> wire = server.transport();
    // A transport belongs to one loop.
    if (&loop != &env) {
      wire = server.With([&](apiserver::ApiServer& api) {
        return std::shared_ptr<Transport>(NewInMemoryTransport(loop, api));
      });
    }
    wire = std::make_shared<ReplicaTransport>(loop, std::move(wire), faults);
    if (fake) wire = fake->Over(loop, std::move(wire));
    return Client::ForTransport(loop, std::move(wire));
  }
  void End() {
    stop.request_stop();
    if (thread != nullptr) thread->Join();
    thread.reset();
  }

  Env& env;
  Diary& diary;
  const std::string name;
  const std::optional<Fake> fake;
  std::shared_ptr<ReplicaFaults> faults;
  std::unique_ptr<Loop> leases;  // null without election; outlives what is on it
  std::unique_ptr<Manager> manager;
  std::stop_source stop;
  std::unique_ptr<Thread> thread;
  Result<void> result{};
  bool ended = false;
};

Replica::Replica(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replica::~Replica() { impl_->End(); }

const std::string& Replica::name() const { return impl_->name; }
Manager& Replica::manager() const { return *impl_->manager; }
bool Replica::running() const { return !impl_->ended && !crashed(); }
bool Replica::crashed() const { return impl_->faults->crashed(); }
Result<void> Replica::result() const { return impl_->result; }

void Replica::Stop() {
  impl_->diary.Note(impl_->name + " is asked to stop");
  impl_->End();
}

void Replica::Crash() {
  impl_->faults->Crash();
  impl_->End();
}

void Replica::CrashAtWrite(int n) { impl_->faults->CrashAtWrite(n); }

void Replica::DelayWatches(Duration delay) {
  impl_->diary.Note("watches of " + impl_->name + " are late");
  impl_->faults->DelayWatches(delay);
}

void Replica::LoseLeases(Duration duration) {
  impl_->diary.Note(impl_->name + " cannot renew leases");
  impl_->faults->LoseLeases(impl_->env.Now() + duration);
}

void Replica::Disconnect(Duration duration) {
  impl_->diary.Note(impl_->name + " is cut off");
  impl_->faults->Disconnect(impl_->env.Now() + duration);
}

struct Environment::Impl {
  explicit Impl(EnvironmentOptions with)
      : options(std::move(with)),
        simulation({.seed = options.seed,
                    .log = options.log,
                    .metrics = options.metrics,
                    .start = options.start}),
        gate(std::make_shared<WebhookGate>(simulation.env())),
        server(simulation, ServerOptions()),
        diary(simulation) {}

  [[nodiscard]] apiserver::ApiServerOptions ServerOptions() const {
    apiserver::ApiServerOptions out = options.server;
    out.webhook_transport = [gate = gate, own = options.server.webhook_transport](
                                const apiserver::WebhookAddress& address) {
      std::shared_ptr<Transport> transport = own ? own(address) : nullptr;
      return transport != nullptr ? transport : gate;
    };
    return out;
  }

  const EnvironmentOptions options;
  Simulation simulation;
  const std::shared_ptr<WebhookGate> gate;
  std::unique_ptr<WebhookServer> webhooks;
  ApiServer server;
  Diary diary;
  std::map<std::string, int> incarnations;
  std::vector<std::unique_ptr<Replica>> replicas;
};

Environment::Environment(EnvironmentOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

Environment::~Environment() {
  if (impl_->options.failed && impl_->options.failed()) {
    std::fprintf(stderr, "%s", Schedule().c_str());
  }
  // All replicas end before any is destroyed: the end of one may call the webhooks of another.
  for (const auto& replica : impl_->replicas) replica->impl_->End();
  impl_->gate->Close();
}

Simulation& Environment::simulation() { return impl_->simulation; }
Env& Environment::env() { return impl_->simulation.env(); }
ApiServer& Environment::server() { return impl_->server; }
Client Environment::client() {
  return Client::ForTransport(env(), impl_->server.transport(), {.qps = -1});
}

Replica& Environment::AddReplica(const std::string& name,
                                 const std::function<void(Manager&)>& setup) {
  auto impl = std::make_unique<Replica::Impl>(env(), impl_->diary, name, impl_->options.fake);
  Replica::Impl& replica = *impl;
  impl_->replicas.push_back(std::unique_ptr<Replica>(new Replica(std::move(impl))));
  ReplicaFaults::OnSend on_send =
      [this, self = impl_->replicas.back().get()](const HttpRequest& request) {
        if (impl_->options.on_write) impl_->options.on_write(*self, request);
      };
  replica.Begin(impl_->server, std::move(on_send),
                OptionsOf(impl_->options, name, ++impl_->incarnations[name]), setup);
  return *impl_->replicas.back();
}

WebhookServer& Environment::webhooks() {
  if (impl_->webhooks == nullptr) {
    impl_->webhooks = std::make_unique<WebhookServer>(env());
    impl_->gate->Serve(*impl_->webhooks, [] { return true; });
  }
  return *impl_->webhooks;
}

void Environment::ServeWebhooks(const Replica& replica) {
  impl_->gate->Serve(replica.manager().GetWebhookServer(),
                     [&replica] { return replica.running(); });
}

void Environment::DelayWebhooks(Duration delay) {
  const bool late = delay > Duration::zero();
  impl_->diary.Note(late ? "webhooks are late" : "webhooks are in time");
  impl_->gate->Delay(delay);
}

void Environment::FailWebhooks(Duration duration) {
  impl_->diary.Note("webhooks fail");
  impl_->gate->Fail(env().Now() + duration);
}

void Environment::DisconnectWebhooks(Duration duration) {
  impl_->diary.Note("webhooks are cut off");
  impl_->gate->Disconnect(env().Now() + duration);
}

void Environment::RunFor(Duration duration) { impl_->simulation.RunFor(duration); }

bool Environment::RunUntil(const std::function<bool()>& done, Duration limit) {
  constexpr int kSteps = 64;
  SteadyTime asked = SteadyTime::min();
  int steps = 0;
  const auto sometimes = [&] {
    const SteadyTime now = env().Now();
    if (now == asked && ++steps < kSteps) return false;
    asked = now;
    steps = 0;
    return done();
  };
  // At the time limit, or without further events, the last steps have not been checked yet.
  return impl_->simulation.RunUntil(sometimes, limit) || done();
}

bool Environment::Settle(Duration quiet, Duration limit) {
  const SteadyTime begun = env().Now();
  while (env().Now() - begun < limit) {
    const std::uint64_t before = impl_->diary.writes();
    impl_->simulation.RunFor(quiet);
    if (impl_->diary.writes() == before) return true;
  }
  return false;
}

bool Environment::Blocking(const std::function<void()>& body, Duration limit) {
  return impl_->simulation.RunBlocking(body, limit);
}

std::uint64_t Environment::writes() const { return impl_->diary.writes(); }

std::string Environment::Schedule() const {
  return "seed " + std::to_string(impl_->options.seed) + "\n" + impl_->diary.Text();
}

}  // namespace kinformer::testing
