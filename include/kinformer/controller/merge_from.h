// kinformer/controller/merge_from.h
//
// MergeFrom: a patch with the changes that a program has made to an object, and nothing else, so
// that it does not overwrite other changes made meanwhile.
//
//   corev1::ConfigMap::Mutable map = read->DeepCopy();
//   const corev1::ConfigMap::Mutable before = map;
//   map.data["color"] = "red";
//   cached.Patch<corev1::ConfigMap>(name, MergeFrom(before, map).OrExit()).OrExit();

#ifndef KINFORMER_CONTROLLER_MERGE_FROM_H_
#define KINFORMER_CONTROLLER_MERGE_FROM_H_

#include "kinformer/base/result.h"
#include "kinformer/client/patch.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/json/json.h"

namespace kinformer {

// Options of a patch that is made from two states. Counterpart: MergeFromOption.
struct MergeFromOptions {
  // Lets the server refuse the patch with kConflict if the object no longer has the version of
  // `before`. Set it for patches of lists, since a patch replaces a list as a whole. Counterpart:
  // MergeFromWithOptimisticLock.
  bool optimistic_lock{false};
};

// Returns the merge patch that turns `before` into `after`: "{}" if they are equal.
// kInvalidArgument: with optimistic_lock, `before` has no resourceVersion; or `after` has a null,
// which a merge patch cannot write. Counterparts: client.MergeFrom, client.MergeFromWithOptions.
[[nodiscard]] Result<Patch> MergeFrom(const json::Value& before, const json::Value& after,
                                      const MergeFromOptions& options = {});
// Does the same for typed objects.
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

#endif  // KINFORMER_CONTROLLER_MERGE_FROM_H_
