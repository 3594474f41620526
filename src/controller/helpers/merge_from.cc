#include "kinformer/controller/merge_from.h"

#include <string>
#include <utility>

#include "kinformer/json/json_diff.h"

namespace kinformer {

Result<Patch> MergeFrom(const json::Value& before, const json::Value& after,
                        const MergeFromOptions& options) {
  Result<json::Value> patch = json::MergeDiff(before, after);
  if (!patch) return std::move(patch).error();
  if (options.optimistic_lock) {
    const std::string& version = before["metadata"]["resourceVersion"].StringOrEmpty();
    if (version.empty()) {
      return Error(
          Reason::kInvalidArgument,
          "a patch with optimistic_lock: the object before has no resourceVersion; read it "
          "from the server");
    }
    patch->Ensure("metadata").Set("resourceVersion", version);
  }
  return Patch{.type = PatchType::kMergePatch, .body = patch->Dump()};
}

}  // namespace kinformer
