// kinformer/testing/environment.h
//
// testing::Environment: an API server, the replicas of an operator and a clock, for the tests of
// controllers. All of it runs in simulated time, where an hour passes in a moment, nothing is left
// to chance but what the seed draws, and whatever may go wrong can be made to.
//
//   kinformer::testing::Environment env({.failed = HasFailure});  // GoogleTest's
//   auto& replica = env.AddReplica("a", [](Manager& manager) {
//     ControllerBuilder(manager).For<corev1::Pod>().Complete(ReconcilePod).OrExit();
//   });
//   env.server().Load(manifests).OrExit();
//   ASSERT_TRUE(env.Settle());
//   replica.CrashAtWrite(2);
//
// A test that runs with many seeds finds what one order of events hides. One that fails prints its
// seed, and what the replicas wrote, when and with which answer.
//
// In a file that says `using namespace kinformer`, the word `testing` may mean this namespace or
// GoogleTest's: name GoogleTest's with two colons in front.
//
// Link kinformer::testing. Counterpart: controller-runtime's envtest, which runs a real server in
// real time and cannot do any of the rest.

#ifndef KINFORMER_TESTING_ENVIRONMENT_H_
#define KINFORMER_TESTING_ENVIRONMENT_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/client.h"
#include "kinformer/env.h"
#include "kinformer/manager.h"
#include "kinformer/result.h"
#include "kinformer/simulation.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/transport.h"
#include "kinformer/webhook_server.h"

namespace kinformer::testing {

class Replica;

// What a test runs in.
struct EnvironmentOptions {
  // Runs with equal seeds are equal.
  std::uint64_t seed{1};
  // What the wall clock shows at the beginning: where 1970 would make everything look old.
  WallTime start{};
  // Asked at the end: whether the test has failed, so that seed and schedule are to be printed on
  // stderr. With GoogleTest HasFailure of its class Test. Empty: never.
  std::function<bool()> failed{};
  apiserver::ApiServerOptions server{};
  // Called for each write of a replica before the server has it; Leases and events do not count.
  // For what must hold of every write, such as that its replica leads. May not block.
  std::function<void(const Replica& replica, const HttpRequest& request)> on_write{};
  // Of every replica. Its servers are off; with leader election, the namespace is "default" where
  // there is none, the identity is the replica's name, and Leases have a loop of their own, as
  // those of a manager with a Config: what stalls the replica delays no renewal.
  ManagerOptions manager{};
  // Of the simulation.
  std::shared_ptr<LogSink> log{};
  std::shared_ptr<MetricsSink> metrics{};
};

class Environment;

// A process that runs a manager, as far as a test can tell. Methods are for the test's thread.
class Replica {
 public:
  ~Replica();
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

  [[nodiscard]] const std::string& name() const;
  // REQUIRES: running().
  [[nodiscard]] Manager& manager() const;
  // Its manager has not ended, and it has not crashed.
  [[nodiscard]] bool running() const;
  [[nodiscard]] bool crashed() const;
  // What Manager::Start has returned. OK while it has not.
  [[nodiscard]] Result<void> result() const;

  // Asks it to end, as SIGTERM does, and waits for that.
  void Stop();
  // As kill -9: from now on nothing that it says reaches the server, and it hears nothing.
  void Crash();
  // It crashes at the n-th write from now on: the server does what it is asked, and the replica
  // never learns of it. Leases and events do not count. 0: it does not, after all.
  void CrashAtWrite(int n);
  // What watches say reaches it so much later, from now on: it reads what was. 0: at once again. A
  // watch that says nothing for a minute or more is taken for dead, and opened anew.
  void DelayWatches(Duration delay);
  // Its Leases are not answered for so long. Past the renew deadline it has lost its leadership,
  // and soon another replica leads.
  void LoseLeases(Duration duration);
  // Nothing of it reaches the server for so long.
  void Disconnect(Duration duration);

 private:
  friend class Environment;
  struct Impl;
  explicit Replica(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

// Belongs to one thread, the test's, which drives it: replicas and server work while that is in
// one of the methods that let time pass. Destruction ends all replicas.
class Environment {
 public:
  explicit Environment(EnvironmentOptions options = {});
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  [[nodiscard]] Simulation& simulation();
  [[nodiscard]] Env& env();
  // Objects, and the server's own faults.
  [[nodiscard]] ApiServer& server();
  // Of somebody else: what is done to replicas does not happen to it. Its calls block, so they are
  // made inside Blocking.
  [[nodiscard]] Client client();

  // Starts a replica whose manager has what `setup` gives it. The reference stays until the end of
  // the Environment. A replica that has ended is started again by another call, with its name or
  // another.
  Replica& AddReplica(const std::string& name, const std::function<void(Manager&)>& setup);

  // ---- Webhooks of admission and of conversion. Whatever address a configuration or a definition
  // names leads to one server of webhooks, in memory; where ApiServerOptions::webhook_transport
  // gives a transport for it, to that. Before the first call of one of these two it leads nowhere.
  // A server of webhooks for what no replica serves.
  [[nodiscard]] WebhookServer& webhooks();
  // Those on Manager::GetWebhookServer of a replica, whose setup has registered them: from now on,
  // in place of the ones before, and for as long as it runs.
  void ServeWebhooks(const Replica& replica);
  // What webhooks answer comes so much later, from now on. 0: at once again.
  void DelayWebhooks(Duration delay);
  // Each question is answered with a 500 for so long.
  void FailWebhooks(Duration duration);
  // No question reaches them for so long.
  void DisconnectWebhooks(Duration duration);

  void RunFor(Duration duration);
  // False: `done` did not hold within `limit`.
  // `done` may be costly, such as a list: it is asked whenever time has passed, and at every 64th
  // step of one moment, not at each as Simulation::RunUntil asks. True: it holds.
  bool RunUntil(const std::function<bool()>& done, Duration limit = std::chrono::hours(1));
  // Lets time pass until no replica has written for `quiet` (Leases and events do not count).
  // False: that did not happen within `limit`: the replicas do not come to rest.
  bool Settle(Duration quiet = std::chrono::minutes(5), Duration limit = std::chrono::hours(6));
  // Calls `body`, which may block, on a simulated thread. False: it did not return within `limit`.
  bool Blocking(const std::function<void()>& body, Duration limit = std::chrono::hours(1));

  // How often the replicas have written, all together.
  [[nodiscard]] std::uint64_t writes() const;
  // The seed, and the last 500 writes and what was done to replicas, a line each: "12.345 s a
  // PATCH /api/v1/namespaces/default/pods/x: 200".
  [[nodiscard]] std::string Schedule() const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_ENVIRONMENT_H_
