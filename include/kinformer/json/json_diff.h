// kinformer/json/json_diff.h
//
// Patches that turn one document into another: as a JSON Patch (RFC 6902) or a merge patch (RFC
// 7386); and application of JSON patches.
//
//   Result<Ref<Unstructured>> done = client.Dynamic(mapping).Patch(
//       "blue", {PatchType::kMergePatch, json::MergeDiff(before, after).OrExit().Dump()});
//
// Thread-safe; nothing blocks. Equality is that of json::Value: the order of members does not
// matter, 1 equals 1.0.

#ifndef KINFORMER_JSON_JSON_DIFF_H_
#define KINFORMER_JSON_JSON_DIFF_H_

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::json {

// Returns an array of add, remove and replace operations that turns `from` into `to`; empty if they
// are equal. Objects are compared member by member. In arrays, equal items at both ends stay;
// between them, items are changed in place, and surplus items are added or removed at the end of
// that part.
[[nodiscard]] Value Diff(const Value& from, const Value& to);

// Returns the merge patch that turns `from` into `to`; an array that differs is in it as a whole.
// kInvalidArgument, naming the place: `to` has a null member that `from` lacks, which a merge patch
// cannot set.
Result<Value> MergeDiff(const Value& from, const Value& to);

// Applies a JSON Patch: add, remove, replace, move, copy, test. On an error, kInvalidArgument with
// the number of the operation, the document does not change. Operations that would nest the
// document deeper than 512 levels, or whose copies take more than 64 MiB of memory, are errors
// too.
Result<void> ApplyPatch(const Value& patch, Value& document);

}  // namespace kinformer::json

#endif  // KINFORMER_JSON_JSON_DIFF_H_
