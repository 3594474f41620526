// kinformer/testing/polling.h
//
// testing::Clock: the time in which a test looks at something again and again. For Eventually and
// Consistently (eventually.h), and for tests without GoogleTest:
//
//   kinformer::testing::Environment env;
//   bool gone = kinformer::testing::Clock(env).Poll(
//       [&] { return !env.server().Get({"", "v1", "pods"}, {"default", "web-0"}).ok(); });

#ifndef KINFORMER_TESTING_POLLING_H_
#define KINFORMER_TESTING_POLLING_H_

#include <functional>

#include "kinformer/base/env.h"
#include "kinformer/base/time_span.h"

namespace kinformer {
class Client;      // client.h
class Simulation;  // simulation.h
}  // namespace kinformer

namespace kinformer::testing {

class ApiServer;
class Environment;

// How long a poll lasts, and how often it looks. 0: 10 seconds and 20 milliseconds; in simulated
// time, where that costs nothing, 10 minutes and a second.
struct PollOptions {
  TimeSpan within{};
  TimeSpan every{};
};

// A value. Its Env, if it has one, must outlive it. The thread that drives a simulation may poll,
// which advances the simulated time, and so may simulated threads.
class Clock {
 public:
  Clock() = default;  // real time
  // NOLINTBEGIN(google-explicit-constructor): each of them has the time of a test
  Clock(Environment& environment);
  Clock(Simulation& simulation);
  Clock(ApiServer& server);     // real or simulated
  Clock(const Client& client);  // taken for real
  Clock(Env& env) : env_(&env) {}
  // NOLINTEND(google-explicit-constructor)

  // Calls `look` at once, then every `options.every`, and at the end of `options.within`, until it
  // returns true. False: it did not do so. Blocks; not for a loop, where it looks never.
  [[nodiscard]] bool Poll(const std::function<bool()>& look, PollOptions options = {}) const;
  // Returns the options with this clock's values in place of 0.
  [[nodiscard]] PollOptions Filled(PollOptions options) const;
  [[nodiscard]] bool simulated() const { return simulated_; }

 private:
  Clock(Env& env, bool simulated) : env_(&env), simulated_(simulated) {}

  Env* env_ = nullptr;
  bool simulated_ = false;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_POLLING_H_
