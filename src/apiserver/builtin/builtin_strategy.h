// apiserver/builtin/builtin_strategy.h
//
// BuiltinStrategy: what a real API server does to objects of built-in kinds between decoding and
// storing them, beyond defaults: a new pod's phase, class and priority, a Service's addresses, a
// Job's selector. docs/apiserver.md lists what is done here and what is left to controllers.

#ifndef KINFORMER_APISERVER_BUILTIN_BUILTIN_STRATEGY_H_
#define KINFORMER_APISERVER_BUILTIN_BUILTIN_STRATEGY_H_

#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/builtin/service_addresses.h"
#include "apiserver/registry/served_resource.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Loop-confined where nothing else is said, never blocks. Errors are the API's. Objects have their
// defaults.
class BuiltinStrategy {
 public:
  explicit BuiltinStrategy(ServerState& state)
      : state_(state), addresses_(state.options.service_cluster_ip_range) {}

  // `object` is new and has its name and its uid. `user`: whose request it is; null: this process.
  Result<void> Create(const ServedResource& resource, const UserInfo* user, json::Value& object);
  // `object` was sent to take the place of `old`: the addresses of a Service. What is wrong with
  // them.
  std::vector<StatusCause> Assign(const ServedResource& resource, const json::Value& old,
                                  json::Value& object);
  // What else is to be done for it. On any thread.
  static void Update(const ServedResource& resource, const json::Value& old, json::Value& object);
  // What was sent to the subresource (empty: to the resource itself) has been merged with what the
  // server keeps of `old`. On any thread.
  static void Merged(const ServedResource& resource, std::string_view subresource, WallTime now,
                     const json::Value& old, json::Value& object);
  // It has been stored, or removed. `object` is `stored`, parsed.
  void Stored(const ServedResource& resource, const StoredObject& stored,
              const json::Value& object);
  void Removed(const ServedResource& resource, const StoredObject& old);

 private:
  Result<void> CreatePod(const ServedResource& resource, const UserInfo* user, json::Value& pod);
  static void MergedService(std::string_view subresource, json::Value& object);

  ServerState& state_;
  ServiceAddresses addresses_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_BUILTIN_STRATEGY_H_
