#include "transport/wrapped_transport.h"

#include <cstddef>
#include <string>
#include <utility>

#include "base/core/user_call.h"

namespace kinformer::internal::transport {

Result<std::shared_ptr<Transport>> Wrapped(Env& env, const std::vector<WrapperFunc>& wrappers,
                                           std::shared_ptr<Transport> transport) {
  for (std::size_t i = 0; i < wrappers.size(); ++i) {
    if (!wrappers[i]) continue;
    const std::string name = "Config::wrap_transport[" + std::to_string(i) + "]";
    try {
      transport = wrappers[i](std::move(transport));
    } catch (...) {
      const std::string what = base::Thrown();
      base::ReportThrownText(env, "Config::wrap_transport", std::to_string(i), what);
      return Error(Reason::kConfig, name + " threw: " + what);
    }
    if (transport == nullptr) {
      return Error(Reason::kConfig,
                   name + " returned null: let it return its argument if it wraps nothing");
    }
  }
  return transport;
}

}  // namespace kinformer::internal::transport
