#include "kinformer/client/config.h"

namespace kinformer {

Config AnonymousClientConfig(const Config& config) {
  // Names what is kept, so that a new credential is left out.
  Config out;
  out.host = config.host;
  out.namespace_ = config.namespace_;
  out.user_agent = config.user_agent;
  out.tls.insecure = config.tls.insecure;
  out.tls.server_name = config.tls.server_name;
  out.tls.ca_file = config.tls.ca_file;
  out.tls.ca_data = config.tls.ca_data;
  out.proxy_url = config.proxy_url;
  out.dial = config.dial;
  out.qps = config.qps;
  out.burst = config.burst;
  out.rate_limiter = config.rate_limiter;
  out.timeout = config.timeout;
  out.disable_compression = config.disable_compression;
  out.content_type = config.content_type;
  out.origin = config.origin;
  return out;
}

}  // namespace kinformer
