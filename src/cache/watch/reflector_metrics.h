// cache/watch/reflector_metrics.h
//
// ReflectorMetrics: counts the lists and watches of a reflector in its informer's metrics.

#ifndef KINFORMER_CACHE_WATCH_REFLECTOR_METRICS_H_
#define KINFORMER_CACHE_WATCH_REFLECTOR_METRICS_H_

#include <cstddef>
#include <string_view>

#include "kinformer/base/env.h"

namespace kinformer::internal::cache {

class InformerMetrics;

// Confined to the loop. `metrics` may be null: then it counts nothing and reads no clock.
class ReflectorMetrics {
 public:
  ReflectorMetrics(Env& env, InformerMetrics* metrics) : env_(env), metrics_(metrics) {}

  // A list that fails begins and never ends.
  void ListBegins();
  void ListEnds(std::string_view resourceVersion, std::size_t items);

  void WatchBegins();
  // Does nothing if no watch is open.
  void WatchEnds(std::size_t events);
  void ShortWatch();
  void Failed();
  void EpochBegins();

  // Records a version as received, even if it is not applied yet.
  void Version(std::string_view resourceVersion);

 private:
  Env& env_;
  InformerMetrics* const metrics_;
  SteadyTime begun_{};  // start of the current list or watch
  bool watch_open_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_REFLECTOR_METRICS_H_
