#include "object/transcode/json_tape.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "object/transcode/json_tape_parsers.h"
#include "wire/json_index.h"
#include "wire/json_text.h"

namespace kinformer::internal {
namespace {

// Larger tapes are freed instead of being kept for reuse.
constexpr std::size_t kMostSpareNodes = 65536;

thread_local JsonNodes spare_nodes;

}  // namespace

JsonTape::~JsonTape() {
  if (nodes_.at != nullptr && nodes_.capacity > spare_nodes.capacity &&
      nodes_.capacity <= kMostSpareNodes) {
    spare_nodes = std::move(nodes_);
  }
}

Result<JsonTape> JsonTape::Parse(std::string_view text, int max_depth) {
  if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return Error(Reason::kDecode, "JSON: the text is larger than 4 GiB");
  }
  const std::span<const std::uint32_t> positions = wire::IndexJson(text);
  if (!positions.empty()) {
    JsonNodes nodes = std::exchange(spare_nodes, {});
    if (nodes.capacity < positions.size()) {
      nodes.capacity = std::max<std::size_t>(1024, positions.size() * 5 / 4);
      nodes.at = std::make_unique_for_overwrite<JsonNode[]>(nodes.capacity);
    }
    JsonTape tape(text, std::move(nodes));
    if (ParseIndexed(text, positions, static_cast<std::size_t>(max_depth), tape.nodes_.at.get())) {
      return tape;
    }
  }
  return ParseCarefully(text, max_depth);
}

Result<JsonTape> JsonTape::ParseCarefully(std::string_view text, int max_depth) {
  Result<std::vector<JsonNode>> read = ParseBytes(text, max_depth);
  if (!read) return std::move(read).error();
  JsonNodes nodes{std::make_unique_for_overwrite<JsonNode[]>(read->size()), read->size()};
  std::copy(read->begin(), read->end(), nodes.at.get());
  return JsonTape(text, std::move(nodes));
}

std::string_view JsonTape::Unescape(std::string_view in, std::string& scratch) {
  scratch.clear();
  std::size_t at = 0;
  while (at < in.size()) {
    if (in[at] != '\\') {
      const std::size_t length = json::Utf8SequenceLength(in.substr(at));
      if (length == 0) {
        json::AppendUtf8(0xfffd, scratch);
        ++at;
      } else {
        scratch.append(in.substr(at, length));
        at += length;
      }
      continue;
    }
    const char* bad = nullptr;
    const char* const next = json::ReadEscape(in.data() + at, in.data() + in.size(), &scratch, bad);
    if (next == nullptr) break;  // unreachable: the escapes were checked before
    at = static_cast<std::size_t>(next - in.data());
  }
  return scratch;
}

std::string JsonTape::PathOf(std::uint32_t node) const {
  std::string path;
  std::string scratch;
  std::uint32_t at = 0;
  while (at != node) {
    const JsonNode& parent = nodes_[at];
    std::uint32_t child = at + 1;
    std::size_t index = 0;
    std::uint32_t key = 0;
    while (child < parent.next) {
      if (parent.type == JsonType::kObject) {
        key = child;
        child = nodes_[child].next;
      }
      if (node == key || (node >= child && node < nodes_[child].next)) break;
      child = nodes_[child].next;
      ++index;
    }
    if (child >= parent.next) break;
    if (parent.type == JsonType::kObject) {
      if (!path.empty()) path += '.';
      path += String(key, scratch);
      if (node == key) break;
    } else {
      path += '[' + std::to_string(index) + ']';
    }
    at = child;
  }
  return path;
}

std::string_view JsonTape::TypeName(std::uint32_t node) const {
  switch (nodes_[node].type) {
    case JsonType::kNull:
      return "null";
    case JsonType::kFalse:
    case JsonType::kTrue:
      return "a boolean";
    case JsonType::kNumber:
      return "a number";
    case JsonType::kString:
      return "a string";
    case JsonType::kObject:
      return "an object";
    case JsonType::kArray:
      break;
  }
  return "an array";
}

}  // namespace kinformer::internal
