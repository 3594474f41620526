// kinformer/mutation_cache.h
//
// MutationCache: reads a cache together with one's own writes, which it has not heard of yet.
//
//   MutationCache<corev1::Pod> recent(env, pods.indexer());
//   auto handler =
//       pods.AddEventHandler({.on_add = [&](const auto& e) { recent.OnAddOrUpdate(e.object); },
//                             .on_update = [&](const auto& e) {
//                               recent.OnAddOrUpdate(e.new_object);
//                             },
//                             .on_delete = [&](const auto& e) { recent.OnDelete(e.object); }})
//           .OrExit()
//           .Scoped();
//   ...
//   Result<Ref<corev1::Pod>> updated = client.For<corev1::Pod>("default").Update(wanted);
//   if (updated) recent.Mutation(*updated).OrExit();
//   Ref<corev1::Pod> pod = recent.GetByKey("default/web-0");  // at least what was written

#ifndef KINFORMER_MUTATION_CACHE_H_
#define KINFORMER_MUTATION_CACHE_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/index.h"
#include "kinformer/indexer.h"
#include "kinformer/internal/mutation_cache_core.h"
#include "kinformer/internal/view_block.h"
#include "kinformer/ref.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer {

// An overlay of objects that a server has answered with, over an Indexer. Each read gives the newer
// of the two, by resourceVersion. What it gives was true at some time; it is not sure to be what
// Mutation was given last: entries expire, and give way when there are too many.
//
// OnAddOrUpdate and OnDelete are for the informer's handler, as above. They let an entry go as soon
// as the store has what it says, and keep an object that was deleted from being shown because its
// own update came back late.
//
// Thread-safe. Never blocks. Ownership: shares the objects; keeps the indexer, and with it its
// informer; `env` must outlive it.
// Counterpart: cache.MutationCache, NewIntegerResourceVersionMutationCache. One difference: ByIndex
// judges an object by what it is now, the overlay included.
template <ObjectView T>
class MutationCache {
 public:
  MutationCache(Env& env, const Indexer<T>& backing, MutationCacheOptions options = {})
      : core_(std::make_unique<internal::MutationCacheCore>(env, backing.core(), options)) {}

  // "namespace/name", or "name". Null where there is none.
  [[nodiscard]] Ref<T> GetByKey(std::string_view key) { return Ref<T>(core_->GetByKey(key)); }
  // The objects that have the value, in unspecified order. kNotFound: there is no such index.
  [[nodiscard]] Result<std::vector<Ref<T>>> ByIndex(std::string_view index,
                                                    std::string_view value) {
    Result<std::vector<internal::ObjectRef>> found = core_->ByIndex(index, value);
    if (!found) return std::move(found).error();
    std::vector<Ref<T>> typed;
    typed.reserve(found->size());
    for (internal::ObjectRef& object : *found) typed.emplace_back(std::move(object));
    return typed;
  }

  // Shows `object`, which the server has answered a write with, until the cache below has it. No
  // effect where something newer is known, or that it was deleted. kInvalidArgument: it has no
  // name, or a resourceVersion that is no number, so that nothing can be said about its age.
  Result<void> Mutation(const Ref<T>& object) { return core_->Mutation(object.object()); }

  // The cache below has this object: an entry that is not newer goes.
  void OnAddOrUpdate(const T& object) { core_->OnAddOrUpdate(*internal::BlockOfView(object)); }
  // The object was deleted: an entry of it, or one that is not newer, goes. For as long as an entry
  // lives, a Mutation with this uid, or one that is not newer, has no effect.
  void OnDelete(const T& object) { core_->OnDelete(*internal::BlockOfView(object)); }

 private:
  std::unique_ptr<internal::MutationCacheCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_MUTATION_CACHE_H_
