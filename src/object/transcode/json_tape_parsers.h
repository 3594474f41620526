// object/transcode/json_tape_parsers.h
//
// The two ways to a tape's nodes: from the positions of the tokens, fast, for what is well-formed;
// and byte by byte, for the message.

#ifndef KINFORMER_OBJECT_TRANSCODE_JSON_TAPE_PARSERS_H_
#define KINFORMER_OBJECT_TRANSCODE_JSON_TAPE_PARSERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kinformer/result.h"

#include "object/transcode/json_tape.h"

namespace kinformer::internal {

// From the positions that wire::IndexJson gives. `nodes` has room for as many as there are
// positions. False for whatever is not right, and for what is nested deeper than `max_depth` or 512
// levels.
bool ParseIndexed(std::string_view text, std::span<const std::uint32_t> positions,
                  std::size_t max_depth, JsonNode* nodes);

// Lets pass what Go lets pass: strings that are not UTF-8. kDecode with the byte offset.
Result<std::vector<JsonNode>> ParseBytes(std::string_view text, int max_depth);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_JSON_TAPE_PARSERS_H_
