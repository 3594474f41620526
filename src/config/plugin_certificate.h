// config/plugin_certificate.h
//
// PluginCertificate: metrics of the client certificate that a credential plugin gives, by the names
// of client-go.

#ifndef KINFORMER_CONFIG_PLUGIN_CERTIFICATE_H_
#define KINFORMER_CONFIG_PLUGIN_CERTIFICATE_H_

#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"

#include "base/core/forked.h"
#include "transport/tls_material.h"

namespace kinformer::internal::config {

// One for each plugin. Loop-confined; those of one MetricsSink share a gauge, which shows the
// earliest expiry, also if they are on several loops; +Inf once none is left. A plugin that gives
// tokens only leaves no trace in the metrics.
class PluginCertificate {
 public:
  PluginCertificate() = default;
  ~PluginCertificate();
  PluginCertificate(const PluginCertificate&) = delete;
  PluginCertificate& operator=(const PluginCertificate&) = delete;

  // Takes the certificate of a new answer; empty: it has none. `times`: of that certificate; none
  // if it cannot be read. A certificate that replaces another one is a rotation, which one of the
  // clients that share a plugin `counts`.
  void Use(Env& env, const std::string& pem, std::optional<transport::CertificateTimes> times,
           bool counts = true);
  // Sets the gauge to the time until the earliest expiry. A MetricsSink has no gauges that are
  // computed when they are read, so each request calls this.
  void SetTimeLeft(Env& env) const;

 private:
  std::string pem_;
  std::optional<transport::CertificateTimes> times_;
  std::shared_ptr<Gauge> time_left_;   // null: there was no certificate
  const MetricsSink* sink_ = nullptr;  // that of the gauge; only compared
  const base::Birthplace birthplace_{};
};

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_PLUGIN_CERTIFICATE_H_
