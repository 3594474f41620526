// apiserver/write/background/role_keeper.h
//
// RoleKeeper: shows the authorizer the stored roles and bindings, and fills in the rules of
// aggregated ClusterRoles.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_ROLE_KEEPER_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_ROLE_KEEPER_H_

#include <set>
#include <string>

#include "apiserver/authorization/authorizer.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"

namespace kinformer::apiserver {

// A write is known to the authorizer at once; aggregated roles follow in a later turn of the loop.
// Loop-confined.
// Counterpart: the RBAC authorizer's informers; the clusterrole-aggregation-controller.
class RoleKeeper final : private WriteObserver {
 public:
  // Observes `writer`, which must make no write after the destruction of this.
  RoleKeeper(ServerState& state, ObjectWriter& writer, Authorizer& authorizer);
  RoleKeeper(const RoleKeeper&) = delete;
  RoleKeeper& operator=(const RoleKeeper&) = delete;

  // Writes the aggregated roles whose rules are others than those of the roles they select.
  void Aggregate();
  // Reads all roles and bindings again: what is stored was replaced.
  void Reload();

 private:
  void AfterReplace() override { Reload(); }
  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;
  // Returns the rules that a ClusterRole gathers.
  [[nodiscard]] PolicyRules Gathered(const json::Value& role) const;
  void AggregateLater();

  ServerState& state_;
  ObjectWriter& writer_;
  RbacPolicy& policy_;
  std::set<std::string> aggregated_;  // names of ClusterRoles with an aggregationRule
  bool posted_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_ROLE_KEEPER_H_
