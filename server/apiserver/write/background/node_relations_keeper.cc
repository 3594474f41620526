#include "apiserver/write/background/node_relations_keeper.h"

namespace kinformer::apiserver {
namespace {

bool IsRead(const ServedResource& resource) {
  return !resource.custom && NodeRelations::Reads(resource.group, resource.plural);
}

}  // namespace

NodeRelationsKeeper::NodeRelationsKeeper(ServerState& state, ObjectWriter& writer,
                                         NodeRelations& relations)
    : state_(state), relations_(relations) {
  writer.AddObserver(*this);
}

void NodeRelationsKeeper::AfterPut(const ObjectPut& put) {
  const ServedResource& resource = *put.at.resource;
  if (!IsRead(resource)) return;
  relations_.Put(resource.plural, put.stored->Parse());
}

void NodeRelationsKeeper::AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) {
  const ServedResource& resource = *at.resource;
  if (!IsRead(resource)) return;
  relations_.Remove(resource.plural, old->namespace_(), old->name());
}

void NodeRelationsKeeper::Reload() {
  relations_.Clear();
  for (const auto& resource : state_.resources.all()) {
    if (!IsRead(*resource)) continue;
    resource->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
      relations_.Put(resource->plural, stored->Parse());
      return true;
    });
  }
}

}  // namespace kinformer::apiserver
