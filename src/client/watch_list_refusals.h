// client/watch_list_refusals.h
//
// WatchListRefusals: of which resources a server cannot serve watch-lists, so that not every
// informer and every relist has to find out anew.

#ifndef KINFORMER_CLIENT_WATCH_LIST_REFUSALS_H_
#define KINFORMER_CLIENT_WATCH_LIST_REFUSALS_H_

#include <chrono>
#include <map>
#include <string>

#include "kinformer/env.h"

namespace kinformer::internal::client {

// Of one server. A server may be replaced by a newer one behind the same address, and does not say
// so: a refusal is forgotten after an hour, and the next list asks again. Confined to the loop.
class WatchListRefusals {
 public:
  explicit WatchListRefusals(Env& env) : env_(env) {}

  void Add(const std::string& resource) { until_[resource] = env_.Now() + kRemembered; }
  [[nodiscard]] bool Has(const std::string& resource) const {
    const auto found = until_.find(resource);
    return found != until_.end() && env_.Now() < found->second;
  }

 private:
  static constexpr Duration kRemembered = std::chrono::hours(1);

  Env& env_;
  std::map<std::string, SteadyTime> until_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_WATCH_LIST_REFUSALS_H_
