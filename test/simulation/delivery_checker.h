// test/simulation/delivery_checker.h
//
// DeliveryChecker: a handler that builds its state from events alone, and records each violation of
// the delivery rules (design: Delivery).

#ifndef KINFORMER_TEST_SIMULATION_DELIVERY_CHECKER_H_
#define KINFORMER_TEST_SIMULATION_DELIVERY_CHECKER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/cache/resource_event_handler.h"

#include "simulation/cached_contents.h"
#include "simulation/server_history.h"

namespace kinformer::testing {

// Guarantees for a handler, ordered by the behaviour of the server that they require.
enum class Rule : std::uint8_t {
  // Always: an object is added only if it is unknown, updated and deleted only if it is known; an
  // update starts from the last reported state, changes something, and never joins two uids.
  kShape,
  // If the server does not lie: a reported state existed on the server, with the same content.
  kExisted,
  // If it is also not restored unnoticed: within an epoch the version of an existing object only
  // increases, and epochs only increase.
  kForward,
  // If it also does not go back in time: no state is reported twice.
  kOnce,
};

template <class T>
class DeliveryChecker : public ResourceEventHandler<T> {
 public:
  // `resyncs`: updates without a change are allowed. `limited`: the cache may drop an object
  // because it is full, which is a deletion at the object's own version, and add it again later.
  explicit DeliveryChecker(const ServerHistory& history, bool resyncs = false, bool limited = false)
      : history_(history), resyncs_expected_(resyncs), limited_(limited) {}

  void OnAdd(const Added<T>& e) override {
    Begin(e.epoch, e.key);
    if (believed_.contains(e.key)) Breach(Rule::kShape, "added, but it is there", e.key);
    ObjectState state = StateOf(e.object);
    Tell(e.key, state);
    window_.push_back(state.version);
    believed_[e.key] = std::move(state);
    if (!e.is_in_initial_list) ++later_additions_;
    Told(e.is_in_initial_list);
  }

  void OnUpdate(const Updated<T>& e) override {
    Begin(e.epoch, e.key);
    const ObjectState before = StateOf(e.old_object);
    ObjectState state = StateOf(e.new_object);
    const auto it = believed_.find(e.key);
    if (it == believed_.end()) {
      Breach(Rule::kShape, "updated, but it is not there", e.key);
    } else if (it->second != before) {
      Breach(Rule::kShape,
             "updated from " + std::to_string(before.version) + ", but known as " +
                 std::to_string(it->second.version),
             e.key);
    }
    if (e.is_resync()) {
      ++resyncs_;
      if (!resyncs_expected_) Breach(Rule::kShape, "a resync that nobody asked for", e.key);
      return Told(false);
    }
    if (before.uid != state.uid) Breach(Rule::kShape, "one update joins two uids", e.key);
    if (before == state) Breach(Rule::kShape, "updated to the same", e.key);
    if (before.uid == state.uid && same_epoch_ && state.version < before.version) {
      Breach(Rule::kForward,
             "went back from " + std::to_string(before.version) + " to " +
                 std::to_string(state.version),
             e.key);
    }
    Tell(e.key, state);
    window_.push_back(state.version);
    believed_[e.key] = std::move(state);
    Told(false);
  }

  void OnDelete(const Deleted<T>& e) override {
    Begin(e.epoch, e.key);
    if (believed_.erase(e.key) == 0) {
      Breach(Rule::kShape, "deleted, but it is not there", e.key);
    }
    const ObjectState state = StateOf(e.object);
    if (limited_) told_.erase({e.key, state.uid, state.version});
    window_.push_back(state.version);
    if (e.final_state_unknown) ++tombstones_;
    Told(false);
  }

  struct Broken {
    Rule rule;
    std::string text;
  };
  [[nodiscard]] const std::vector<Broken>& breaches() const { return breaches_; }
  [[nodiscard]] const Contents& believed() const { return believed_; }
  [[nodiscard]] std::size_t events() const { return events_; }
  [[nodiscard]] std::size_t resyncs() const { return resyncs_; }
  [[nodiscard]] std::size_t tombstones() const { return tombstones_; }
  [[nodiscard]] std::size_t later_additions() const { return later_additions_; }
  // Returns the versions of events since the last call, without resyncs.
  [[nodiscard]] std::vector<std::int64_t> TakeWindow() { return std::exchange(window_, {}); }

 protected:
  void Breach(Rule rule, std::string what, const std::string& key) {
    breaches_.push_back({rule, key + ": " + std::move(what)});
  }
  // Called after each event.
  virtual void Told(bool in_initial_list) { static_cast<void>(in_initial_list); }

 private:
  void Begin(std::uint32_t epoch, const std::string& key) {
    ++events_;
    const std::string in = key.substr(0, key.find('/') + 1);
    std::uint32_t& last = last_epochs_[in];
    if (epoch < last) Breach(Rule::kForward, "an event of an earlier epoch", key);
    if (epoch != last) {
      for (const auto& [known, state] : believed_) {
        if (known.starts_with(in)) not_told_since_.insert(known);
      }
    }
    same_epoch_ = not_told_since_.erase(key) == 0;
    last = epoch;
  }
  void Tell(const std::string& key, const ObjectState& state) {
    if (!history_.Existed(key, state)) {
      Breach(Rule::kExisted, "version " + std::to_string(state.version) + " never was so", key);
    }
    if (!told_.insert({key, state.uid, state.version}).second) {
      Breach(Rule::kOnce, "told a second time of " + std::to_string(state.version), key);
    }
  }

  const ServerHistory& history_;
  const bool resyncs_expected_;
  const bool limited_;
  Contents believed_;
  std::vector<Broken> breaches_;
  std::set<std::tuple<std::string, std::string, std::int64_t>> told_;
  std::vector<std::int64_t> window_;
  // By namespace: the parts of an informer of several namespaces change their epoch independently.
  std::map<std::string, std::uint32_t> last_epochs_;
  // Keys without an event since the epoch began: their next event may be older than the last one
  // before.
  std::set<std::string> not_told_since_;
  bool same_epoch_ = true;  // whether the key's last event was in this epoch
  std::size_t events_ = 0;
  std::size_t resyncs_ = 0;
  std::size_t tombstones_ = 0;
  std::size_t later_additions_ = 0;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_DELIVERY_CHECKER_H_
