// kinformer/merge_from.h
//
// MergeFrom: a patch of what a program has changed of an object, and of nothing else, so that it is
// in nobody's way who has changed other things meanwhile.
//
//   corev1::ConfigMap::Mutable map = read->DeepCopy();
//   const corev1::ConfigMap::Mutable before = map;
//   map.data["color"] = "red";
//   cached.Patch<corev1::ConfigMap>(name, MergeFrom(before, map).OrExit()).OrExit();

#ifndef KINFORMER_MERGE_FROM_H_
#define KINFORMER_MERGE_FROM_H_

#include "kinformer/internal/callable.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/json.h"
#include "kinformer/patch.h"
#include "kinformer/result.h"

namespace kinformer {

// What a patch made of two states is held to. Counterpart: MergeFromOption.
struct MergeFromOptions {
  // The server refuses the patch with kConflict where the object is not in the version of `before`
  // any more. What a list held is replaced as a whole, so a patch of a list wants this.
  // Counterpart: MergeFromWithOptimisticLock.
  bool optimistic_lock{false};
};

// The merge patch that makes `after` of `before`: "{}" where they are equal. kInvalidArgument: with
// optimistic_lock, `before` has no resourceVersion; or `after` has a null that a merge patch cannot
// write. Counterparts: client.MergeFrom, client.MergeFromWithOptions.
[[nodiscard]] Result<Patch> MergeFrom(const json::Value& before, const json::Value& after,
                                      const MergeFromOptions& options = {});
// The same for objects with types.
template <class M>
  requires requires(const M& object) { object.metadata.resourceVersion; }
[[nodiscard]] Result<Patch> MergeFrom(const M& before, const M& after,
                                      const MergeFromOptions& options = {}) {
  using internal::EncodeJson;  // or that of a struct of the program's own
  const Result<json::Value> from = json::Parse(EncodeJson(before));
  if (!from) return from.error();
  const Result<json::Value> to = json::Parse(EncodeJson(after));
  if (!to) return to.error();
  return MergeFrom(*from, *to, options);
}
// The object before alone, as in Go, where the patch is made later.
template <class M>
auto MergeFrom(const M& /*before*/) {
  static_assert(internal::kNeverHolds<M>,
                "MergeFrom takes both states and gives a Result: const auto patch = "
                "MergeFrom(before, after); if (!patch) return patch.error(); "
                "client.Patch<corev1::Pod>(name, *patch)");
  return internal::Never<Patch>();
}

}  // namespace kinformer

#endif  // KINFORMER_MERGE_FROM_H_
