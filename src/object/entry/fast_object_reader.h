// object/entry/fast_object_reader.h
//
// The fast path from an object's JSON to the parts that a block keeps. It reads the metadata member
// by member; of the rest it checks only brackets and strings, and it skips parts that a projection
// removes. It accepts the JSON that API servers write. It declines anything unusual or malformed
// (names with escapes, repeated or null members of the metadata, text that is not UTF-8); the
// slower tape then reads the object.

#ifndef KINFORMER_OBJECT_ENTRY_FAST_OBJECT_READER_H_
#define KINFORMER_OBJECT_ENTRY_FAST_OBJECT_READER_H_

#include <string>
#include <string_view>

#include "kinformer/internal/block_builder.h"

#include "object/block/block_assembly.h"
#include "object/entry/json_parts.h"
#include "object/entry/metadata_message.h"
#include "wire/json_bitmap.h"

namespace kinformer::internal {

// Result of the reader. Each thread reuses one for all objects, to reuse its memory.
struct FastObject {
  JsonParts parts;           // views into the object's JSON, or into `cut`
  std::string cut;           // the content that a projection kept
  MetadataMessage metadata;  // ObjectMeta, byte for byte as the transcoder writes it
  MetadataKeys keys;
  bool by_template = false;  // the metadata was read with the template of an earlier object
};

// Returns false if the reader declines; then `object` must not be used. `bitmap` must have read a
// text that contains `json`. Thread-safe.
bool ReadFastObject(std::string_view json, const wire::JsonBitmap& bitmap,
                    const BuildOptions& options, FastObject& object);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_ENTRY_FAST_OBJECT_READER_H_
