#include "config/plugin_certificate.h"

#include <chrono>
#include <cstdint>
#include <limits>

namespace kinformer::internal::config {
namespace {

// Returns the seconds until a time that is in seconds since 1970.
double SecondsUntil(Env& env, std::int64_t time) {
  const std::chrono::duration<double> now = env.WallNow().time_since_epoch();
  return static_cast<double>(time) - now.count();
}

}  // namespace

void PluginCertificate::Use(Env& env, const std::string& pem,
                            std::optional<transport::CertificateTimes> times) {
  if (!env.metrics().enabled()) return;
  if (pem != pem_ && times_) {
    env.metrics()
        .NewHistogram("rest_client_exec_plugin_certificate_rotation_age",
                      "Age in seconds of client certificates of credential plugins when another "
                      "one replaced them.",
                      {})
        ->Observe(-SecondsUntil(env, times_->not_before));
  }
  pem_ = pem;
  times_ = times;
  if (times_ && time_left_ == nullptr) {
    time_left_ = env.metrics().NewGauge(
        "rest_client_exec_plugin_ttl_seconds",
        "Seconds until the client certificate of a credential plugin expires; negative if it has.",
        {});
  }
  SetTimeLeft(env);
}

void PluginCertificate::SetTimeLeft(Env& env) const {
  if (time_left_ == nullptr) return;
  time_left_->Set(times_ ? SecondsUntil(env, times_->not_after)
                         : std::numeric_limits<double>::infinity());
}

}  // namespace kinformer::internal::config
