// kinformer/base/simulation.h
//
// Simulation: an Env with virtual time, in which only one thread runs at any moment, chosen by a
// seed. Equal seeds give equal runs, with every compiler, so that a failure can be reproduced and
// minimized.
//
//   Simulation sim({.seed = 42});
//   testing::ApiServer server(sim);
//   SharedInformerFactory factory(Client::ForTransport(sim.env(), server.transport()));
//   SharedInformer<corev1::Pod> pods = factory.InformerFor<corev1::Pod>();
//   factory.Start();
//   ASSERT_TRUE(sim.RunUntil([&] { return pods.HasSynced(); }, std::chrono::minutes(5)));
//
// The thread that created the Simulation drives it with the Run functions; outside of them nothing
// else runs. Threads of Env::NewThread are real threads, of which only the chosen one runs; they
// give up their turn when they wait on a Monitor, sleep, or end. Tasks on loop() keep their order,
// and so do those of a loop of Env::NewLoop, which has a simulated thread of its own; whether
// loop, pool or a thread runs next is a random choice. If nothing can run, time jumps to the next
// timer.

#ifndef KINFORMER_BASE_SIMULATION_H_
#define KINFORMER_BASE_SIMULATION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer {

// Options that determine a run.
struct SimulationOptions {
  std::uint64_t seed{1};
  std::shared_ptr<LogSink> log{};          // empty: none
  std::shared_ptr<MetricsSink> metrics{};  // empty: none
  std::shared_ptr<Tracer> tracer{};        // empty: none
  WallTime start{};                        // wall time at the beginning; steady time begins at 1 h
};

// Not thread-safe: belongs to the thread that created it. Destroy users of env() first; threads
// that still wait are then an error.
class Simulation {
 public:
  explicit Simulation(SimulationOptions options = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] Env& env();

  // Runs until `done` returns true (checked between steps). Returns false if `limit` of virtual
  // time passes first or no event is left.
  bool RunUntil(const std::function<bool()>& done, Duration limit);
  // Runs for `duration` of virtual time.
  void RunFor(Duration duration);
  // Suspends the machine for `duration`: its boot-time clock and its wall clock advance, but not
  // its steady clock and the timers that use it.
  void Suspend(Duration duration);
  // Runs everything that can run now, without advancing time.
  void RunReady();
  // Runs a single step. Returns false if nothing can run now.
  bool Step();

  // Calls `body` on a simulated thread and drives the simulation until it returns. For blocking
  // calls in tests: sim.RunBlocking([&] { EXPECT_EQ(queue.Get(), "a"); }); false if it did not
  // return within `limit`.
  bool RunBlocking(Closure body, Duration limit);

  // Returns a hash of all decisions so far: equal for equal runs.
  [[nodiscard]] std::uint64_t TraceHash() const;

 private:
  struct Impl;
  internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_SIMULATION_H_
