// test/simulation/cache_shape.h
//
// CacheShape: which objects a simulated cache selects, what it keeps of them, and in which form.

#ifndef KINFORMER_TEST_SIMULATION_CACHE_SHAPE_H_
#define KINFORMER_TEST_SIMULATION_CACHE_SHAPE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/object/ref.h"

#include "simulation/cached_contents.h"
#include "simulation/informer_simulation.h"
#include "simulation/server_history.h"

namespace kinformer::testing {

// Returns the label (kTier) of an object with that value.
[[nodiscard]] std::string TierOf(const std::string& value);

struct CacheShape {
  enum class Content : std::uint8_t {
    kWhole,
    kHalf,     // a transform keeps the first half of the value
    kNoValue,  // a projection drops it
  };

  Content content = Content::kWhole;
  std::string tier{};      // a label selector; empty if there is none
  std::string not_name{};  // a field selector for all names but this; empty if there is none
  bool compressed = false;
  Duration relist_period{0};
  bool forbidden = false;  // listing all namespaces at once is forbidden

  // Returns a random shape for that informer of the run.
  static CacheShape Draw(const SimulationPlan& plan, int number);
  // Returns a text such as ", of tier front, halved"; empty for the default shape.
  [[nodiscard]] std::string Describe() const;

  [[nodiscard]] HistoryView View() const;
  void Select(ListOptions& options) const;
  void Apply(InformerOptions<corev1::ConfigMap>& options) const;
};

// A transform that must be applied only once: each time it keeps half of the value.
[[nodiscard]] Result<Ref<corev1::ConfigMap>> Halved(const Ref<corev1::ConfigMap>& map);

// A ListerWatcher whose lists are forbidden.
[[nodiscard]] std::unique_ptr<ListerWatcher> NewForbiddenListWatch(Env& env);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_CACHE_SHAPE_H_
