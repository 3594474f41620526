// The oldest write that a cache does not show.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controller/delegating/unseen_writes.h"
#include "controller/delegating/write_trackers.h"

namespace kinformer::internal::delegating {

std::optional<SteadyTime> UnseenWrites::OldestUnseen() {
  // Kept until the end: its last handle must not be released under the mutex.
  const std::shared_ptr<InformerCore> informer = this->informer();
  if (informer == nullptr || size() == 0) return std::nullopt;
  std::optional<SteadyTime> oldest;
  const base::MutexLock lock(mutex_);
  for (auto& [name, writes] : writes_) {
    for (UnseenWrite& write : writes) {
      const SteadyTime at = write.written_at;
      if (at == SteadyTime{} || (oldest && at >= *oldest)) continue;
      if (Judge(*informer, name, write, {}) == State::kBlocks) oldest = at;
    }
  }
  return oldest;
}

std::optional<std::pair<std::string, SteadyTime>> WriteTrackers::OldestUnseen() const {
  std::vector<std::shared_ptr<UnseenWrites>> all;
  {
    const base::MutexLock lock(mutex_);
    for (const auto& [name, of] : resources_) {
      all.insert(all.end(), of.trackers.begin(), of.trackers.end());
    }
  }
  std::optional<std::pair<std::string, SteadyTime>> oldest;
  for (const std::shared_ptr<UnseenWrites>& unseen : all) {
    const std::shared_ptr<InformerCore> informer = unseen->informer();
    const std::optional<SteadyTime> at = unseen->OldestUnseen();
    if (informer == nullptr || !at || (oldest && *at >= oldest->second)) continue;
    oldest.emplace(informer->Describe(), *at);
  }
  return oldest;
}

}  // namespace kinformer::internal::delegating
