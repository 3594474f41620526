// apiserver/builtin/builtin_strategy.h
//
// BuiltinStrategy: changes a real API server makes to objects of built-in kinds between decoding
// and storing, beyond defaults: a new pod's phase, class and priority, a Service's addresses, a
// Job's selector. docs/server/apiserver.md lists those made here and those left to controllers.

#ifndef KINFORMER_APISERVER_BUILTIN_BUILTIN_STRATEGY_H_
#define KINFORMER_APISERVER_BUILTIN_BUILTIN_STRATEGY_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/builtin/plugin_names.h"
#include "apiserver/builtin/service_addresses.h"
#include "apiserver/registry/served_resource.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Loop-confined except for static functions, never blocks. Errors are those of the API. Objects
// have their defaults.
class BuiltinStrategy {
 public:
  explicit BuiltinStrategy(ServerState& state)
      : state_(state),
        priority_(IsPluginOn(state.options, "Priority")),
        tolerations_(IsPluginOn(state.options, "DefaultTolerationSeconds")),
        runtime_class_(IsPluginOn(state.options, "RuntimeClass")),
        addresses_(state.options.service_cluster_ip_range) {}

  // Sets what depends on other objects and on `user`, the requester (null: this process), in a new
  // `object` with name and uid. Created() sets the rest.
  Result<void> Create(const ServedResource& resource, const UserInfo* user, json::Value& object);
  // Returns why a new `object` is forbidden once it is valid; empty: it is not.
  [[nodiscard]] std::string RefusalOfValid(const ServedResource& resource, const UserInfo* user,
                                           const json::Value& object) const;
  // Sets what follows from the new `object` itself, whatever its size. Thread-safe.
  static void Created(const ServedResource& resource, WallTime now, json::Value& object);
  // Assigns cluster addresses to a Service, `object`, that replaces `old`. Returns the problems
  // found; empty if there are none.
  std::vector<StatusCause> Assign(const ServedResource& resource, const json::Value& old,
                                  json::Value& object);
  // Makes all other changes for an update of `old`. Thread-safe.
  void Update(const ServedResource& resource, const json::Value& old, json::Value& object) const;
  // Completes `object`, which was sent to `subresource` (empty: to the resource itself) and merged
  // with the fields that the server keeps of `old`. Thread-safe.
  static void Merged(const ServedResource& resource, std::string_view subresource, WallTime now,
                     const json::Value& old, json::Value& object);
  // Update the addresses in use after a write. `object` is `stored`, parsed.
  void Stored(const ServedResource& resource, const StoredObject& stored,
              const json::Value& object);
  void Removed(const ServedResource& resource, const StoredObject& old);
  // Reads the addresses in use from the stored Services.
  void StateReplaced();

 private:
  Result<void> CreatePod(const ServedResource& resource, const UserInfo* user, json::Value& pod);
  static void MergedService(std::string_view subresource, json::Value& object);

  Result<void> SetPriority(const ServedResource& resource, json::Value& pod) const;

  ServerState& state_;
  // Admission plug-ins that are on.
  const bool priority_;
  const bool tolerations_;
  const bool runtime_class_;
  ServiceAddresses addresses_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_BUILTIN_STRATEGY_H_
