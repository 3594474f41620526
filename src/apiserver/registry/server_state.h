// apiserver/registry/server_state.h
//
// ServerState: what the parts of a server share: its resources, the one sequence of
// resourceVersions, and time.

#ifndef KINFORMER_APISERVER_REGISTRY_SERVER_STATE_H_
#define KINFORMER_APISERVER_REGISTRY_SERVER_STATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "kinformer/apiserver/api_server_options.h"
#include "kinformer/env.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/store/background_tasks.h"
#include "apiserver/store/deadlines.h"

namespace kinformer::apiserver {

// Loop-confined.
struct ServerState {
  ServerState(Env& environment, ApiServerOptions server_options)
      : env(environment),
        options(std::move(server_options)),
        deadlines(environment),
        resources({.max_events = options.history_events,
                   .max_age = options.history_age,
                   .floor = options.first_resource_version.value_or(1)}),
        resource_version(options.first_resource_version.value_or(1)),
        tasks_(environment) {}

  // Up to which resourceVersion states are forgotten as time goes by, whatever has been written: as
  // etcd is compacted every `history_age`, which is a version of its own. To be asked where an
  // earlier state may be wanted, or a page of the latest is given away.
  std::int64_t CompactedVersion() {
    const SteadyTime now = env.Now();
    if (!next_compaction_) next_compaction_ = now + options.history_age;
    if (now < *next_compaction_) return compacted_version_;
    const bool twice = now >= *next_compaction_ + options.history_age;
    compacted_version_ = twice ? resource_version : next_compacted_version_;
    next_compacted_version_ = resource_version++;
    next_compaction_ = now + options.history_age;
    VersionReached();
    return compacted_version_;
  }

  Env& env;
  const ApiServerOptions options;
  Deadlines deadlines;
  ResourceTable resources;
  std::int64_t resource_version;
  std::uint64_t writes = 0;
  Duration clock_skew{0};  // of the clock by which what is written just now is dated
  [[nodiscard]] WallTime WallNow() const { return env.WallNow() + clock_skew; }

  // Calls `run` once the sequence has reached that resourceVersion, from inside the write that does
  // it. The id takes it back.
  using WaitId = std::pair<std::int64_t, std::uint64_t>;
  WaitId WaitFor(std::int64_t version, std::function<void()> run) {
    const WaitId id(version, next_wait_++);
    waits_.emplace(id, std::move(run));
    return id;
  }
  void CancelWait(const WaitId& id) { waits_.erase(id); }
  void VersionReached() {
    while (!waits_.empty() && waits_.begin()->first.first <= resource_version) {
      const auto wait = waits_.extract(waits_.begin());
      wait.mapped()();
    }
  }

  // Takes away a reference to something of about that many bytes, where it may take long to destroy
  // it; none: nobody minds.
  std::function<void(std::shared_ptr<const void> garbage, std::size_t bytes)> discard;

  // Runs `task` in a later turn of the loop unless the server has gone by then.
  void Post(std::function<void()> task) { tasks_.Post(std::move(task)); }

 private:
  std::optional<SteadyTime> next_compaction_;
  std::int64_t compacted_version_ = 0;
  std::int64_t next_compacted_version_ = 0;
  std::map<WaitId, std::function<void()>> waits_;
  std::uint64_t next_wait_ = 1;
  BackgroundTasks tasks_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_SERVER_STATE_H_
