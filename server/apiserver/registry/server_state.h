// apiserver/registry/server_state.h
//
// ServerState: state shared by the parts of a server: resources, the global sequence of
// resourceVersions, and time.

#ifndef KINFORMER_APISERVER_REGISTRY_SERVER_STATE_H_
#define KINFORMER_APISERVER_REGISTRY_SERVER_STATE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kinformer/apiserver/api_server_options.h"
#include "kinformer/base/env.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/shared_commits.h"
#include "apiserver/registry/state_keeper.h"
#include "apiserver/store/background_tasks.h"
#include "apiserver/store/deadlines.h"

namespace kinformer::apiserver {

class Authorizer;  // apiserver/authorization/authorizer.h

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

  // Returns whether the version may have been seen, but was lost when an earlier server with this
  // storage was killed.
  [[nodiscard]] bool IsLost(std::int64_t version) const {
    return std::any_of(lost.begin(), lost.end(), [version](const LostVersions& versions) {
      return version > versions.first && version < versions.last;
    });
  }

  // Returns the resourceVersion up to which history is compacted by time, independent of writes, as
  // etcd is compacted every `history_age`. A compaction takes a version of its own. Call it when an
  // earlier state may be requested, and when a page of the latest state is sent.
  std::int64_t CompactedVersion() {
    if (shared != nullptr) return 0;  // versions are made elsewhere
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
  std::unique_ptr<StateKeeper> keeper{};  // null: all is gone when the server ends
  std::vector<LostVersions> lost{};
  std::unique_ptr<SharedCommits> shared{};  // null: this server alone writes
  // Returns whether this server does what one of several servers has to do.
  [[nodiscard]] bool acts() const { return shared == nullptr || shared->leads(); }
  const Authorizer* authorizer = nullptr;  // null: everybody may do everything
  Duration clock_skew{0};                  // offset of the clock for the write under way
  [[nodiscard]] WallTime WallNow() const { return env.WallNow() + clock_skew; }

  // Calls `run` once the sequence reaches that resourceVersion, inside the write that does so.
  // CancelWait(id) cancels it.
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

  // Releases a reference to an object of about `bytes` bytes where its destruction may take long;
  // empty: it is destroyed in place.
  std::function<void(std::shared_ptr<const void> garbage, std::size_t bytes)> discard;

  // Runs `task` in a later turn of the loop, unless the server is destroyed before.
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
