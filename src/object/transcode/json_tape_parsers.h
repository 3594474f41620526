// object/transcode/json_tape_parsers.h
//
// Two parsers that make a tape's nodes: a fast one that uses the positions of tokens, for valid
// text, and one that reads byte by byte, for error messages.

#ifndef KINFORMER_OBJECT_TRANSCODE_JSON_TAPE_PARSERS_H_
#define KINFORMER_OBJECT_TRANSCODE_JSON_TAPE_PARSERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

#include "object/transcode/json_node.h"

namespace kinformer::internal {

// Parses with the positions from wire::IndexJson. `nodes` must have room for as many nodes as there
// are positions. Returns false for invalid text, and for text nested deeper than `max_depth` or 512
// levels.
bool ParseIndexed(std::string_view text, std::span<const std::uint32_t> positions,
                  std::size_t max_depth, JsonNode* nodes);

// Accepts invalid UTF-8 in strings, like Go. kDecode with the byte offset.
Result<std::vector<JsonNode>> ParseBytes(std::string_view text, int max_depth);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_JSON_TAPE_PARSERS_H_
