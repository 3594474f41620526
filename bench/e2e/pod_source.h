// e2e/pod_source.h
//
// PodSource: a ListerWatcher of the made-up cluster's pods in this process, for measurements of
// what an informer keeps: no server's and no network's memory is in them.

#ifndef KINFORMER_BENCH_E2E_POD_SOURCE_H_
#define KINFORMER_BENCH_E2E_POD_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/env.h"
#include "kinformer/list_watch.h"

namespace kinformer::bench {

// Sends what it is told to in pieces of 64 objects, each in a turn of the loop. The methods return
// at once, with the resourceVersion that the informer will have when it has got all of it: wait for
// that before the next. For one informer, which must be gone before; the methods are for one
// thread.
class PodSource {
 public:
  // Makes the pods, and keeps a message of each; of a million that takes a minute.
  PodSource(Env& env, std::size_t pods);
  ~PodSource();
  PodSource(const PodSource&) = delete;
  PodSource& operator=(const PodSource&) = delete;

  [[nodiscard]] std::unique_ptr<ListerWatcher> NewListWatch();

  // The watch ends with 410 Expired, so that the informer lists again. `change`: every pod has
  // changed meanwhile.
  [[nodiscard]] std::string Expire(bool change);
  // So many events, each of a random pod: a version with up to a fifth more bytes than the bare pod
  // has, of a field that the schema lacks and that hardly compresses.
  [[nodiscard]] std::string Update(std::size_t events);
  // Deletes random pods until so many are left.
  [[nodiscard]] std::string DeleteAllBut(std::size_t left);

 private:
  class State;
  class Watcher;
  Env& env_;
  const std::shared_ptr<State> state_;
  // As they will be once the loop has done what it was told.
  std::size_t left_;
  std::uint64_t version_;
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_E2E_POD_SOURCE_H_
