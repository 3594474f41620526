#include "apiserver/registry/state_keeper.h"

namespace kinformer::apiserver {

std::uint32_t StateKeeper::NumberOf(const ServedResource& resource) {
  Known& known = known_[&resource];
  if (known.number != 0 && known.forms == resource.forms) return known.number;
  if (known.number == 0) known.number = ++last_;
  known.forms = resource.forms;
  Describe(resource, known);
  return known.number;
}

void StateKeeper::Describe(const ServedResource& resource, const Known& known) {
  KeptResource described{.id = known.number,
                         .reshaped = known.reshaped,
                         .saved = {.group = resource.group,
                                   .plural = resource.plural,
                                   .fields = FieldsKey(resource.fields)}};
  if (resource.forms != nullptr) described.saved.forms = *resource.forms;
  storage_->Describe(std::move(described));
}

void StateKeeper::Reshaped(const ServedResource& resource) {
  const auto known = known_.find(&resource);
  if (known == known_.end()) return;
  known->second.reshaped = true;
  known->second.forms = resource.forms;
  Describe(resource, known->second);
}

void StateKeeper::Drop(const ServedResource& resource) {
  const auto known = known_.find(&resource);
  if (known == known_.end()) return;
  storage_->Drop(known->second.number);
  known_.erase(known);
}

void StateKeeper::KeepAll(const ResourceTable& resources, std::int64_t floor) {
  for (const auto& [resource, known] : known_) storage_->Drop(known.number);
  known_.clear();
  storage_->Clear(floor);
  for (const auto& resource : resources.all()) {
    if (resource->stored != nullptr) continue;
    resource->store->Walk({}, {}, floor, [&](const StoredObjectPtr& stored) {
      Put(*resource, stored, nullptr);
      return true;
    });
  }
}

void StateKeeper::Adopt(const ServedResource& resource, const KeptResource& kept) {
  // Its forms are described again with its next object.
  known_[&resource] = {.number = kept.id, .reshaped = kept.reshaped};
}

}  // namespace kinformer::apiserver
