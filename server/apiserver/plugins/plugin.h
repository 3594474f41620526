// apiserver/plugins/plugin.h
//
// AdmissionPlugin: a built-in admission plug-in. It sees each write of a client before it is
// stored, and refuses it, or fills in fields of a new object. Counterpart: admission.Interface.

#ifndef KINFORMER_APISERVER_PLUGINS_PLUGIN_H_
#define KINFORMER_APISERVER_PLUGINS_PLUGIN_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/audit_trail.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// A create, update or delete of an object, in its stored version, or of a subresource of it.
struct PluginRequest {
  const ServedResource& resource;
  std::string_view subresource{};
  bool creates = false;
  bool deletes = false;
  bool dry_run = false;
  std::string_view namespace_{};  // empty for cluster-scoped objects
  std::string_view name{};        // of the path; empty for creates
  const UserInfo* user = nullptr;
  AuditTrail* audit = nullptr;         // null: the audit log does not have the request
  json::Value& object;                 // null for a delete
  const json::Value& old;              // null for a create
  std::vector<std::string>& warnings;  // for the client

  // Whether this is about the built-in resource itself, and not about a subresource.
  [[nodiscard]] bool IsOf(std::string_view group, std::string_view plural) const {
    return subresource.empty() && resource.Is(group, plural);
  }
  // Returns a 403 with the name of the path or the object, or the beginning of its name if that is
  // generated.
  [[nodiscard]] Error Forbidden(std::string_view why) const;
};

// Loop-confined. Functions must not block, and may read the server's other objects.
class AdmissionPlugin {
 public:
  virtual ~AdmissionPlugin() = default;
  // Fills in fields of a new object, which has its defaults and has not been validated. Mutating
  // webhooks see the result.
  virtual Result<void> Mutate(PluginRequest& /*request*/) { return {}; }
  // Checks a complete, valid object that is about to be stored, before validating webhooks see it.
  virtual Result<void> Validate(const PluginRequest& /*request*/) { return {}; }
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_PLUGIN_H_
