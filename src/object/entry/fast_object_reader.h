// object/entry/fast_object_reader.h
//
// The short way from an object's JSON to what a block keeps of it: the root's members by their
// borders, the metadata member by member, and no look at the rest beyond its brackets and strings,
// nor at what a projection cuts away. It takes what API servers write; whatever is unusual (names
// with escapes, members of the metadata that come twice, null there, text that is not UTF-8,
// anything malformed) it declines, and the tape takes its time.

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

// What the reader makes. Kept by a thread from one object to the next, for its memory.
struct FastObject {
  JsonParts parts;           // views into the object's JSON, or into `cut`
  std::string cut;           // what a projection left
  MetadataMessage metadata;  // ObjectMeta: the same bytes that the transcoder makes of it
  MetadataKeys keys;
  bool by_template = false;  // the metadata was read by the template of another object's
};

// `bitmap` has read a text that `json` is part of. False: declined, and `object` is of no use.
// Thread-safe.
bool ReadFastObject(std::string_view json, const wire::JsonBitmap& bitmap,
                    const BuildOptions& options, FastObject& object);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_ENTRY_FAST_OBJECT_READER_H_
