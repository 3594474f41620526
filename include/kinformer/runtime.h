// kinformer/runtime.h
//
// Runtime: the real Env, with its threads: one event loop, a pool that runs handlers and grows when they are slow.
//
// Make one after fork(). Most programs never name it: Client::FromEnvironment() makes one and keeps it.

#ifndef KINFORMER_RUNTIME_H_
#define KINFORMER_RUNTIME_H_

#include <cstddef>
#include <memory>
#include <string>

#include "kinformer/env.h"
#include "kinformer/metrics.h"

namespace kinformer {

struct RuntimeOptions {
  std::string name{"kinformer"};  // first part of the threads' names
  std::size_t max_handler_threads{
      16};  // the pool starts with two and adds one when a runnable handler waited 10 ms
  std::shared_ptr<LogSink> log{};          // empty: warnings and errors on stderr
  std::shared_ptr<MetricsSink> metrics{};  // empty: none
};

// Owns threads. Its threads block all signals. Thread-safe.
//
// Destruction stops the loop (tasks not yet run are destroyed), lets running handler callbacks finish and joins all threads.
// It must not happen on one of them. Everything that was given env() must be gone before; Refs and Snapshots need not.
class Runtime {
 public:
  explicit Runtime(RuntimeOptions options = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] Env& env();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_RUNTIME_H_
