// apiserver/builtin/bootstrap_objects.h
//
// Objects that a real API server creates itself when it starts.

#ifndef KINFORMER_APISERVER_BUILTIN_BOOTSTRAP_OBJECTS_H_
#define KINFORMER_APISERVER_BUILTIN_BOOTSTRAP_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/api_server_options.h"
#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

struct BootstrapObject {
  std::string_view group{};
  std::string_view version{};
  std::string_view plural{};
  json::Value object{};
};

// Returns them in the order of creation, without the namespaces, which come first. `identity` is
// the holder of the server's lease.
std::vector<BootstrapObject> BootstrapObjects(const ApiServerOptions& options, WallTime now,
                                              const std::string& identity);

// Returns the value of a built-in priority class; nullopt for other names.
std::optional<std::int64_t> SystemPriority(std::string_view name);

// Returns the renewTime of the server's lease.
std::string LeaseTime(WallTime now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_BOOTSTRAP_OBJECTS_H_
