// apiserver/builtin/bootstrap_objects.h
//
// What a real API server makes itself when it begins, and keeps.

#ifndef KINFORMER_APISERVER_BUILTIN_BOOTSTRAP_OBJECTS_H_
#define KINFORMER_APISERVER_BUILTIN_BOOTSTRAP_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/api_server_options.h"
#include "kinformer/env.h"
#include "kinformer/json.h"

namespace kinformer::apiserver {

struct BootstrapObject {
  std::string_view group{};
  std::string_view version{};
  std::string_view plural{};
  json::Value object{};
};

// In the order in which they are made, without the namespaces, which come first. `identity` is what
// the server calls itself in its lease.
std::vector<BootstrapObject> BootstrapObjects(const ApiServerOptions& options, WallTime now,
                                              const std::string& identity);

// The value of a priority class that every server has; none for another name.
std::optional<std::int64_t> SystemPriority(std::string_view name);

// The renewTime of its lease.
std::string LeaseTime(WallTime now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_BOOTSTRAP_OBJECTS_H_
