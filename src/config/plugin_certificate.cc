#include "config/plugin_certificate.h"

#include <chrono>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

namespace kinformer::internal::config {
namespace {

// Returns the seconds until a time that is in seconds since 1970.
double SecondsUntil(Env& env, std::int64_t time) {
  const std::chrono::duration<double> now = env.WallNow().time_since_epoch();
  return static_cast<double>(time) - now.count();
}

// When the certificates of all plugins of the process expire, by the sink that they report to.
class Expiries {
 public:
  void Set(const MetricsSink& sink, const PluginCertificate& plugin, std::int64_t expiry) {
    const std::lock_guard lock(mutex_);
    of_[&sink][&plugin] = expiry;
  }
  void Remove(const PluginCertificate& plugin) {
    const std::lock_guard lock(mutex_);
    for (auto sink = of_.begin(); sink != of_.end();) {
      sink->second.erase(&plugin);
      sink = sink->second.empty() ? of_.erase(sink) : std::next(sink);
    }
  }
  [[nodiscard]] std::optional<std::int64_t> Earliest(const MetricsSink& sink) {
    const std::lock_guard lock(mutex_);
    std::optional<std::int64_t> earliest;
    const auto found = of_.find(&sink);
    if (found == of_.end()) return earliest;
    for (const auto& [plugin, expiry] : found->second) {
      if (!earliest || expiry < *earliest) earliest = expiry;
    }
    return earliest;
  }

 private:
  // Not a base::Mutex, so that a forked child may have plugins of its own.
  std::mutex mutex_;
  std::map<const MetricsSink*, std::map<const PluginCertificate*, std::int64_t>> of_;
};

Expiries& AllExpiries() {
  static auto* const all = new Expiries;  // used as long as any client ends
  return *all;
}

}  // namespace

PluginCertificate::~PluginCertificate() {
  // A thread of the parent may have held the lock at the fork.
  if (time_left_ == nullptr || birthplace_.InAnotherProcess()) return;
  AllExpiries().Remove(*this);
  if (!AllExpiries().Earliest(*sink_)) time_left_->Set(std::numeric_limits<double>::infinity());
}

void PluginCertificate::Use(Env& env, const std::string& pem,
                            std::optional<transport::CertificateTimes> times, bool counts) {
  if (!env.metrics().enabled()) return;
  if (counts && pem != pem_ && times_) {
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
    sink_ = &env.metrics();
    time_left_ = env.metrics().NewGauge(
        "rest_client_exec_plugin_ttl_seconds",
        "Seconds until the client certificate of a credential plugin expires; negative if it has.",
        {});
  }
  if (time_left_ == nullptr) return;
  if (times_) {
    AllExpiries().Set(env.metrics(), *this, times_->not_after);
  } else {
    AllExpiries().Remove(*this);
  }
  SetTimeLeft(env);
}

void PluginCertificate::SetTimeLeft(Env& env) const {
  if (time_left_ == nullptr) return;
  const std::optional<std::int64_t> earliest = AllExpiries().Earliest(env.metrics());
  time_left_->Set(earliest ? SecondsUntil(env, *earliest)
                           : std::numeric_limits<double>::infinity());
}

}  // namespace kinformer::internal::config
