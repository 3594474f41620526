// test/simulation/cache_shape.h
//
// CacheShape: which objects a simulated cache has and what of them, and how it keeps them.

#ifndef KINFORMER_TEST_SIMULATION_CACHE_SHAPE_H_
#define KINFORMER_TEST_SIMULATION_CACHE_SHAPE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/list_watch.h"
#include "kinformer/ref.h"
#include "kinformer/shared_informer.h"

#include "simulation/cached_contents.h"
#include "simulation/informer_simulation.h"
#include "simulation/server_history.h"

namespace kinformer::testing {

// The label (kTier) that an object with that value has.
[[nodiscard]] std::string TierOf(const std::string& value);

struct CacheShape {
  enum class Content : std::uint8_t {
    kWhole,
    kHalf,     // a transform keeps the first half of the value
    kNoValue,  // a projection drops it
  };

  Content content = Content::kWhole;
  std::string tier{};      // a label selector; empty: none
  std::string not_name{};  // a field selector: all but this; empty: none
  bool compressed = false;
  Duration relist_period{0};
  bool forbidden = false;  // all namespaces at once are

  // Of that informer of the run.
  static CacheShape Draw(const SimulationPlan& plan, int number);
  // ", of tier front, halved": empty where there is nothing to say.
  [[nodiscard]] std::string Describe() const;

  [[nodiscard]] HistoryView View() const;
  void Select(ListOptions& options) const;
  void Apply(InformerOptions<corev1::ConfigMap>& options) const;
};

// A transform that must be applied once: each time it leaves half of the value.
[[nodiscard]] Result<Ref<corev1::ConfigMap>> Halved(const Ref<corev1::ConfigMap>& map);

// To list with it is not allowed.
[[nodiscard]] std::unique_ptr<ListerWatcher> NewForbiddenListWatch(Env& env);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_CACHE_SHAPE_H_
