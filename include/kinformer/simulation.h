// kinformer/simulation.h
//
// Simulation: an Env in which time is virtual and only one thread runs at any moment, chosen by a
// seed. The same seed gives the same run, under every compiler, so a failure can be replayed and
// shrunk.
//
//   Simulation sim({.seed = 42});
//   testing::ApiServer server(sim);
//   SharedInformerFactory factory(Client::ForTransport(sim.env(), server.transport()));
//   SharedInformer<corev1::Pod> pods = factory.InformerFor<corev1::Pod>();
//   factory.Start();
//   ASSERT_TRUE(sim.RunUntil([&] { return pods.HasSynced(); }, std::chrono::minutes(5)));
//
// The thread that made the Simulation drives it through the Run functions; while it is outside them
// nothing else runs. Threads made by Env::NewThread are real threads, of which only the chosen one
// is ever awake; they give up the turn when they wait on a Monitor, sleep, or end. Tasks on loop()
// keep their order among themselves, and so do those of a loop made by Env::NewLoop, which has a
// simulated thread of its own; which of loop, pool and threads goes next is drawn. When nothing is
// runnable, time jumps to the next timer.

#ifndef KINFORMER_SIMULATION_H_
#define KINFORMER_SIMULATION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kinformer/env.h"

namespace kinformer {

// What a run depends on.
struct SimulationOptions {
  std::uint64_t seed{1};
  std::shared_ptr<LogSink> log{};          // empty: none
  std::shared_ptr<MetricsSink> metrics{};  // empty: none
  WallTime start{};                        // wall time at the beginning; steady time begins at 1 h
};

// Not thread-safe: belongs to the thread that made it. Destroy what uses env() first; threads still
// waiting are then an error.
class Simulation {
 public:
  explicit Simulation(SimulationOptions options = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] Env& env();

  // Runs until `done` holds (checked between steps); false if `limit` of virtual time passes first
  // or nothing can ever happen again.
  bool RunUntil(const std::function<bool()>& done, Duration limit);
  // Runs for that long in virtual time.
  void RunFor(Duration duration);
  // The machine is suspended for that long: its boot-time clock and its wall clock go on, its
  // steady clock and what waits for that do not.
  void Suspend(Duration duration);
  // Runs what is runnable now without letting time pass.
  void RunReady();
  // Runs a single step, if there is one; false if nothing is runnable now.
  bool Step();

  // Calls `body` on a simulated thread and drives the simulation until it returns. For blocking
  // calls in tests: sim.RunBlocking([&] { EXPECT_EQ(queue.Get(), "a"); }); false if it did not
  // return within `limit`.
  bool RunBlocking(Task body, Duration limit);

  // A hash over every decision so far: equal for equal runs.
  [[nodiscard]] std::uint64_t TraceHash() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_SIMULATION_H_
