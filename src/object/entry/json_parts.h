// object/entry/json_parts.h
//
// JsonParts: the parts of a dynamic kind's JSON that a block keeps, before the block is made.

#ifndef KINFORMER_OBJECT_ENTRY_JSON_PARTS_H_
#define KINFORMER_OBJECT_ENTRY_JSON_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "object/block/block_layout.h"

namespace kinformer::internal {

struct JsonParts {
  // Members of the root in their order, except kind, apiVersion and metadata: name, colon and value
  // as they are in the text. Members that are neighbours in the text are one piece, which includes
  // the commas between them.
  std::vector<std::string_view> kept;
  std::size_t size = 2;  // size of the payload with commas and braces
  // Strings with escapes in the payload. Positions of their texts count from the start of
  // `unescaped`.
  std::vector<BlockLayout::Unescaped> strings;
  std::string unescaped;

  void Clear() {
    kept.clear();
    size = 2;
    strings.clear();
    unescaped.clear();
  }

  // Keeps the member, and returns its position in the payload.
  std::uint32_t Keep(std::string_view member) {
    // Behind '{', or behind a comma that replaces '}'.
    const std::size_t at = kept.empty() ? 1 : size;
    if (!kept.empty() && BeginsBehindComma(member)) {
      kept.back() = {kept.back().data(), kept.back().size() + 1 + member.size()};
    } else {
      kept.push_back(member);
    }
    size = at + member.size() + 1;
    return static_cast<std::uint32_t>(at);
  }
  // REQUIRES: !kept.empty().
  [[nodiscard]] bool BeginsBehindComma(std::string_view member) const {
    const char* const end = kept.back().data() + kept.back().size();
    return end + 1 == member.data() && *end == ',';
  }
  // `quote`: position of the string in the payload. Its text is the part of `unescaped` from `from`
  // on.
  void AddString(std::size_t quote, std::size_t from) {
    strings.push_back({static_cast<std::uint32_t>(quote), static_cast<std::uint32_t>(from),
                       static_cast<std::uint32_t>(unescaped.size() - from)});
  }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_ENTRY_JSON_PARTS_H_
