// apiserver/write/background/cluster_details.h
//
// ClusterDetails: objects that a cluster keeps about what it serves: an APIService for each version
// of a group, and an IPAddress for each address of a Service.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_CLUSTER_DETAILS_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_CLUSTER_DETAILS_H_

#include <string>

#include "kinformer/json/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"

namespace kinformer::apiserver {

// Addresses follow a Service within its write, APIServices a definition in a later turn of the
// loop. Loop-confined. Counterparts: the autoregistration of kube-aggregator; the allocator of
// cluster addresses.
class ClusterDetails final : private WriteObserver {
 public:
  // Observes `writer`, which must make no write after the destruction of this.
  ClusterDetails(ServerState& state, ObjectWriter& writer);
  ClusterDetails(const ClusterDetails&) = delete;
  ClusterDetails& operator=(const ClusterDetails&) = delete;

  // Makes the APIServices that are missing, and removes its own of what is no longer served.
  void Register();

 private:
  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;
  void RegisterLater();
  // null: no Service.
  void FollowAddresses(const json::Value& before, const json::Value& after);
  void MakeAddress(const std::string& address, const json::Value& service);

  ServerState& state_;
  ObjectWriter& writer_;
  bool posted_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_CLUSTER_DETAILS_H_
