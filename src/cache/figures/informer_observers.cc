#include "cache/figures/informer_observers.h"

#include <utility>

namespace kinformer::internal::cache {

std::shared_ptr<void> InformerObservers::Add(const std::shared_ptr<InformerObservers>& observers,
                                             std::function<void()> notify) {
  std::uint64_t id = 0;
  {
    base::MutexLock lock(observers->mutex_);
    id = observers->next_++;
    observers->all_.emplace(id, std::make_shared<const std::function<void()>>(std::move(notify)));
  }
  return {nullptr, [observers, id](void*) {
            base::MutexLock lock(observers->mutex_);
            observers->all_.erase(id);
          }};
}

void InformerObservers::Notify() {
  std::vector<Observer> all;
  {
    base::MutexLock lock(mutex_);
    all.reserve(all_.size());
    for (const auto& [id, observer] : all_) all.push_back(observer);
  }
  for (const Observer& observer : all) (*observer)();
}

}  // namespace kinformer::internal::cache
