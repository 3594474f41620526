// apiserver/store/deadlines.h
//
// Deadlines: one Env timer for all the watches of a server, instead of two for each of them.

#ifndef KINFORMER_APISERVER_STORE_DEADLINES_H_
#define KINFORMER_APISERVER_STORE_DEADLINES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "kinformer/base/env.h"

#include "base/core/own_calls.h"

namespace kinformer::apiserver {

// Runs functions at their times, on the loop. If many are due together, some run in later turns.
// Loop-confined.
class Deadlines {
 public:
  explicit Deadlines(Env& env) : env_(env) {}
  Deadlines(const Deadlines&) = delete;
  Deadlines& operator=(const Deadlines&) = delete;

  using Id = std::pair<SteadyTime, std::uint64_t>;
  Id Add(SteadyTime when, std::function<void()> run);
  // Cancels it: `run` is not called afterwards. No effect if it has run.
  void Remove(const Id& id);

 private:
  void Arm();
  void Run();

  Env& env_;
  std::map<Id, std::function<void()>> entries_;
  std::uint64_t next_ = 1;
  SteadyTime armed_for_{};
  Timer timer_;
  bool coming_ = false;  // Run is scheduled or under way
  const internal::base::OwnCalls own_calls_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_DEADLINES_H_
