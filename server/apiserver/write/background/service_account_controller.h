// apiserver/write/background/service_account_controller.h
//
// ServiceAccountController: makes the ServiceAccount `default` of each namespace, as the controller
// of that name of kube-controller-manager does.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_SERVICE_ACCOUNT_CONTROLLER_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_SERVICE_ACCOUNT_CONTROLLER_H_

#include <string>

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"

namespace kinformer::apiserver {

// Loop-confined.
class ServiceAccountController final : public WriteObserver {
 public:
  ServiceAccountController(ServerState& state, ObjectWriter& writer)
      : state_(state), writer_(writer) {}

  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;

 private:
  void Make(const std::string& namespace_);

  ServerState& state_;
  ObjectWriter& writer_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_SERVICE_ACCOUNT_CONTROLLER_H_
