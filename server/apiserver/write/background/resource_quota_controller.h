// apiserver/write/background/resource_quota_controller.h
//
// ResourceQuotaController: keeps status.hard and status.used of ResourceQuotas right, as the
// controller of that name of kube-controller-manager does.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_RESOURCE_QUOTA_CONTROLLER_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_RESOURCE_QUOTA_CONTROLLER_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/plugins/quota_usage.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"

namespace kinformer::apiserver {

// Writes the status inside the write that changes it, so that the next request finds it. A write
// costs as much as its object's size; a new or changed quota, as much as the objects that it
// counts. Loop-confined.
class ResourceQuotaController final : public WriteObserver {
 public:
  ResourceQuotaController(ServerState& state, ObjectWriter& writer)
      : state_(state), writer_(writer) {}

  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;

 private:
  // A quota as this has last written it, and what is used of it.
  struct Counted {
    StoredObjectPtr stored{};
    Quota quota;
    ResourceList used{};
  };
  // Handles a change of an object; null: there is none before, or after it.
  void Changed(const ServedResource& resource, std::string_view namespace_, const StoredObject* old,
               const StoredObject* now);
  // Counts all objects of the namespace.
  [[nodiscard]] ResourceList Count(const Quota& quota, std::string_view namespace_) const;
  // Writes the status of a quota, if that is not what is stored.
  void Write(const StoredObjectPtr& stored, Counted& counted);

  ServerState& state_;
  ObjectWriter& writer_;
  std::map<std::string, Counted> counted_;  // by the quota's key
  bool writing_ = false;
  bool missed_ = false;  // something was not counted while it was writing
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_RESOURCE_QUOTA_CONTROLLER_H_
