// base/core/named_env.h
//
// NamedEnv: an Env that adds the name of a cluster to its log lines and metrics, without any change
// in the code that runs on it.

#ifndef KINFORMER_BASE_CORE_NAMED_ENV_H_
#define KINFORMER_BASE_CORE_NAMED_ENV_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kinformer/env.h"

namespace kinformer::internal::base {

// The named forms of one Env. Each is made once and kept as long as this object, so code that runs
// on one need not keep its owner. Thread-safe.
class NamedEnvs {
 public:
  NamedEnvs();
  ~NamedEnvs();
  NamedEnvs(const NamedEnvs&) = delete;
  NamedEnvs& operator=(const NamedEnvs&) = delete;

  // REQUIRES: `env` is the same at each call, and outlives this.
  Env& Get(Env& env, const std::string& cluster);

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

// Returns `env` with a label and a log field "cluster", or `env` itself if the name is empty. An
// existing name is replaced, since one cluster's client may be made on another's Env. Lives as long
// as `env`; for an Env made by the user, as long as a copy of the pointer.
[[nodiscard]] std::shared_ptr<Env> NamedEnv(Env& env, const std::string& cluster);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_NAMED_ENV_H_
