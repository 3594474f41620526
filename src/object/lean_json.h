// object/lean_json.h
//
// The short way from an object's JSON to what a block keeps of it: the root's members by their borders, the metadata member by member,
// and no look at the rest beyond its brackets and strings. It takes what API servers write; whatever is unusual (escapes outside the
// metadata, members that come twice, null, text that is not UTF-8, anything malformed) it declines, and the tape takes its time.

#ifndef KINFORMER_OBJECT_LEAN_JSON_H_
#define KINFORMER_OBJECT_LEAN_JSON_H_

#include <string_view>
#include <vector>

#include "object/backward_writer.h"

namespace kinformer::internal {

// Members of the root other than kind, apiVersion and metadata, in order: name, colon and value as they stand. Then the metadata as
// ObjectMeta, before what is in `metadata`: the same bytes that the transcoder makes of it. False: declined, and both are of no use.
// `kept` is cleared first. Thread-safe.
bool ReadLeanJson(std::string_view json, bool drop_managed_fields,
                  std::vector<std::string_view>& kept, BackwardWriter& metadata);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_LEAN_JSON_H_
