#include "base/core/named_envs.h"

namespace kinformer::internal::base {

NamedEnvs::NamedEnvs() = default;
NamedEnvs::~NamedEnvs() = default;

Env& NamedEnvs::Get(const std::string& cluster, const std::function<std::unique_ptr<Env>()>& make) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Env>& named = by_cluster_[cluster];
  if (named == nullptr) named = make();
  return *named;
}

}  // namespace kinformer::internal::base
