// kinformer/internal/typed_delta_queue.h
//
// TypedDeltaQueue: the typed methods that DeltaFIFO and RealFIFO have in common, around a
// DeltaQueueCore.

#ifndef KINFORMER_INTERNAL_TYPED_DELTA_QUEUE_H_
#define KINFORMER_INTERNAL_TYPED_DELTA_QUEUE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/delta.h"
#include "kinformer/cache/key_lister_getter.h"
#include "kinformer/cache/queue.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/delta_queue_core.h"
#include "kinformer/internal/raw_delta.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer::internal {

template <ObjectView T>
class TypedKnownObjects final : public cache::KnownObjects {
 public:
  explicit TypedKnownObjects(std::shared_ptr<const KeyListerGetter<T>> known)
      : known_(std::move(known)) {}
  [[nodiscard]] ObjectRef Get(std::string_view namespace_, std::string_view name) const override {
    return known_->GetByKey(ObjectName{std::string(namespace_), std::string(name)}.ToString())
        .object();
  }
  void ForEach(const std::function<void(ObjectRef)>& visit) const override {
    for (const std::string& key : known_->ListKeys()) {
      if (Ref<T> object = known_->GetByKey(key)) visit(object.object());
    }
  }

 private:
  const std::shared_ptr<const KeyListerGetter<T>> known_;
};

template <ObjectView T>
std::unique_ptr<const cache::KnownObjects> Untyped(
    std::shared_ptr<const KeyListerGetter<T>> known_objects) {
  if (known_objects == nullptr) return nullptr;
  return std::make_unique<TypedKnownObjects<T>>(std::move(known_objects));
}

template <ObjectView T>
Deltas<T> TypedDeltas(std::vector<cache::Delta> untyped) {
  Deltas<T> deltas;
  deltas.reserve(untyped.size());
  for (cache::Delta& from : untyped) {
    Delta<T>& to = deltas.emplace_back();
    to.type = from.type;
    to.final_state_unknown = from.final_state_unknown;
    to.object = Ref<T>(std::move(from.object));
    if (from.extra == nullptr || from.type == DeltaType::kSyncAll) continue;
    to.info = std::make_shared<ReplacedAllInfo<T>>(
        ReplacedAllInfo<T>{.resourceVersion = std::move(from.extra->resourceVersion),
                           .objects = TypedRefs<T>(std::move(from.extra->objects)),
                           .unreadable = std::move(from.extra->unreadable)});
  }
  return deltas;
}

template <ObjectView T>
class TypedDeltaQueue : public Queue<T> {
 public:
  TypedDeltaQueue(Env& env, DeltaQueueCore::Order order,
                  std::shared_ptr<const KeyListerGetter<T>> known_objects)
      : core_(std::make_shared<DeltaQueueCore>(env, order, Untyped<T>(std::move(known_objects)))) {}

  Result<void> Add(const Ref<T>& object) override { return Push(DeltaType::kAdded, object); }
  Result<void> Update(const Ref<T>& object) override { return Push(DeltaType::kUpdated, object); }
  Result<void> Delete(const Ref<T>& object) override { return Push(DeltaType::kDeleted, object); }
  Result<void> Delete(const DeletedFinalStateUnknown<T>& tombstone) override {
    return Push(DeltaType::kDeleted, tombstone.object, true);
  }
  Result<void> Replace(ReplacedAllInfo<T> list) override {
    cache::DeltaExtra extra;
    extra.resourceVersion = std::move(list.resourceVersion);
    extra.unreadable = std::move(list.unreadable);
    extra.objects.reserve(list.objects.size());
    for (const Ref<T>& object : list.objects) extra.objects.push_back(object.object());
    return core_->PushExtra(DeltaType::kReplacedAll, std::move(extra));
  }
  Result<void> Resync() override { return core_->PushExtra(DeltaType::kSyncAll, {}); }
  Result<void> Bookmark(std::string_view resourceVersion) override {
    return core_->PushExtra(DeltaType::kBookmark,
                            {.resourceVersion = std::string(resourceVersion)});
  }
  Result<void> Unreadable(const ObjectName& name, bool deleted) override {
    return core_->PushExtra(DeltaType::kUnreadable, {.unreadable = {name}}, deleted);
  }

  Result<void> Pop(const ProcessFunc<T>& process) override {
    return core_->Pop(1, [&](std::vector<cache::Delta>& deltas, bool initial) {
      return process(TypedDeltas<T>(std::move(deltas)), initial);
    });
  }
  [[nodiscard]] bool HasSynced() const override { return core_->HasSynced(); }
  void Close() override { core_->Close(); }
  [[nodiscard]] bool IsClosed() const override { return core_->IsClosed(); }

  [[nodiscard]] const std::shared_ptr<DeltaQueueCore>& core() const { return core_; }

 private:
  Result<void> Push(DeltaType type, const Ref<T>& object, bool final_state_unknown = false) {
    return core_->Push(type, object.object(), final_state_unknown);
  }

  const std::shared_ptr<DeltaQueueCore> core_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_TYPED_DELTA_QUEUE_H_
