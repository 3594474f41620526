// cache/watch/reflector_metrics.h
//
// ReflectorMetrics: the lists and watches of one reflector, as its informer's metrics count them.

#ifndef KINFORMER_CACHE_WATCH_REFLECTOR_METRICS_H_
#define KINFORMER_CACHE_WATCH_REFLECTOR_METRICS_H_

#include <cstddef>
#include <string_view>

#include "kinformer/env.h"

namespace kinformer::internal::cache {

class InformerMetrics;

// Confined to the loop. `metrics` may be null: then nothing is counted and no clock is read.
class ReflectorMetrics {
 public:
  ReflectorMetrics(Env& env, InformerMetrics* metrics) : env_(env), metrics_(metrics) {}

  // One that fails is begun, and never ends.
  void ListBegins();
  void ListEnds(std::string_view resourceVersion, std::size_t items);

  void WatchBegins();
  // Does nothing where none is open.
  void WatchEnds(std::size_t events);
  void ShortWatch();
  void Failed();
  void EpochBegins();

  // Received, whether or not it is applied yet.
  void Version(std::string_view resourceVersion);

 private:
  Env& env_;
  InformerMetrics* const metrics_;
  SteadyTime begun_{};  // of the list or the watch, whichever is under way
  bool watch_open_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_REFLECTOR_METRICS_H_
