// base/core/named_envs.h
//
// NamedEnvs: the named forms of an Env (named_env.h), which that Env keeps.

#ifndef KINFORMER_BASE_CORE_NAMED_ENVS_H_
#define KINFORMER_BASE_CORE_NAMED_ENVS_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// The named forms of one Env. Each is made once and kept as long as this object, so code that runs
// on one need not keep its owner. Thread-safe.
class NamedEnvs {
 public:
  NamedEnvs();
  ~NamedEnvs();
  NamedEnvs(const NamedEnvs&) = delete;
  NamedEnvs& operator=(const NamedEnvs&) = delete;

  // Returns the form for the cluster; `make` makes it at the first call.
  Env& Get(const std::string& cluster, const std::function<std::unique_ptr<Env>()>& make);

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Env>> by_cluster_;
};

// Base class of the library's own Envs, which keep their named forms.
class KeepsNamedEnvs {
 public:
  NamedEnvs& named_envs() { return named_envs_; }

 protected:
  KeepsNamedEnvs() = default;
  ~KeepsNamedEnvs() = default;

 private:
  NamedEnvs named_envs_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_NAMED_ENVS_H_
