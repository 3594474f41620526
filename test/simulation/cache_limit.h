// test/simulation/cache_limit.h
//
// CacheLimit: the limit of a simulated cache, and a check that the cache observes it.

#ifndef KINFORMER_TEST_SIMULATION_CACHE_LIMIT_H_
#define KINFORMER_TEST_SIMULATION_CACHE_LIMIT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"

#include "simulation/dice.h"
#include "simulation/informer_simulation.h"

namespace kinformer::testing {

struct CacheLimit {
  std::size_t objects = 0;  // 0: no limit; likewise for bytes
  std::size_t bytes = 0;
  LimitPolicy policy = LimitPolicy::kNotSynced;

  // Every random limit has room for this number of objects.
  static constexpr std::size_t kLeast = 4;
  // Returns a random limit for that informer of the run; often there is none.
  static CacheLimit Draw(const SimulationPlan& plan, int number);

  [[nodiscard]] bool bounded() const { return objects != 0 || bytes != 0; }
  // Returns a text such as ", at most 7 objects, else not synced"; empty without a limit.
  [[nodiscard]] std::string Describe() const;
  // Returns which rule of the limit the cache is breaking now; empty if none.
  [[nodiscard]] std::string BrokenBy(const SharedInformer<corev1::ConfigMap>& informer) const;
};

// Whether the cache knows that the object exists but has no room for it.
[[nodiscard]] bool LeavesOut(const SharedInformer<corev1::ConfigMap>& informer,
                             std::string_view key);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_CACHE_LIMIT_H_
