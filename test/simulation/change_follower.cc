#include "simulation/change_follower.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "simulation/cached_contents.h"

namespace kinformer::testing {
namespace {

constexpr std::size_t kAllBytes = ChangeWindow().bytes;

}  // namespace

ChangeFollower::ChangeFollower(SimulatedScene& scene, const ServerHistory& history,
                               const ConfigMaps& informer, bool exact, int number,
                               std::function<void(std::string)> problem)
    : scene_(scene),
      history_(history),
      informer_(informer),
      exact_(exact),
      problem_(std::move(problem)) {
  Dice dice(scene.plan.seed, 600 + static_cast<std::uint64_t>(number));
  if (dice.OneIn(2)) Keep(dice);
  known_ = Look();
}

void ChangeFollower::Keep(Dice& dice) {
  if (dice.OneIn(2)) window_.events = 1 + dice.Below(60);
  if (dice.OneIn(4)) window_.bytes = 500 + dice.Below(20000);
  KeepChanges(informer_, window_);
  keeps_ = true;
  kept_from_ = informer_.Snapshot().version();
}

ChangeFollower::Known ChangeFollower::Look() const {
  const Snapshot<corev1::ConfigMap> snapshot = informer_.Snapshot();
  const InformerStats stats = informer_.Stats();
  return {.version = snapshot.version(),
          .epoch = snapshot.epoch(),
          .resource_version = NumberOf(snapshot.resourceVersion()),
          .changes = stats.added + stats.modified + stats.deleted,
          .lists = stats.AllLists(),
          .gaps = stats.gaps,
          .queued = stats.queued,
          .contents = ContentsOf(snapshot)};
}

void ChangeFollower::Follow(Dice& dice) {
  if (!keeps_ && dice.OneIn(8)) Keep(dice);
  if (dice.OneIn(16)) {
    const auto future =
        ChangesSince(informer_, informer_.Snapshot().version() + 1 + dice.Below(3), known_.epoch);
    if (future || future.error().reason() != Reason::kInvalidArgument) {
      problem_("tells what has changed since a version that has not been");
    }
  }
  if (!dice.OneIn(3)) return;
  const Known now = Look();
  const auto news = ChangesSince(informer_, known_.version, known_.epoch);
  // All changes since then count, including those that were reverted.
  const bool kept =
      keeps_ && known_.version >= kept_from_ && now.changes - known_.changes <= window_.events;
  const bool must_expire = known_.version != now.version && (known_.epoch != now.epoch || !kept);
  const std::string since = " since version " + std::to_string(known_.version) + " of epoch " +
                            std::to_string(known_.epoch);
  if (!news) {
    ++expired_;
    if (news.error().reason() != Reason::kExpired) {
      problem_("does not tell what has changed" + since + ": " + news.error().ToString());
    } else if (!must_expire && window_.bytes == kAllBytes) {
      problem_("has lost what has changed" + since);
    }
  } else if (must_expire) {
    problem_("tells what has changed" + since + ", and cannot know");
  } else {
    if (!news->changes.empty()) ++told_;
    Apply(*news);
    CompareWithServer(*news, now);
  }
  known_ = now;
}

void ChangeFollower::Apply(const Changes& news) {
  Contents contents = known_.contents;
  std::set<std::string> keys;
  for (const auto& change : news.changes) {
    if (!keys.insert(KeyOf(*change.object)).second) {
      problem_("tells twice of " + KeyOf(*change.object));
    }
    ApplyOne(change, contents);
  }
  const std::string difference = DifferenceOf(contents, ContentsOf(news.snapshot));
  if (!difference.empty()) problem_("its changes lead to what" + difference);
}

void ChangeFollower::ApplyOne(const NetChange<corev1::ConfigMap>& change,
                              Contents& contents) const {
  const std::string key = KeyOf(*change.object);
  ObjectState state = StateOf(*change.object);
  const auto before = contents.find(key);
  const bool was_there = before != contents.end();
  if (was_there != (change.type != EventType::kAdded)) {
    return problem_(std::string("tells that ") + key + " was " +
                    (was_there ? "added, which was there" : "changed, which was not there"));
  }
  if (scene_.trust != Trust::kLies && !history_.Existed(key, state)) {
    problem_("tells of a state of " + key + " that never was");
  }
  if (scene_.trust == Trust::kHonest && was_there && state.version < before->second.version) {
    problem_("tells of a state of " + key + " that is older than what was known");
  }
  if (change.type == EventType::kDeleted) {
    contents.erase(before);
  } else {
    contents[key] = std::move(state);
  }
}

void ChangeFollower::CompareWithServer(const Changes& news, const Known& now) const {
  // A list skips intermediate changes.
  if (!exact_ || scene_.trust != Trust::kHonest) return;
  if (now.lists != known_.lists || now.gaps != known_.gaps) return;
  if (now.queued != 0 || known_.queued != 0) return;
  std::int64_t last = known_.resource_version;
  for (const auto& change : news.changes) {
    const std::string key = KeyOf(*change.object);
    const auto of_key = history_.keys().find(key);
    if (of_key == history_.keys().end()) return problem_("tells of " + key);
    const ServerHistory::Changes& all = of_key->second;
    auto end = std::upper_bound(all.begin(), all.end(), now.resource_version,
                                [](std::int64_t version, const ServerHistory::Change& one) {
                                  return version < one.version;
                                });
    if (end == all.begin() || std::prev(end)->version <= last) {
      return problem_("tells of " + key + " out of its order");
    }
    --end;
    last = end->version;
    if (!end->state && end != all.begin()) --end;  // a deletion has the last state
    if (!end->state || *end->state != StateOf(*change.object)) {
      problem_("tells of " + key + ", but not its last state");
    }
  }
}

void ChangeFollower::Finish(SimulationReport& report) const {
  report.hits[kFeeds] += told_;
  report.expired += expired_;
}

}  // namespace kinformer::testing
