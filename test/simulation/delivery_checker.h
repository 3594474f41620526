// test/simulation/delivery_checker.h
//
// DeliveryChecker: a handler that believes only its events, and notes every breach of the delivery
// rules (design: Delivery).

#ifndef KINFORMER_TEST_SIMULATION_DELIVERY_CHECKER_H_
#define KINFORMER_TEST_SIMULATION_DELIVERY_CHECKER_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/event_handler.h"

namespace kinformer::testing {

// What the server has ever held: the content by key and resourceVersion.
struct ServerHistory {
  std::map<std::pair<std::string, std::string>, std::string> values;
};

// Rules: an object is added when it is not there, updated and deleted when it is; an update starts
// from the state that was delivered last; a state that was delivered existed on the server, with
// the content it had there; the resourceVersion of a living object only grows; no state is
// delivered twice. Rules that hold even where the server goes back in time, and whose breach is
// noise(): an update changes something, and never joins two uids.
template <class T>
class DeliveryChecker : public ResourceEventHandler<T> {
 public:
  explicit DeliveryChecker(const ServerHistory& history) : history_(history) {}

  void OnAdd(const Added<T>& e) override {
    ++events_;
    if (believed_.contains(e.key)) Breach("added, but it is there", e.key);
    Existed(e.key, e.object);
    believed_[e.key] = Version(e.object);
    Tell(e.key, e.object);
  }

  void OnUpdate(const Updated<T>& e) override {
    ++events_;
    if (e.old_object.metadata().uid() != e.new_object.metadata().uid()) {
      Noise("one update joins two uids", e.key);
    }
    if (Version(e.old_object) == Version(e.new_object) &&
        e.old_object.data()["value"] == e.new_object.data()["value"]) {
      Noise("updated from " + Version(e.old_object) + " to the same", e.key);
    }
    Tell(e.key, e.new_object);
    const auto it = believed_.find(e.key);
    if (it == believed_.end()) {
      Breach("updated, but it is not there", e.key);
      return;
    }
    if (it->second != Version(e.old_object)) {
      Breach("updated from " + Version(e.old_object) + ", but known as " + it->second, e.key);
    }
    if (Version(e.old_object) == Version(e.new_object)) Breach("told twice", e.key);
    if (e.old_object.metadata().uid() == e.new_object.metadata().uid() &&
        std::stoll(Version(e.new_object)) < std::stoll(it->second)) {
      Breach("went back from " + it->second + " to " + Version(e.new_object), e.key);
    }
    Existed(e.key, e.new_object);
    it->second = Version(e.new_object);
  }

  void OnDelete(const Deleted<T>& e) override {
    ++events_;
    if (believed_.erase(e.key) == 0) Breach("deleted, but it is not there", e.key);
  }

  [[nodiscard]] const std::map<std::string, std::string>& believed() const { return believed_; }
  [[nodiscard]] const std::vector<std::string>& breaches() const { return breaches_; }
  [[nodiscard]] const std::vector<std::string>& noise() const { return noise_; }
  [[nodiscard]] std::size_t events() const { return events_; }

 private:
  static std::string Version(T object) { return std::string(object.metadata().resourceVersion()); }

  void Existed(const std::string& key, T object) {
    const auto it = history_.values.find({key, Version(object)});
    if (it == history_.values.end()) {
      Breach("version " + Version(object) + " never existed", key);
    } else if (object.data()["value"] != it->second) {
      Breach("version " + Version(object) + " has another content", key);
    }
  }
  void Tell(const std::string& key, T object) {
    if (!told_.insert(key + " " + std::string(object.metadata().uid()) + " " + Version(object))
             .second) {
      Breach("told a second time of " + Version(object), key);
    }
  }
  void Noise(std::string what, const std::string& key) {
    noise_.push_back(key + ": " + std::move(what));
  }
  void Breach(std::string what, const std::string& key) {
    breaches_.push_back(key + ": " + std::move(what));
  }

  const ServerHistory& history_;
  std::map<std::string, std::string> believed_;
  std::vector<std::string> breaches_;
  std::vector<std::string> noise_;
  std::set<std::string> told_;  // keys, uids and versions
  std::size_t events_ = 0;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_DELIVERY_CHECKER_H_
