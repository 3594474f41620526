#include "controller/delegating/unsettled_writes.h"

namespace kinformer::internal::delegating {

bool MayPass(const Error& error) {
  switch (error.reason()) {
    case Reason::kConnectionRefused:
    case Reason::kTransport:
    case Reason::kUnexpectedEof:
    case Reason::kCanceled:
    case Reason::kDeadlineExceeded:
    case Reason::kUnauthorized:
    case Reason::kTooManyRequests:
    case Reason::kInternalError:
    case Reason::kServerTimeout:
    case Reason::kServiceUnavailable:
    case Reason::kTimeout:
    case Reason::kWouldDeadlock:
      return true;
    default:
      return false;
  }
}

bool UnsettledWrites::Add(const KindInfo& type, const ObjectName& name) {
  base::MutexLock lock(mutex_);
  const Key key = KeyOf(type, name);
  if (entries_.size() >= kMost && !entries_.contains(key)) return false;
  entries_[key] = {.type = &type, .name = name, .sequence = ++sequence_};
  count_.store(entries_.size(), std::memory_order_release);
  return true;
}

std::vector<UnsettledWrites::Entry> UnsettledWrites::Find(const KindInfo& type,
                                                          const ObjectName& which) const {
  std::vector<Entry> found;
  if (size() == 0) return found;
  base::MutexLock lock(mutex_);
  const Key first = KeyOf(type, which);
  for (auto at = entries_.lower_bound(first); at != entries_.end(); ++at) {
    const auto& [resource, name] = at->first;
    if (resource != first.first) break;
    if (!which.namespace_.empty() && name.namespace_ != which.namespace_) break;
    if (!which.name.empty() && name != which) break;
    found.push_back(at->second);
  }
  return found;
}

void UnsettledWrites::Settled(const Entry& entry) {
  base::MutexLock lock(mutex_);
  const auto at = entries_.find(KeyOf(*entry.type, entry.name));
  if (at == entries_.end() || at->second.sequence != entry.sequence) return;
  entries_.erase(at);
  count_.store(entries_.size(), std::memory_order_release);
}

}  // namespace kinformer::internal::delegating
