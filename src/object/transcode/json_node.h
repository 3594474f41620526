// object/transcode/json_node.h
//
// JsonNode: one value or key of a JSON text, by its place in the text.

#ifndef KINFORMER_OBJECT_TRANSCODE_JSON_NODE_H_
#define KINFORMER_OBJECT_TRANSCODE_JSON_NODE_H_

#include <cstdint>

namespace kinformer::internal {

enum class JsonType : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString, kObject, kArray };

// Without initial values, because a tape is large and filled once.
struct JsonNode {
  std::uint32_t begin;  // of the text, quotes and brackets included
  std::uint32_t end;
  std::uint32_t next;  // the node after this one and all it holds
  JsonType type;
  bool plain;  // a string without escapes that is valid UTF-8
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_JSON_NODE_H_
