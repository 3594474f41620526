#include "simulation/joint_reader.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/cache/joint_snapshot.h"
#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/cache/store.h"

#include "simulation/cached_contents.h"

namespace kinformer::testing {

// Writes events into two stores, one after the other, so that the second never has anything that
// the first lacks.
class JointReader::Copier final : public ResourceEventHandler<corev1::ConfigMap> {
 public:
  using Maps = Store<corev1::ConfigMap>;
  explicit Copier(SimulatedScene& scene)
      : scene_(scene),
        dice_(scene.plan.seed, 700),
        first_(scene.sim.env()),
        second_(scene.sim.env()) {}

  void OnAdd(const Added<corev1::ConfigMap>& e) override {
    Write(e.key, StateOf(e.object), [object = e.Retain()](Maps& maps) { return maps.Add(object); });
  }
  void OnUpdate(const Updated<corev1::ConfigMap>& e) override {
    Write(e.key, StateOf(e.new_object),
          [object = e.Retain()](Maps& maps) { return maps.Update(object); });
  }
  void OnDelete(const Deleted<corev1::ConfigMap>& e) override {
    Write(e.key, std::nullopt, [object = e.Retain()](Maps& maps) { return maps.Delete(object); });
  }

  [[nodiscard]] const Maps& first() const { return first_; }
  [[nodiscard]] const Maps& second() const { return second_; }
  // Applies to `contents` the change that is in the first store but not yet in the second.
  void Complete(Contents& contents) const {
    if (!pending_) return;
    contents.erase(pending_->first);
    if (pending_->second) contents[pending_->first] = *pending_->second;
  }

 private:
  template <class Change>
  void Write(const std::string& key, std::optional<ObjectState> state, const Change& change) {
    if (!change(first_)) scene_.Problem("a copy cannot be written");
    pending_.emplace(key, std::move(state));
    if (!scene_.calm && dice_.OneIn(4)) scene_.sim.env().SleepFor(dice_.Milliseconds(500));
    if (!change(second_)) scene_.Problem("a copy cannot be written");
    pending_.reset();
  }

  SimulatedScene& scene_;
  Dice dice_;
  Maps first_;
  Maps second_;
  std::optional<std::pair<std::string, std::optional<ObjectState>>> pending_;
};

JointReader::JointReader(SimulatedScene& scene, const Informers& informers)
    : scene_(scene),
      informers_(informers),
      amid_write_(scene.plan.seed, 701),
      copier_(std::make_shared<Copier>(scene)) {
  if (!informers_.front()->cache().AddEventHandler(copier_)) {
    scene_.Problem("AddEventHandler of a copy");
  }
  scene_.amid_write = [this] {
    if (amid_write_.OneIn(16)) static_cast<void>(TakeOfInformers(amid_write_));
  };
}

JointReader::~JointReader() { scene_.amid_write = nullptr; }

void JointReader::Look(Dice& dice) {
  CheckHeld();
  LookAtCopy();
  if (dice.OneIn(2)) return;
  Held taken = TakeOfInformers(dice);
  if (held_.size() == kMostHeld) held_.erase(held_.begin());
  if (dice.OneIn(2)) held_.push_back(std::move(taken));
}

JointReader::Held JointReader::TakeOfInformers(Dice& dice) {
  ++taken_;
  std::array<SimulatedInformer*, kAtOnce> of{};
  for (auto& one : of) one = informers_[dice.Below(informers_.size())].get();
  auto [a, b, c] = JointSnapshot(of[0]->cache(), of[1]->cache(), of[2]->cache());
  Held taken{.snapshots = {std::move(a), std::move(b), std::move(c)}, .contents = {}};
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    const Snapshot<corev1::ConfigMap>& snapshot = taken.snapshots[i];
    // No commit happened in between, so the common time is now.
    const std::uint64_t current = of[i]->cache().Snapshot().version();
    if (snapshot.version() != current) {
      scene_.Problem("a joint snapshot has " + of[i]->Describe() + " at version " +
                     std::to_string(snapshot.version()) + ", which is at " +
                     std::to_string(current));
      continue;
    }
    of[i]->CheckContents(snapshot);
    taken.contents[i] = ContentsOf(snapshot);
  }
  return taken;
}

void JointReader::LookAtCopy() {
  const auto [second, first] = JointSnapshot(copier_->second(), copier_->first());
  Contents copied = ContentsOf(second);
  copier_->Complete(copied);
  const std::string difference = DifferenceOf(copied, ContentsOf(first));
  if (!difference.empty()) {
    scene_.Problem("in a joint snapshot the copy of a store" + difference);
  }
}

void JointReader::CheckHeld() {
  for (const Held& held : held_) {
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      if (ContentsOf(held.snapshots[i]) != held.contents[i]) {
        scene_.Problem("a joint snapshot that was held has changed");
      }
    }
  }
}

void JointReader::Finish(SimulationReport& report) {
  CheckHeld();
  LookAtCopy();
  report.hits[kJointSnapshots] += taken_;
}

}  // namespace kinformer::testing
