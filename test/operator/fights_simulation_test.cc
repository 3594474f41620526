// One or two enemies of an operator, planted at random: whatever field they fight over and however
// they write, the fight is named within ten rounds and held to its pace, and when the others give
// up, the field is what the operator wants.
//
// KINFORMER_SIMULATION_SEEDS=1000 for the long form.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/environment.h"

#include "base/core/testing/fields_log.h"
#include "simulation/seeds.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Pod = corev1::Pod;

const GroupVersionResource kPods{"", "v1", "pods"};
const ObjectName kFought{"default", "fought"};

enum class Way : std::uint8_t { kUpdate, kMerge, kJsonPatch, kApply };
enum class Place : std::uint8_t { kLabel, kAnnotation, kStatus };

class World {
 public:
  explicit World(std::uint64_t seed)
      : env_({.seed = seed, .server = {.field_owners = true}, .log = log_}) {}

  // Returns what is wrong; empty: nothing.
  std::string Run() {
    place_ = static_cast<Place>(Dice(3));
    const std::uint64_t enemies = 1 + Dice(2);
    for (const char* const name : {"fought", "other"}) {
      Pod::Mutable pod;
      pod.metadata.name = name;
      pod.metadata.labels["a"] = "b";
      pod.metadata.annotations["a"] = "b";
      pod.spec.containers.push_back({.name = "a", .image = "a"});
      env_.Blocking([&] { env_.client().For<Pod>("default").Create(pod).OrExit(); });
    }
    Replica& own = Add("operator", "wanted", /*own=*/true);
    std::vector<Replica*> others;
    for (std::uint64_t i = 0; i < enemies; ++i) {
      const std::string name = "enemy-" + std::to_string(i);
      others.push_back(&Add(name, name, /*own=*/false));
    }
    for (int i = 0; i < 60; ++i) {
      if (Dice(10) == 0) own.DelayWatches(milliseconds(Dice(1000)));
      Noise();
      env_.RunFor(milliseconds(Dice(3000)));
    }
    own.DelayWatches(Duration(0));
    if (!found_) Wrong("no fight was found in " + std::to_string(rounds_) + " rounds");
    if (rounds_ > 11) Wrong("it was found after " + std::to_string(rounds_) + " writes");
    const std::string log = log_->text();
    if (log.find('"' + undone_ + '"') == std::string::npos) Wrong(undone_ + " is not named");
    if (log.find("field=" + Path() + " manager=operator by=") == std::string::npos) {
      Wrong("the field and its manager are not named");
    }
    if (log_->Count("a fight: ") != 1) Wrong("another fight is named");
    for (Replica* const other : others) other->Crash();
    env_.RunFor(seconds(12));
    if (Value() != "wanted") Wrong("in the end it is " + Value());
    env_.RunFor(minutes(3));
    if (log_->Count("a fight has ended") != 1) Wrong("the fight has not ended");
    return wrong_.empty() ? "" : wrong_ + "\n" + log + env_.Schedule();
  }

 private:
  std::uint64_t Dice(std::uint64_t below) { return env_.env().Random() % below; }
  void Wrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  // Starts a process that wants the field to be `value`.
  Replica& Add(const std::string& name, const std::string& value, bool own) {
    const auto way = static_cast<Way>(Dice(4));
    const Duration patience = own ? Duration(0) : Duration(milliseconds(Dice(3000)));
    return env_.AddReplica(name, [&](Manager& manager) {
      ControllerBuilder(manager)
          .For<Pod>()
          .Named(name)
          .WithOptions({.fights = FightOptions{.enabled = own}})
          .Complete([=, this, client = manager.GetClient()](
                        const ReconcileContext& context,
                        const Request& request) -> Result<ReconcileResult> {
            const auto pod = client.Get<Pod>(request, context.call());
            if (!pod) return IgnoreNotFound(pod.error());
            if (request != kFought || ValueOf(**pod) == value) return ReconcileResult{};
            context.env().SleepFor(patience);
            const Result<void> set = Set(client, **pod, value, name, way);
            if (!set && IsConflict(set.error())) return ReconcileResult{};
            if (!set) return set.error();
            if (own) NoteRound(ValueOf(**pod));
            return ReconcileResult{};
          })
          .OrExit();
    });
  }
  // The operator has set the field, which was `before`.
  void NoteRound(const std::string& before) {
    const SteadyTime now = env_.env().Now();
    if (found_ && now - last_ < seconds(10)) Wrong("it is not held to a pace");
    last_ = now;
    if (found_) return;
    ++rounds_;
    undone_ = before;
    found_ = log_->Count("a fight: ") > 0;
  }

