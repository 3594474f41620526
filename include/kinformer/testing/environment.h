// kinformer/testing/environment.h
//
// testing::Environment: an API server, replicas of an operator and a clock, for tests of
// controllers. Everything runs in simulated time, where an hour passes in a moment; all randomness
// comes from the seed, and the test can inject faults.
//
//   kinformer::testing::Environment env({.failed = HasFailure});  // GoogleTest's
//   auto& replica = env.AddReplica("a", [](Manager& manager) {
//     ControllerBuilder(manager).For<corev1::Pod>().Complete(ReconcilePod).OrExit();
//   });
//   env.server().Load(manifests).OrExit();
//   ASSERT_TRUE(env.Settle());
//   replica.CrashAtWrite(2);
//
// A test that runs with many seeds finds bugs that depend on the order of events. A failed test
// prints its seed, and the writes of the replicas with their times and answers.
//
// In a file with `using namespace kinformer`, the name `testing` is ambiguous: put two colons in
// front of GoogleTest's.
//
// Link kinformer::testing. Counterpart: controller-runtime's envtest, which runs a real server in
// real time, without replicas and faults.

#ifndef KINFORMER_TESTING_ENVIRONMENT_H_
#define KINFORMER_TESTING_ENVIRONMENT_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport.h"
#include "kinformer/controller/manager.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/testing/fake.h"
#include "kinformer/webhook/webhook_server.h"

namespace kinformer::testing {

class Replica;

// Options of an Environment.
struct EnvironmentOptions {
  // Seed of all random choices: equal seeds give equal runs.
  std::uint64_t seed{1};
  // Wall time at the beginning; set it if 1970 would make objects look too old.
  WallTime start{};
  // Returns true at the end if the test has failed; seed and schedule are then printed on stderr.
  // With GoogleTest: HasFailure of its class Test. Empty: nothing is printed.
  std::function<bool()> failed{};
  apiserver::ApiServerOptions server{};
  // Called for each write of a replica before the server gets it; not for Leases and events. To
  // check conditions that hold for every write, such as that the replica leads. Must not block.
  std::function<void(const Replica& replica, const HttpRequest& request)> on_write{};
  // Options of every replica's manager. Its servers are off. With leader election, the namespace is
  // "default" if none is set, the identity is the replica's name, and Leases have a loop of their
  // own, as in a manager with a Config, so that a slow replica does not delay its renewals.
  ManagerOptions manager{};
  // Log of the requests of all replicas, Leases and events included, and reactors to them. What it
  // answers reaches neither the faults of a replica nor the server.
  std::optional<Fake> fake{};
  // Sinks of the simulation.
  std::shared_ptr<LogSink> log{};
  std::shared_ptr<MetricsSink> metrics{};
};

class Environment;

// A simulated process that runs a manager. Methods are for the test's thread.
class Replica {
 public:
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  [[nodiscard]] const std::string& name() const;
  // Returns the replica's manager. REQUIRES: running().
  [[nodiscard]] Manager& manager() const;
  // Returns true until its manager has ended or it has crashed.
  [[nodiscard]] bool running() const;
  [[nodiscard]] bool crashed() const;
  // Returns the result of Manager::Start; OK while that has not returned.
  [[nodiscard]] Result<void> result() const;

  // Stops it, as SIGTERM does, and waits for its end.
  void Stop();
  // Crashes it, as kill -9: it has no more contact with the server, in either direction.
  void Crash();
  // Crashes it at its n-th write from now on: the server performs the write, and the replica gets
  // no answer. Leases and events do not count. 0: cancels this.
  void CrashAtWrite(int n);
  // Delays its watch events from now on, so that it reads old states. 0: no delay. A watch that
  // gets nothing for a minute or more is considered dead, and opened again.
  void DelayWatches(Duration delay);
  // Leaves its Lease requests unanswered for `duration`. If that exceeds the renew deadline, it
  // loses its leadership, and another replica takes over.
  void LoseLeases(Duration duration);
  // Cuts its connection to the server for `duration`.
  void Disconnect(Duration duration);

 private:
  friend class Environment;
  struct Impl;
  explicit Replica(std::unique_ptr<Impl> impl);
  const kinformer::internal::Pimpl<Impl> impl_;
};

// A test's cluster. Belongs to the test's thread, which drives it: replicas and server run while
// the thread is in one of the methods that advance time. Destruction stops all replicas.
class Environment {
 public:
  explicit Environment(EnvironmentOptions options = {});
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  [[nodiscard]] Simulation& simulation();
  [[nodiscard]] Env& env();
  // Returns the server, to create objects and inject faults.
  [[nodiscard]] ApiServer& server();
  // Returns a client that is not affected by faults of replicas. Its calls block: use them inside
  // Blocking.
  [[nodiscard]] Client client();

  // Starts a replica, whose manager is configured by `setup`. The reference is valid until the end
  // of the Environment. To restart a replica that has ended, call it again, with the same name or
  // another.
  Replica& AddReplica(const std::string& name, const std::function<void(Manager&)>& setup);

  // ---- Webhooks of admission and of conversion. All addresses in configurations and definitions
  // lead to one webhook server, in memory, unless ApiServerOptions::webhook_transport returns a
  // transport. Before the first call of webhooks or ServeWebhooks they lead nowhere.
  // Returns a server for webhooks that no replica serves.
  [[nodiscard]] WebhookServer& webhooks();
  // Makes the webhooks on Manager::GetWebhookServer of a replica, which its setup has registered,
  // answer from now on, instead of the previous ones, as long as the replica runs.
  void ServeWebhooks(const Replica& replica);
  // Delays the answers of webhooks from now on. 0: no delay.
  void DelayWebhooks(Duration delay);
  // Answers all questions to webhooks with 500 for `duration`.
  void FailWebhooks(Duration duration);
  // Cuts the connection to webhooks for `duration`.
  void DisconnectWebhooks(Duration duration);

  void RunFor(Duration duration);
  // Advances time until `done` returns true. False: that did not happen within `limit`. `done` may
  // be slow, such as a list: it is called whenever time has advanced, and at every 64th step of one
  // moment, not at each step as in Simulation::RunUntil.
  bool RunUntil(const std::function<bool()>& done, Duration limit = std::chrono::hours(1));
  // Advances time until no replica has written for `quiet` (Leases and events do not count). False:
  // that did not happen within `limit`; the replicas do not settle.
  bool Settle(Duration quiet = std::chrono::minutes(5), Duration limit = std::chrono::hours(6));
  // Calls `body`, which may block, on a simulated thread. False: it did not return within `limit`.
  bool Blocking(const std::function<void()>& body, Duration limit = std::chrono::hours(1));

  // Returns the number of writes of all replicas.
  [[nodiscard]] std::uint64_t writes() const;
  // Returns the seed, and the last 500 writes and faults, one per line: "12.345 s a PATCH
  // /api/v1/namespaces/default/pods/x: 200".
  [[nodiscard]] std::string Schedule() const;

 private:
  struct Impl;
  const kinformer::internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_ENVIRONMENT_H_
