// client/refusals.h
//
// Refusals: remembers the resources for which a server does not support something, so that not
// every informer and every relist has to try.

#ifndef KINFORMER_CLIENT_REFUSALS_H_
#define KINFORMER_CLIENT_REFUSALS_H_

#include <chrono>
#include <map>
#include <string>

#include "kinformer/base/env.h"

namespace kinformer::internal::client {

// For one server. It may be replaced by a newer one behind the same address, without notice; so
// refusals expire after an hour, and the next list tries again. Loop-confined.
class Refusals {
 public:
  explicit Refusals(Env& env) : env_(env) {}

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

#endif  // KINFORMER_CLIENT_REFUSALS_H_
