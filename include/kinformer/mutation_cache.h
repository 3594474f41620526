// kinformer/mutation_cache.h
//
// MutationCache: reads a cache together with the program's own writes that it lacks so far.
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

// An overlay of objects returned by a server, over an Indexer. Each read returns the newer of the
// two, by resourceVersion. Results were true at some time; they need not include the last Mutation,
// since entries expire, and are removed when there are too many.
//
// Call OnAddOrUpdate and OnDelete in the informer's handler, as above. They remove an entry as soon
// as the store has its state, and prevent that a deleted object is returned because the answer to
// an update arrived late.
//
// Thread-safe. Never blocks. Ownership: shares the objects; keeps the indexer, and with it its
// informer; `env` must outlive it.
// Counterpart: cache.MutationCache, NewIntegerResourceVersionMutationCache. Difference: ByIndex
// uses an object's current state, overlay included.
template <ObjectView T>
class MutationCache {
 public:
  MutationCache(Env& env, const Indexer<T>& backing, MutationCacheOptions options = {})
      : core_(std::make_unique<internal::MutationCacheCore>(env, backing.core(), options)) {}

  // Returns the object with key "namespace/name", or "name". Null if there is none.
  [[nodiscard]] Ref<T> GetByKey(std::string_view key) { return Ref<T>(core_->GetByKey(key)); }
  // Returns the objects with this value, in unspecified order. kNotFound: there is no such index.
  [[nodiscard]] Result<std::vector<Ref<T>>> ByIndex(std::string_view index,
                                                    std::string_view value) {
    Result<std::vector<internal::ObjectRef>> found = core_->ByIndex(index, value);
    if (!found) return std::move(found).error();
    std::vector<Ref<T>> typed;
    typed.reserve(found->size());
    for (internal::ObjectRef& object : *found) typed.emplace_back(std::move(object));
    return typed;
  }

  // Returns `object`, the server's answer to a write, in later reads until the cache below has it.
  // Has no effect if a newer state, or the deletion, is known. kInvalidArgument: it has no name, or
  // its resourceVersion is not a number, so that its age is unknown.
  Result<void> Mutation(const Ref<T>& object) { return core_->Mutation(object.object()); }

  // Reports that the cache below has this object: removes an entry that is not newer.
  void OnAddOrUpdate(const T& object) { core_->OnAddOrUpdate(*internal::BlockOfView(object)); }
  // Reports a deletion: removes an entry with the same uid or a version that is not newer. During
  // the lifetime of an entry, a Mutation with this uid, or one that is not newer, has no effect.
  void OnDelete(const T& object) { core_->OnDelete(*internal::BlockOfView(object)); }

 private:
  std::unique_ptr<internal::MutationCacheCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_MUTATION_CACHE_H_
