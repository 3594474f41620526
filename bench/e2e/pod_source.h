// e2e/pod_source.h
//
// PodSource: a ListerWatcher of the simulated cluster's pods in this process, to measure the memory
// of an informer without the memory of a server and a network.

#ifndef KINFORMER_BENCH_E2E_POD_SOURCE_H_
#define KINFORMER_BENCH_E2E_POD_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/lister_watcher.h"

namespace kinformer::bench {

// Sends the requested objects in pieces of 64, each in a turn of the loop. The methods return at
// once, with the resourceVersion that the informer will have when it has received all of them: wait
// for that version before the next call. For one informer, which must be destroyed before this.
// Call the methods on one thread only.
class PodSource {
 public:
  // Makes the pods and keeps a message of each; a million of them takes a minute.
  PodSource(Env& env, std::size_t pods);
  ~PodSource();
  PodSource(const PodSource&) = delete;
  PodSource& operator=(const PodSource&) = delete;

  [[nodiscard]] std::unique_ptr<ListerWatcher> NewListWatch();

  // Ends the watch with 410 Expired, so that the informer lists again. `change`: all pods have
  // changed in the meantime.
  [[nodiscard]] std::string Expire(bool change);
  // Sends events for random pods. Each has a version with up to a fifth more bytes than the bare
  // pod, in an unknown field whose content hardly compresses.
  [[nodiscard]] std::string Update(std::size_t events);
  // Deletes random pods until `left` are left.
  [[nodiscard]] std::string DeleteAllBut(std::size_t left);

 private:
  class State;
  class Watcher;
  Env& env_;
  const std::shared_ptr<State> state_;
  // State after the loop has done everything requested.
  std::size_t left_;
  std::uint64_t version_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_E2E_POD_SOURCE_H_
