// cache/delivery/testing/listener_fixture.h
//
// ListenerTest: listeners in simulated time whose handler is busy with its first event; and
// WordHandler, which records its notifications.

#ifndef KINFORMER_CACHE_DELIVERY_TESTING_LISTENER_FIXTURE_H_
#define KINFORMER_CACHE_DELIVERY_TESTING_LISTENER_FIXTURE_H_

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "cache/delivery/listener.h"
#include "cache/store/store_core.h"
#include "client/testing/fake_lister_watcher.h"

namespace kinformer::internal::cache {

using Texts = std::vector<std::string>;

// Records "+a value", with "!" in the initial list, "~a old>new", "-a".
class WordHandler final : public RawHandler {
 public:
  explicit WordHandler(Env& env) : env_(env) {}
  void Handle(const RawEvent& e) override {
    std::string word = e.type == EventType::kAdded     ? "+"
                       : e.type == EventType::kUpdated ? "~"
                                                       : "-";
    word += e.block->name();
    if (e.type == EventType::kUpdated) word += " " + client::PodValue(*e.old_block) + ">";
    if (e.type == EventType::kAdded) word += " ";
    if (e.type != EventType::kDeleted) word += client::PodValue(*e.block);
    if (e.is_in_initial_list) word += "!";
    words.push_back(std::move(word));
    if (first_takes > Duration(0)) env_.SleepFor(std::exchange(first_takes, Duration(0)));
  }
  Duration first_takes{std::chrono::seconds(1)};
  Texts words{};

 private:
  Env& env_;
};

inline Notification Add(const std::string& name, const std::string& value,
                        const std::string& uid = "") {
  return {.type = EventType::kAdded, .object = client::MakePod("", name, "1", uid, value)};
}
inline Notification Update(const std::string& name, const std::string& from,
                           const std::string& to) {
  return {.type = EventType::kUpdated,
          .old_object = client::MakePod("", name, "1", "", from),
          .object = client::MakePod("", name, "2", "", to)};
}
inline Notification Delete(const std::string& name, const std::string& uid = "") {
  return {.type = EventType::kDeleted, .object = client::MakePod("", name, "3", uid, "")};
}

class ListenerTest : public testing::Test {
 protected:
  std::shared_ptr<Listener> Make(ListenerConfig config) {
    return Make(std::move(config), handler_);
  }
  std::shared_ptr<Listener> Make(ListenerConfig config, std::shared_ptr<RawHandler> handler) {
    return std::make_shared<Listener>(sim_.env(), std::move(handler), std::move(config),
                                      std::weak_ptr<ListenerOwner>());
  }
  static void Push(Listener& listener, const std::vector<Notification>& events,
                   std::shared_ptr<const SnapshotCore> after = nullptr) {
    listener.Push(events, std::move(after));
  }
  // Leaves the handler inside its first callback.
  void KeepBusy(Listener& listener) {
    Push(listener, {Add("busy", "")});
    sim_.RunReady();
  }
  // Returns a snapshot of the store after `write`.
  std::shared_ptr<const SnapshotCore> Version(const std::function<void()>& write) {
    store_.Begin();
    write();
    store_.Commit();
    return store_.Snapshot();
  }

  Simulation sim_;
  StoreCore store_{sim_.env(), {}};
  const std::shared_ptr<WordHandler> handler_ = std::make_shared<WordHandler>(sim_.env());
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_TESTING_LISTENER_FIXTURE_H_
