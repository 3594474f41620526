// apiserver/plugins/default_storage_class.h
//
// DefaultStorageClass: new PersistentVolumeClaims without a class get the default one.

#ifndef KINFORMER_APISERVER_PLUGINS_DEFAULT_STORAGE_CLASS_H_
#define KINFORMER_APISERVER_PLUGINS_DEFAULT_STORAGE_CLASS_H_

#include "apiserver/plugins/plugin.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Loop-confined.
class DefaultStorageClass final : public AdmissionPlugin {
 public:
  explicit DefaultStorageClass(const ServerState& state) : state_(state) {}
  Result<void> Mutate(PluginRequest& request) override;

 private:
  const ServerState& state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_DEFAULT_STORAGE_CLASS_H_
