// otlp/settings.h
//
// Settings: the options of an OtlpTracer, completed from the environment and checked.

#ifndef KINFORMER_OTLP_SETTINGS_H_
#define KINFORMER_OTLP_SETTINGS_H_

#include <functional>
#include <optional>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/otlp/otlp_tracer.h"

#include "otlp/encoding.h"
#include "otlp/sampler.h"

namespace kinformer::internal::otlp {

struct Settings {
  std::string base_url{};  // scheme, host and port
  std::string target{};    // path
  HttpHeaders headers{};   // may be secret
  std::string ca_file{};
  ResourceAttributes resource{};  // service.name first
  Sampler sampler{};
};

// Reads a variable of the environment; empty: it is not set.
using Variables = std::function<std::optional<std::string>(const std::string& name)>;

// Errors are kConfig, and have no value of a header in them.
Result<Settings> SettingsOf(const OtlpOptions& options, const Variables& variables);

// The variables of this process.
[[nodiscard]] Variables OwnVariables();

}  // namespace kinformer::internal::otlp

#endif  // KINFORMER_OTLP_SETTINGS_H_
