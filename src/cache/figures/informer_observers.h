// cache/figures/informer_observers.h
//
// InformerObservers: callbacks to be notified when the state of an informer may have changed.

#ifndef KINFORMER_CACHE_FIGURES_INFORMER_OBSERVERS_H_
#define KINFORMER_CACHE_FIGURES_INFORMER_OBSERVERS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/core/mutex.h"

namespace kinformer::internal::cache {

// Thread-safe.
class InformerObservers {
 public:
  // Calls `notify` in each Notify, on the thread that calls it, until the result or the observers
  // are destroyed. A call may overlap with that.
  [[nodiscard]] static std::shared_ptr<void> Add(
      const std::shared_ptr<InformerObservers>& observers, std::function<void()> notify);
  void Notify();

 private:
  using Observer = std::shared_ptr<const std::function<void()>>;

  base::Mutex mutex_;
  std::uint64_t next_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, Observer> all_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_FIGURES_INFORMER_OBSERVERS_H_
