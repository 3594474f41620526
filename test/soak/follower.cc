#include "soak/follower.h"

#include <mutex>
#include <thread>
#include <utility>

#include "kinformer/client/resource_client.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string IdentityOf(const ConfigMap& map) {
  const auto metadata = map.metadata();
  return std::string(metadata.uid()) + " " + std::string(metadata.resourceVersion());
}

std::string KeyOf(const ConfigMap& map) {
  const auto metadata = map.metadata();
  return std::string(metadata.namespace_()) + "/" + std::string(metadata.name());
}

InformerOptions<ConfigMap> OptionsOf(int number) {
  return {.name = "follower-" + std::to_string(number),
          .initial_list = number % 2 == 0 ? InitialList::kWatchList : InitialList::kList};
}

constexpr OverflowPolicy kPolicies[] = {OverflowPolicy::kCoalesce, OverflowPolicy::kBlock,
                                        OverflowPolicy::kDropAndResync};

}  // namespace

ServerState ListServer(const Client& client) {
  const auto listed = client.For<ConfigMap>("default").List().OrExit();
  ServerState state;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    state.emplace(KeyOf(listed[i]), listed.Retain(i));
  }
  return state;
}

// Records by key the object that the handler got last, and events that violate the guarantees of
// resource_event_handler.h.
class Follower::Told final : public ResourceEventHandler<ConfigMap> {
 public:
  void OnAdd(const Added<ConfigMap>& event) override {
    const std::lock_guard lock(mutex_);
    if (!known_.emplace(event.key, IdentityOf(event.object)).second) {
      Complain("added again", event.key);
    }
  }
  void OnUpdate(const Updated<ConfigMap>& event) override {
    const std::lock_guard lock(mutex_);
    std::string& known = known_[event.key];
    if (known != IdentityOf(event.old_object)) Complain("updated from what it was not", event.key);
    known = IdentityOf(event.new_object);
  }
  void OnDelete(const Deleted<ConfigMap>& event) override {
    const std::lock_guard lock(mutex_);
    if (known_.erase(event.key) == 0) Complain("deleted again", event.key);
  }

  [[nodiscard]] bool Equals(const ServerState& server) const {
    const std::lock_guard lock(mutex_);
    if (known_.size() != server.size()) return false;
    for (const auto& [key, identity] : known_) {
      const auto there = server.find(key);
      if (there == server.end() || IdentityOf(*there->second) != identity) return false;
    }
    return true;
  }
  [[nodiscard]] std::string complaint() const {
    const std::lock_guard lock(mutex_);
    return complaint_;
  }

 private:
  void Complain(const std::string& what, const std::string& key) {
    if (complaint_.empty()) complaint_ = "the handler was told that " + key + " was " + what;
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::string> known_;
  std::string complaint_;  // the first
};

Follower::Follower(const Client& client, int number)
    : informer_(client.env(), NewListWatch<ConfigMap>(client, "default"), OptionsOf(number)),
      told_(std::make_shared<Told>()) {
  informer_
      .AddEventHandler(std::shared_ptr<ResourceEventHandler<ConfigMap>>(told_),
                       {.overflow = kPolicies[number % 3]})
      .OrExit();
  informer_.Start();
}

Follower::~Follower() { informer_.Stop(); }

std::string Follower::Check(const std::string& version, const ServerState& server,
                            steady_clock::time_point deadline) const {
  const Result<void> waited =
      informer_.WaitForResourceVersion(version, {}, deadline - steady_clock::now());
  if (!waited) {
    const InformerStatus status = Status();
    return waited.error().ToString() + "; it is " + std::string(ToString(status.state)) + ", " +
           status.ErrorText();
  }
  std::string wrong = CheckCache(server);
  if (wrong.empty()) wrong = CheckHandler(server, deadline);
  const InformerStats stats = Stats();
  // These were repaired, so the comparison with the server would not show them.
  if (wrong.empty() && stats.inconsistencies + stats.gaps + stats.status.epochs > 0) {
    wrong = "it says that events were missing: " + std::to_string(stats.gaps) + " gaps, " +
            std::to_string(stats.inconsistencies) + " inconsistencies, " +
            std::to_string(stats.status.epochs) + " epochs";
  }
  return wrong;
}

std::string Follower::CheckCache(const ServerState& server) const {
  const auto snapshot = informer_.Snapshot();
  std::size_t count = 0;
  for (const ConfigMap map : snapshot) {
    ++count;
    const auto there = server.find(KeyOf(map));
    if (there == server.end()) return "the server does not have " + KeyOf(map);
    const Ref<ConfigMap>& object = there->second;
    if (!map.block()->SameAs(*object.object())) {
      return KeyOf(map) + " is " + IdentityOf(map) + ", on the server " + IdentityOf(*object) +
             (IdentityOf(map) == IdentityOf(*object) ? ", with other bytes" : "");
    }
  }
  if (count == server.size()) return {};
  return "the cache has " + std::to_string(count) + " objects, the server " +
         std::to_string(server.size());
}

std::string Follower::CheckHandler(const ServerState& server,
                                   steady_clock::time_point deadline) const {
  while (!told_->Equals(server)) {
    if (steady_clock::now() > deadline) return "the handler has not been told all";
    std::this_thread::sleep_for(milliseconds(2));
  }
  return told_->complaint();
}

}  // namespace kinformer::testing
