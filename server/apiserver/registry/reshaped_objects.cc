#include "apiserver/registry/reshaped_objects.h"

#include <algorithm>
#include <utility>

#include "apiserver/schema/schema_fields.h"

namespace kinformer::apiserver {

ReshapedObjects::ReshapedObjects(std::shared_ptr<const DefinedResource> defined,
                                 const ServedResource& resource, HistoryLimits limits,
                                 SteadyTime now)
    : defined_(std::move(defined)),
      forms_(resource.forms),
      from_(resource.store),
      now_(now),
      next_event_(from_->end_sequence()),
      to_(std::make_shared<ResourceStore>(limits)) {
  for (const auto& version : defined_->versions) {
    if (version->storage) storage_ = version;
  }
}

bool ReshapedObjects::Fit(const ServedResource& resource,
                          const std::shared_ptr<const DefinedResource>& defined) const {
  return defined_ == defined && from_ == resource.store && from_->begin_sequence() <= next_event_;
}

bool ReshapedObjects::Collect(std::int64_t resource_version,
                              const internal::base::WorkSlice* turn) {
  constexpr std::size_t kMostLooks = 4096;
  constexpr std::size_t kLooks = 64;  // between two readings of the clock
  std::size_t looks = 1;
  bool all = true;
  // Each turn walks the current state: later changes are in the events since the beginning.
  from_->Walk({}, next_, resource_version, [&](const StoredObjectPtr& stored) {
    if (turn != nullptr && (looks == kMostLooks || (looks % kLooks == 0 && turn->over()))) {
      next_ = stored->key();
      all = false;
      return false;
    }
    ++looks;
    collected_.push_back(stored);
    return true;
  });
  return all;
}

std::size_t ReshapedObjects::BytesBehind() const {
  std::size_t bytes = 0;
  for (std::uint64_t i = std::max(next_event_, from_->begin_sequence()); i < from_->end_sequence();
       ++i) {
    bytes += from_->event(i).current->body().size();
  }
  return bytes;
}

void ReshapedObjects::CollectBehind() {
  for (next_event_ = std::max(next_event_, from_->begin_sequence());
       next_event_ < from_->end_sequence(); ++next_event_) {
    collected_.push_back(from_->event(next_event_).current);
  }
}

void ReshapedObjects::Shape() {
  std::sort(collected_.begin(), collected_.end(), [](const auto& a, const auto& b) {
    return a->resource_version() < b->resource_version();
  });
  for (const StoredObjectPtr& stored : collected_) Put(*stored);
  if (!collected_.empty()) to_->Compact(collected_.back()->resource_version());
  collected_.clear();
}

void ReshapedObjects::Put(const StoredObject& stored) {
  if (stored.tombstone()) {
    to_->Delete(stored.AtResourceVersion(stored.resource_version(), /*tombstone=*/true), now_);
    return;
  }
  const StoredObjectPtr known = to_->Get(stored.key());
  if (known != nullptr && known->resource_version() >= stored.resource_version()) return;
  mixed_forms_ = mixed_forms_ || (*forms_)[stored.form()] != storage_->version;
  json::Value object = stored.Parse();
  if (const StructuralSchema* schema = SchemaOf(stored)) {
    PruneObject(schema->root(), object);
    // Many small objects may be stored, so the total growth by defaults is limited, too.
    if (grown_ <= kMaxDefaultBytes) (void)ApplyDefaults(schema->root(), object);
    StoreIntegers(schema->root(), object);
  }
  StoredObjectPtr shaped =
      StoredObject::Make(object, stored.resource_version(), defined_->fields, stored.form());
  grown_ += shaped->bytes() - std::min(shaped->bytes(), stored.bytes());
  changed_ =
      changed_ || shaped->body() != stored.body() || shaped->FieldsText() != stored.FieldsText();
  to_->Put(std::move(shaped), now_);
}

const StructuralSchema* ReshapedObjects::SchemaOf(const StoredObject& stored) const {
  const std::string& form = (*forms_)[stored.form()];
  if (defined_->webhook == nullptr || storage_->version == form) return storage_->schema.get();
  for (const auto& version : defined_->versions) {
    if (version->version == form) return version->schema.get();
  }
  return nullptr;
}

std::shared_ptr<ResourceStore> ReshapedObjects::Result(std::int64_t resource_version) const {
  if (!changed_) return nullptr;
  to_->Compact(resource_version);
  return to_;
}

std::shared_ptr<ResourceStore> ReshapeObjects(ServedResource& resource,
                                              std::shared_ptr<ReshapedObjects> ready,
                                              std::int64_t resource_version, HistoryLimits limits,
                                              SteadyTime now) {
  if (ready == nullptr || !ready->Fit(resource, resource.defined)) {
    ready = std::make_shared<ReshapedObjects>(resource.defined, resource, limits, now);
    ready->Collect(resource_version, nullptr);
  }
  ready->CollectBehind();
  ready->Shape();
  resource.mixed_forms = ready->mixed_forms();
  std::shared_ptr<ResourceStore> shaped = ready->Result(resource_version);
  if (shaped == nullptr) return nullptr;
  return std::exchange(resource.store, std::move(shaped));
}

}  // namespace kinformer::apiserver
