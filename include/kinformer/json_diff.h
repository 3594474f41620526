// kinformer/json_diff.h
//
// What changed between two documents, as a patch that makes one of the other: a JSON Patch (RFC
// 6902) or a merge patch (RFC 7386). And JSON patches applied.
//
//   Result<Ref<Unstructured>> done = client.Dynamic(mapping).Patch(
//       "blue", {PatchType::kMergePatch, json::MergeDiff(before, after).OrExit().Dump()});
//
// Thread-safe; nothing blocks. Equality is that of json::Value: the order of members does not
// matter, 1 equals 1.0.

#ifndef KINFORMER_JSON_DIFF_H_
#define KINFORMER_JSON_DIFF_H_

#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::json {

// An array of add, remove and replace operations that turns `from` into `to`; empty where they are
// equal. Objects are compared member by member. Of arrays, what is equal at both ends stays;
// between, items are changed in place, and what is over is added or removed at the end of that
// stretch.
[[nodiscard]] Value Diff(const Value& from, const Value& to);

// The merge patch that turns `from` into `to`. An array that differs stands in it whole.
// kInvalidArgument naming the place if `to` has a member that is null and `from` has not: a merge
// patch cannot say that.
Result<Value> MergeDiff(const Value& from, const Value& to);

// Applies a JSON Patch: add, remove, replace, move, copy, test. All or nothing: on an error,
// kInvalidArgument with the number of the operation, the document is as it was. One that would make
// the document deeper than 512 levels, or whose copies take more than 64 MiB in memory, is such an
// error.
Result<void> ApplyPatch(const Value& patch, Value& document);

}  // namespace kinformer::json

#endif  // KINFORMER_JSON_DIFF_H_
