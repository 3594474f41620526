// test/integration/believer.h
//
// Believer: a handler that builds its state from events alone. At the end, that state must equal
// the server's.

#ifndef KINFORMER_TEST_INTEGRATION_BELIEVER_H_
#define KINFORMER_TEST_INTEGRATION_BELIEVER_H_

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/cache/shared_informer.h"

#include "integration/embedded_server.h"

namespace kinformer::testing {

template <class T>
std::string VersionOf(T object) {
  return std::string(object.metadata().resourceVersion());
}

// Thread-safe.
template <class T>
class Believer final : public ResourceEventHandler<T> {
 public:
  void OnAdd(const Added<T>& event) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string key(event.key);
    if (believed_.contains(key)) breaches_.push_back(key + ": added, but it is there");
    believed_[key] = VersionOf(event.object);
    ++events_;
  }
  void OnUpdate(const Updated<T>& event) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string key(event.key);
    const std::string old_version = VersionOf(event.old_object);
    const std::string new_version = VersionOf(event.new_object);
    if (!believed_.contains(key)) {
      breaches_.push_back(key + ": updated, but it is not there");
    } else if (believed_[key] != old_version) {
      breaches_.push_back(key + ": updated from " + old_version + ", but known as " +
                          believed_[key]);
    } else if (std::stoll(new_version) <= std::stoll(old_version)) {
      breaches_.push_back(key + ": went from " + old_version + " to " + new_version);
    }
    believed_[key] = new_version;
    ++events_;
  }
  void OnDelete(const Deleted<T>& event) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (believed_.erase(std::string(event.key)) == 0) {
      breaches_.push_back(std::string(event.key) + ": deleted, but it is not there");
    }
    ++events_;
  }

  [[nodiscard]] State believed() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return believed_;
  }
  [[nodiscard]] std::vector<std::string> breaches() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return breaches_;
  }
  [[nodiscard]] std::size_t events() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return events_;
  }

 private:
  mutable std::mutex mutex_;
  State believed_;
  std::vector<std::string> breaches_;
  std::size_t events_ = 0;
};

template <class T>
State CacheState(const SharedInformer<T>& informer) {
  State state;
  const auto snapshot = informer.Snapshot();
  for (const T object : snapshot) {
    const auto metadata = object.metadata();
    state[std::string(metadata.namespace_()) + "/" + std::string(metadata.name())] =
        VersionOf(object);
  }
  return state;
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_BELIEVER_H_
