// kinformer/internal/block_builder.h
//
// Builds Blocks from bytes. Checks the envelope, the root and its direct children; brings them into
// canonical order; drops fields by the options; builds the index. Malformed bytes give an Error
// that names the place.

#ifndef KINFORMER_INTERNAL_BLOCK_BUILDER_H_
#define KINFORMER_INTERNAL_BLOCK_BUILDER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"
#include "kinformer/object/entry_options.h"
#include "kinformer/object/validation.h"

namespace kinformer::wire {
class JsonBitmap;  // wire/json_bitmap.h
}  // namespace kinformer::wire

namespace kinformer::internal {

class ProjectionTree;  // object/transcode/projection_tree.h

struct BuildOptions {
  bool drop_managed_fields = false;
  std::size_t max_object_bytes = kDefaultMaxObjectBytes;  // of received objects, before cuts
  const ProjectionTree* projection = nullptr;             // null: everything is kept
  Validation validation = Validation::kShallow;
};
// Returns options that refer to the projection of `options`, which must outlive them.
BuildOptions BuildOptionsOf(const EntryOptions& options);

// Builds a block from the kind's own protobuf message, without the envelope ("k8s\0",
// runtime.Unknown). REQUIRES: type.encoding() == kProtobuf.
Result<ObjectRef> BuildFromProtobuf(const KindInfo& type, std::string_view message,
                                    const BuildOptions& options = {});

// Builds a block from JSON, as the API sends it, with or without kind and apiVersion. A built-in
// kind is transcoded to protobuf by its descriptor; a dynamic kind keeps its JSON. `bitmap`: index
// of a text that contains `json`, if there is one.
Result<ObjectRef> BuildFromJson(const KindInfo& type, std::string_view json,
                                const BuildOptions& options = {},
                                const wire::JsonBitmap* bitmap = nullptr);

// Builds the object of a block again, for options that its builder did not know.
Result<ObjectRef> RebuildBlock(const Block& block, const BuildOptions& options);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_BLOCK_BUILDER_H_
