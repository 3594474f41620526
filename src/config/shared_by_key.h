// config/shared_by_key.h
//
// SharedByKey: objects that equal settings share within the process. LockUnlessStopped: a lock that
// a stop ends the wait for.

#ifndef KINFORMER_CONFIG_SHARED_BY_KEY_H_
#define KINFORMER_CONFIG_SHARED_BY_KEY_H_

#include <map>
#include <memory>
#include <mutex>
#include <poll.h>
#include <stop_token>
#include <string>

namespace kinformer::internal::config {

// Thread-safe. Does not own the objects: each lives as long as somebody uses it.
template <class Object>
class SharedByKey {
 public:
  // Returns the object of this key, which `make` makes if there is none. `make` must not call this.
  template <class Make>
  std::shared_ptr<Object> Get(const std::string& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    std::erase_if(objects_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Object>& entry = objects_[key];
    std::shared_ptr<Object> found = entry.lock();
    if (found == nullptr) entry = found = make();
    return found;
  }

 private:
  std::mutex mutex_{};
  std::map<std::string, std::weak_ptr<Object>> objects_{};
};

// Appends a text with its length to a key, so that no two lists of texts give the same key.
inline void AppendToKey(const std::string& text, std::string& key) {
  key += std::to_string(text.size()) + ":" + text;
}

// Waits for the mutex, which another thread may hold for minutes. Returns a lock that does not own
// it if a stop was requested before.
inline std::unique_lock<std::mutex> LockUnlessStopped(std::mutex& mutex,
                                                      const std::stop_token& stop) {
  constexpr int kLookMillis = 5;
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock.owns_lock() && !stop.stop_requested()) {
    poll(nullptr, 0, kLookMillis);
    (void)lock.try_lock();
  }
  return lock;
}

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_SHARED_BY_KEY_H_
