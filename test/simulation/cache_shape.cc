#include "simulation/cache_shape.h"

#include <functional>
#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/transform.h"
#include "kinformer/object/projection.h"

#include "simulation/dice.h"
#include "simulation/troubles.h"

namespace kinformer::testing {
namespace {

std::string FirstHalf(const std::string& value) { return value.substr(0, (value.size() + 1) / 2); }

class ForbiddenListWatch final : public ListerWatcher {
 public:
  explicit ForbiddenListWatch(Env& env) : env_(env) {}

  std::unique_ptr<ListWatchCall> List(const ListOptions&, ListReceiver& receiver) override {
    return Refuse([&receiver](const Error& error) { receiver.OnDone(error); });
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions&, WatchReceiver& receiver) override {
    return Refuse([&receiver](const Error& error) { receiver.OnDone(error); });
  }
  bool SetEntryOptions(const EntryOptions&) override { return true; }
  [[nodiscard]] bool IsWatchListSemanticsUnSupported() const override { return false; }
  [[nodiscard]] std::string Describe() const override { return "configmaps"; }

 private:
  class Call final : public ListWatchCall {
   public:
    const std::shared_ptr<bool> lives = std::make_shared<bool>(true);
  };
  std::unique_ptr<ListWatchCall> Refuse(std::function<void(const Error&)> done) {
    auto call = std::make_unique<Call>();
    env_.loop().Post([alive = std::weak_ptr<bool>(call->lives), done = std::move(done)] {
      if (alive.expired()) return;
      done(Error(Reason::kForbidden, "configmaps is forbidden").WithHttpStatus(403));
    });
    return call;
  }

  Env& env_;
};

}  // namespace

std::string TierOf(const std::string& value) {
  return value.empty() || value.front() < 'n' ? "front" : "back";
}

CacheShape CacheShape::Draw(const SimulationPlan& plan, int number) {
  Dice dice(plan.seed, 800 + static_cast<std::uint64_t>(number));
  const auto has = [&](int trouble) {
    // Drawn in any case, so that leaving out one trouble does not change the others.
    const bool here = dice.OneIn(2);
    return here && (plan.troubles & BitOf(trouble)) != 0;
  };
  CacheShape shape;
  if (has(kProjections)) shape.content = Content::kNoValue;
  if (has(kTransforms)) shape.content = Content::kHalf;
  const bool by_label = dice.OneIn(2);
  const std::string tier = dice.OneIn(2) ? "front" : "back";
  const std::string not_name = "map-" + std::to_string(dice.Below(20));
  if (has(kSelectors)) (by_label ? shape.tier : shape.not_name) = by_label ? tier : not_name;
  const bool many = (plan.troubles & BitOf(kManyObjects)) != 0;
  shape.compressed = has(kCompression) || many;
  const Duration period = std::chrono::seconds(5 + dice.Below(60));
  // A list would hide the effect of events.
  if (has(kPeriodicRelists) && dice.OneIn(2)) shape.relist_period = period;
  shape.forbidden = has(kForbidden);
  return shape;
}

std::string CacheShape::Describe() const {
  std::string text;
  if (content == Content::kHalf) text += ", halved";
  if (content == Content::kNoValue) text += ", without values";
  if (!tier.empty()) text += ", of tier " + tier;
  if (!not_name.empty()) text += ", without " + not_name;
  if (compressed) text += ", compressed";
  if (relist_period != Duration(0)) text += ", with periodic relists";
  if (forbidden) text += ", forbidden";
  return text;
}

HistoryView CacheShape::View() const {
  HistoryView view;
  if (!tier.empty()) {
    view.selects = [only = tier](const std::string&, const ObjectState& state) {
      return state.tier == only;
    };
  }
  if (!not_name.empty()) {
    view.selects = [end = "/" + not_name](const std::string& key, const ObjectState&) {
      return !key.ends_with(end);
    };
  }
  if (content == Content::kHalf) view.keeps = FirstHalf;
  if (content == Content::kNoValue) view.keeps = [](const std::string&) { return std::string(); };
  return view;
}

void CacheShape::Select(ListOptions& options) const {
  if (!tier.empty()) options.labelSelector = std::string(kTier) + "=" + tier;
  if (!not_name.empty()) options.fieldSelector = "metadata.name!=" + not_name;
}

void CacheShape::Apply(InformerOptions<corev1::ConfigMap>& options) const {
  if (compressed) options.compression = Compression::kZstd;
  if (content == Content::kNoValue) {
    options.projection = Projection::Drop<corev1::ConfigMap>({"data"}).OrExit();
  }
  options.relist_period = relist_period;
}

Result<Ref<corev1::ConfigMap>> Halved(const Ref<corev1::ConfigMap>& map) {
  corev1::ConfigMap::Mutable content = (*map).DeepCopy();
  std::string& value = content.data["value"];
  value = FirstHalf(value);
  return WithContent(map, content);
}

std::unique_ptr<ListerWatcher> NewForbiddenListWatch(Env& env) {
  return std::make_unique<ForbiddenListWatch>(env);
}

}  // namespace kinformer::testing
