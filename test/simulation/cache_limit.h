// test/simulation/cache_limit.h
//
// CacheLimit: how much a simulated cache may hold, and what it keeps to.

#ifndef KINFORMER_TEST_SIMULATION_CACHE_LIMIT_H_
#define KINFORMER_TEST_SIMULATION_CACHE_LIMIT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "kinformer/api/corev1.h"
#include "kinformer/shared_informer.h"

#include "simulation/dice.h"
#include "simulation/informer_simulation.h"

namespace kinformer::testing {

struct CacheLimit {
  std::size_t objects = 0;  // 0: any number; so for bytes
  std::size_t bytes = 0;
  LimitPolicy policy = LimitPolicy::kNotSynced;

  // What every limit that is drawn has room for.
  static constexpr std::size_t kLeast = 4;
  // Of that informer of the run; in many there is none.
  static CacheLimit Draw(const SimulationPlan& plan, int number);

  [[nodiscard]] bool bounded() const { return objects != 0 || bytes != 0; }
  // ", at most 7 objects, else not synced": empty without a limit.
  [[nodiscard]] std::string Describe() const;
  // What the cache has broken of it just now; empty: nothing.
  [[nodiscard]] std::string BrokenBy(const SharedInformer<corev1::ConfigMap>& informer) const;
};

// Whether the cache says that the object exists and finds no room.
[[nodiscard]] bool LeavesOut(const SharedInformer<corev1::ConfigMap>& informer,
                             std::string_view key);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_CACHE_LIMIT_H_
