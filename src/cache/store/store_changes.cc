// The changes of a StoreCore since one of its versions.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/mutex.h"
#include "cache/store/change_log.h"
#include "cache/store/store_core.h"
#include "cache/store/store_state.h"

namespace kinformer::internal::cache {

namespace {

Error Expired(const std::string& why) {
  return Error(Reason::kExpired, why + "; take a Snapshot, and compare it with what you know");
}

}  // namespace

void StoreCore::KeepChanges(std::size_t events, std::size_t bytes) const {
  const base::MutexLock lock(state_->change_log_mutex);
  if (state_->change_log == nullptr) state_->change_log = std::make_shared<ChangeLog>();
  state_->change_log->Widen(events, bytes);
  state_->keeps_changes.store(true, std::memory_order_release);
}

Result<NetChanges> StoreCore::ChangesSince(std::uint64_t version, std::uint64_t epoch) const {
  NetChanges result{.snapshot = Snapshot()};
  const SnapshotCore& now = *result.snapshot;
  if (version > now.version()) {
    return Error(Reason::kInvalidArgument, "the store has not been at version " +
                                               std::to_string(version) +
                                               " yet: it is that of another store");
  }
  if (epoch != now.epoch()) {
    return Expired("the server went back in time since version " + std::to_string(version) +
                   ", which is of another epoch");
  }
  if (version == now.version()) return result;
  std::shared_ptr<const ChangeLog> log;
  {
    const base::MutexLock lock(state_->change_log_mutex);
    log = state_->change_log;
  }
  if (log == nullptr) return Expired("this store keeps no changes: KeepChanges makes it");
  std::optional<std::vector<NetChanges::Change>> changes = log->Between(version, now.version());
  if (!changes) {
    return Expired("the changes since version " + std::to_string(version) +
                   " are not kept: they are more than the window of KeepChanges has, or from "
                   "before it");
  }
  result.changes = *std::move(changes);
  return result;
}

}  // namespace kinformer::internal::cache
