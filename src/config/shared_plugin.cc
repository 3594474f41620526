#include "config/shared_plugin.h"

#include <chrono>
#include <utility>

#include "config/shared_by_key.h"

namespace kinformer::internal::config {

namespace {

constexpr int kMostHints = 10;
constexpr Duration kHintPeriod = std::chrono::hours(1);

}  // namespace

std::string PluginKey(const ExecConfig& exec, const ExecCluster& cluster) {
  std::string out;
  for (const std::string* text : {&exec.command, &exec.api_version, &exec.install_hint,
                                  &exec.interactive_mode, &exec.stdin_unavailable_message}) {
    AppendToKey(*text, out);
  }
  out += exec.stdin_unavailable ? "u" : "a";
  AppendToKey(std::to_string(Duration(exec.timeout).count()), out);
  AppendToKey(std::to_string(exec.args.size()), out);
  for (const std::string& arg : exec.args) AppendToKey(arg, out);
  for (const auto& [name, value] : exec.env) {
    AppendToKey(name, out);
    AppendToKey(value, out);
  }
  AppendToKey(exec.plugin_policy.policy_type, out);
  AppendToKey(std::to_string(exec.plugin_policy.allowlist.size()), out);
  for (const std::string& allowed : exec.plugin_policy.allowlist) AppendToKey(allowed, out);
  if (!exec.provide_cluster_info) return out;
  out += "cluster";
  for (const std::string* text : {&cluster.server, &cluster.tls_server_name, &cluster.ca_data,
                                  &cluster.proxy_url, &cluster.config}) {
    AppendToKey(*text, out);
  }
  out += cluster.insecure ? "i" : "v";
  out += cluster.disable_compression ? "p" : "z";
  return out;
}

bool HintLimit::Allows(SteadyTime now) {
  if (!since_ || now - *since_ >= kHintPeriod) {
    since_ = now;
    shown_ = 0;
  }
  return shown_++ < kMostHints;
}

std::shared_ptr<SharedPlugin> SharedPlugin::For(const ExecConfig& exec,
                                                const ExecCluster& cluster) {
  // Never destroyed, since clients may outlive every other object.
  static auto& plugins = *new SharedByKey<SharedPlugin>;
  return plugins.Get(PluginKey(exec, cluster), [&] {
    return std::shared_ptr<SharedPlugin>(new SharedPlugin(exec, cluster));
  });
}

SharedPlugin::SharedPlugin(ExecConfig exec, ExecCluster cluster)
    : exec_(std::move(exec)),
      hint_(std::exchange(exec_.install_hint, std::string())),
      cluster_(std::move(cluster)) {}

Result<NumberedAnswer> SharedPlugin::Obtain(Env& env, std::uint64_t used,
                                            const std::stop_token& stop) {
  const LongLock::Held held = running_.Acquire(stop);
  if (!held) {
    return Error(Reason::kStopped,
                 "credential plugin " + exec_.command + ": stopped before it had answered");
  }
  const std::optional<WallTime>& expires = last_.answer.expires;
  if (last_.number > used && (!expires || env.WallNow() <= *expires)) return last_;
  auto answer = RunExecPlugin(env, exec_, cluster_, stop);
  if (!answer) return WithHint(env, answer.error());
  last_ = {*std::move(answer), last_.number + 1};
  NumberedAnswer out = last_;
  out.ran = true;
  return out;
}

Error SharedPlugin::WithHint(Env& env, const Error& error) {
  if (hint_.empty() || error.reason() != Reason::kConfig || !hints_.Allows(env.Now())) return error;
  return Error(Reason::kConfig, error.message() + ". " + hint_);
}

}  // namespace kinformer::internal::config
