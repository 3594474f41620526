// config/shared_by_key.h
//
// SharedByKey: objects that equal settings share within the process. LongLock: a lock whose wait a
// stop ends.

#ifndef KINFORMER_CONFIG_SHARED_BY_KEY_H_
#define KINFORMER_CONFIG_SHARED_BY_KEY_H_

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
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

// A lock that is held for minutes, and whose wait a stop request ends. Thread-safe.
class LongLock {
 public:
  // Holds the lock until it is destroyed; false: it does not.
  class Held {
   public:
    explicit Held(LongLock* lock) : lock_(lock) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
      if (lock_ != nullptr) lock_->Release();
    }
    explicit operator bool() const { return lock_ != nullptr; }

   private:
    LongLock* const lock_;
  };

  // Waits until it is free. Does not hold it if a stop is requested before.
  [[nodiscard]] Held Acquire(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!free_.wait(lock, stop, [this] { return !held_; })) return Held(nullptr);
    held_ = true;
    return Held(this);
  }

 private:
  void Release() {
    {
      const std::lock_guard lock(mutex_);
      held_ = false;
    }
    free_.notify_one();
  }

  std::mutex mutex_{};
  std::condition_variable_any free_{};
  bool held_ = false;
};

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_SHARED_BY_KEY_H_
