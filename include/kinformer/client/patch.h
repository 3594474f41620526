// kinformer/client/patch.h
//
// Kinds of PATCH bodies. Counterpart: types.PatchType.

#ifndef KINFORMER_CLIENT_PATCH_H_
#define KINFORMER_CLIENT_PATCH_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer {

// Format of a patch's body. Counterpart: types.PatchType.
enum class PatchType : std::uint8_t {
  kJsonPatch,       // RFC 6902: a list of operations
  kMergePatch,      // RFC 7386: an object laid over the other; null removes
  kStrategicMerge,  // Kubernetes' own: lists merge by their keys; built-in kinds only
  kApply,           // server-side apply, in YAML or JSON; needs PatchOptions::fieldManager
};

// Returns the Content-Type of the request: "application/merge-patch+json", ...
[[nodiscard]] std::string_view PatchContentType(PatchType type);

// A patch and its format.
struct Patch {
  PatchType type{PatchType::kMergePatch};
  std::string body{};  // JSON; for kApply YAML too
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_PATCH_H_
