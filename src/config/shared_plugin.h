// config/shared_plugin.h
//
// SharedPlugin: a credential plugin and its last answer, for all clients of the process that use it
// with the same settings.

#ifndef KINFORMER_CONFIG_SHARED_PLUGIN_H_
#define KINFORMER_CONFIG_SHARED_PLUGIN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/config.h"

#include "config/exec_cluster.h"
#include "config/exec_plugin.h"
#include "config/shared_by_key.h"

namespace kinformer::internal::config {

// Returns a text that is equal for equal settings, and for no others. It has secrets in it, such as
// the plugin's variables. The cluster counts only if the plugin is told about it.
std::string PluginKey(const ExecConfig& exec, const ExecCluster& cluster);

// Decides how often the installation hint of a plugin is shown: 10 times in an hour, counted from
// the first of them. Same numbers as in client-go.
class HintLimit {
 public:
  bool Allows(SteadyTime now);

 private:
  std::optional<SteadyTime> since_{};
  int shown_ = 0;
};

// An answer and its number: later answers of a plugin have larger ones, from 1 on.
struct NumberedAnswer {
  ExecAnswer answer{};
  std::uint64_t number = 0;
  bool ran = false;  // for this caller, who is the one that counts it
};

// Thread-safe. Lives as long as a client uses it. Counterpart: exec.Authenticator of client-go,
// which is cached in the same way.
class SharedPlugin {
 public:
  // Returns the one of these settings.
  static std::shared_ptr<SharedPlugin> For(const ExecConfig& exec, const ExecCluster& cluster);

  SharedPlugin(const SharedPlugin&) = delete;
  SharedPlugin& operator=(const SharedPlugin&) = delete;

  // Returns the last answer if it has not expired and is newer than that of number `used`, else
  // that of a run. Blocks for the run, and for one that is under way, like RunExecPlugin; errors
  // like there. A failed run is nobody else's answer.
  Result<NumberedAnswer> Obtain(Env& env, std::uint64_t used, const std::stop_token& stop);

 private:
  SharedPlugin(ExecConfig exec, ExecCluster cluster);
  [[nodiscard]] Error WithHint(Env& env, const Error& error);

  ExecConfig exec_;  // without its hint
  const std::string hint_;
  const ExecCluster cluster_;
  LongLock running_;  // held during a run; guards what follows
  NumberedAnswer last_{};
  HintLimit hints_{};
};

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_SHARED_PLUGIN_H_