  // Others write something else all the time.
  void Noise() {
    const std::string n = std::to_string(Dice(4));
    static_cast<void>(env_.server().Patch(
        kPods, Dice(2) == 0 ? kFought : ObjectName{"default", "other"},
        *json::Parse(R"({"metadata":{"annotations":{"noise":")" + n + "\"}}}")));
  }

  [[nodiscard]] std::string Path() const {
    if (place_ == Place::kLabel) return "metadata.labels.color";
    return place_ == Place::kAnnotation ? "metadata.annotations.color" : "status.message";
  }
  [[nodiscard]] std::string ValueOf(const Pod& pod) const {
    if (place_ == Place::kLabel) return std::string(pod.metadata().labels()["color"]);
    if (place_ == Place::kAnnotation) return std::string(pod.metadata().annotations()["color"]);
    return std::string(pod.status().message());
  }
  [[nodiscard]] std::string Value() {
    const json::Value pod = env_.server().Get(kPods, kFought).OrExit();
    if (place_ == Place::kLabel) return pod["metadata"]["labels"]["color"].StringOrEmpty();
    if (place_ == Place::kAnnotation) {
      return pod["metadata"]["annotations"]["color"].StringOrEmpty();
    }
    return pod["status"]["message"].StringOrEmpty();
  }
  template <class PodMutable>
  void Put(PodMutable& pod, const std::string& value) const {
    if (place_ == Place::kLabel) {
      pod.metadata.labels["color"] = value;
    } else if (place_ == Place::kAnnotation) {
      pod.metadata.annotations["color"] = value;
    } else {
      pod.status.message = value;
    }
  }
  Result<void> Set(const DelegatingClient& client, const Pod& pod, const std::string& value,
                   const std::string& manager, Way way) const {
    const bool status = place_ == Place::kStatus;
    if (way == Way::kUpdate) {
      Pod::Mutable change = pod.DeepCopy();
      Put(change, value);
      const auto done = status ? client.Status().Update(change, {.fieldManager = manager})
                               : client.Update(change, {.fieldManager = manager});
      return done ? Result<void>() : done.error();
    }
    if (way == Way::kApply) {
      Pod::Mutable wanted;
      wanted.metadata.namespace_ = kFought.namespace_;
      wanted.metadata.name = kFought.name;
      Put(wanted, value);
      const ApplyOptions options{.fieldManager = manager, .force = true};
      const auto done =
          status ? client.Status().Apply(wanted, options) : client.Apply(wanted, options);
      return done ? Result<void>() : done.error();
    }
    const std::string quoted = json::Value(value).Dump();
    std::string pointer = "/" + Path();
    for (char& c : pointer) c = c == '.' ? '/' : c;
    std::string body = R"([{"op":"add","path":")" + pointer + R"(","value":)" + quoted + "}]";
    if (way == Way::kMerge) {
      body = place_ == Place::kLabel ? R"({"metadata":{"labels":{"color":)" + quoted + "}}}"
             : place_ == Place::kAnnotation
                 ? R"({"metadata":{"annotations":{"color":)" + quoted + "}}}"
                 : R"({"status":{"message":)" + quoted + "}}";
    }
    const Patch patch{way == Way::kMerge ? PatchType::kMergePatch : PatchType::kJsonPatch, body};
    const auto done = status ? client.Status().Patch<Pod>(kFought, patch, {.fieldManager = manager})
                             : client.Patch<Pod>(kFought, patch, {.fieldManager = manager});
    return done ? Result<void>() : done.error();
  }

  const std::shared_ptr<kinformer::internal::base::FieldsLog> log_ =
      std::make_shared<kinformer::internal::base::FieldsLog>();
  Environment env_;
  Place place_{};
  std::string wrong_;
  std::size_t rounds_ = 0;  // writes of the operator until the fight was found
  std::string undone_;      // what the last of them has set back: the name of an enemy
  bool found_ = false;
  SteadyTime last_{};
};

TEST(FightsSimulation, PlantedEnemies_AreNamedAndPaced) {
  ForSeeds(SeedsToRun(100), [](std::uint64_t seed) { ASSERT_EQ(World(seed).Run(), ""); });
}

}  // namespace
}  // namespace kinformer::testing
