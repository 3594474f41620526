// apiserver/write/background/node_relations_keeper.h
//
// NodeRelationsKeeper: shows the authorizer of kubelets the stored pods, volumes and what else
// relates objects to nodes.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_NODE_RELATIONS_KEEPER_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_NODE_RELATIONS_KEEPER_H_

#include "apiserver/authorization/node_relations.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"

namespace kinformer::apiserver {

// A write is known to the authorizer at once. Loop-confined.
// Counterpart: the informers of the node authorizer.
class NodeRelationsKeeper final : private WriteObserver {
 public:
  // Observes `writer`, which must make no write after the destruction of this.
  NodeRelationsKeeper(ServerState& state, ObjectWriter& writer, NodeRelations& relations);
  NodeRelationsKeeper(const NodeRelationsKeeper&) = delete;
  NodeRelationsKeeper& operator=(const NodeRelationsKeeper&) = delete;

  // Reads all objects again: what is stored was replaced.
  void Reload();

 private:
  void AfterReplace() override { Reload(); }
  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;

  ServerState& state_;
  NodeRelations& relations_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_NODE_RELATIONS_KEEPER_H_
