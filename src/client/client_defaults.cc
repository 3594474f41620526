#include "client/client_defaults.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "kinformer/base/version.h"

#include "client/engine.h"

namespace kinformer::internal::client {
namespace {

// Defaults of client-go.
constexpr double kDefaultQps = 5;
constexpr int kDefaultBurst = 10;

}  // namespace

std::string DefaultUserAgent() {
  std::string program;
  std::getline(std::ifstream("/proc/self/comm"), program);
  if (program.empty()) program = "unknown";
  for (char& c : program) {
    if (c <= ' ' || c > '~' || c == '/') c = '_';
  }
#if defined(__x86_64__)
  constexpr const char* kArch = "amd64";
#elif defined(__aarch64__)
  constexpr const char* kArch = "arm64";
#else
  constexpr const char* kArch = "unknown";
#endif
#if defined(__linux__)
  constexpr const char* kOs = "linux";
#elif defined(__APPLE__)
  constexpr const char* kOs = "darwin";
#else
  constexpr const char* kOs = "unknown";
#endif
  return program + "/" + kVersion + " (" + kOs + "/" + kArch + ") kinformer";
}

ClientOptions CompleteOptions(ClientOptions options) {
  if (options.qps == 0) options.qps = kDefaultQps;
  if (options.burst == 0) options.burst = kDefaultBurst;
  options.max_retries = std::max(options.max_retries, 0);
  if (options.user_agent.empty()) options.user_agent = DefaultUserAgent();
  return options;
}

ClientOptions OptionsFor(const Config& config, ClientOptions options) {
  if (options.rate_limiter == nullptr && options.qps == 0 && options.burst == 0) {
    options.rate_limiter = config.rate_limiter;
  }
  if (options.qps == 0) options.qps = config.qps;
  if (options.burst == 0) options.burst = config.burst;
  if (options.timeout == Duration::zero()) options.timeout = config.timeout;
  if (options.user_agent.empty()) options.user_agent = config.user_agent;
  if (config.content_type == kJsonMediaType) options.prefer_json = true;
  return CompleteOptions(std::move(options));
}

}  // namespace kinformer::internal::client
