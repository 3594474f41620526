// base/core/named_env.h
//
// NamedEnv: an Env that adds the name of a cluster to its log lines, metrics and spans, without any
// change in the code that runs on it.

#ifndef KINFORMER_BASE_CORE_NAMED_ENV_H_
#define KINFORMER_BASE_CORE_NAMED_ENV_H_

#include <memory>
#include <string>

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// Returns `env` with a label and a log field "cluster", and an attribute "k8s.cluster.name" of
// spans, or `env` itself if the name is empty. An existing name is replaced, since one cluster's
// client may be made on another's Env. Lives as long as `env`; for an Env made by the user, as long
// as a copy of the pointer.
[[nodiscard]] std::shared_ptr<Env> NamedEnv(Env& env, const std::string& cluster);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_NAMED_ENV_H_
