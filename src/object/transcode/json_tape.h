// object/transcode/json_tape.h
//
// JsonTape: a JSON text as a flat list of nodes that refer to it. The text is checked once; after
// that it can be read in any order without parsing it again. "Tape" is simdjson's word for such a
// list. It is made for the transcoder, which needs the verbatim text of members and visits them in
// the order of the protobuf fields.

#ifndef KINFORMER_OBJECT_TRANSCODE_JSON_TAPE_H_
#define KINFORMER_OBJECT_TRANSCODE_JSON_TAPE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"

#include "object/transcode/json_node.h"

namespace kinformer::internal {

// Memory for nodes. Each thread keeps one for its next tape.
struct JsonNodes {
  std::unique_ptr<JsonNode[]> at;
  std::size_t capacity = 0;

  JsonNode& operator[](std::size_t i) const { return at[i]; }
};

// The nodes of one JSON value; node 0 is the value itself. An object's children are key, value,
// key, value, ...; an array's its elements: the first child of node i is i + 1, the next one is
// nodes[child].next, and the last one ends at nodes[i].next.
//
// One value may be left unparsed: metadata.managedFields[].fieldsV1, a third of many objects, which
// is rarely used. It is a node without children then, and only its brackets and strings were
// checked.
//
// Refers to the text, which must outlive it. Thread-compatible.
class JsonTape {
 public:
  JsonTape(JsonTape&&) noexcept = default;
  JsonTape& operator=(JsonTape&&) = delete;
  ~JsonTape();

  // kDecode with the byte offset if `text` is not exactly one JSON value, nested at most
  // `max_depth` deep.
  static Result<JsonTape> Parse(std::string_view text, int max_depth = 512);

  // Like Parse, byte by byte: used for error messages, and for text that is not UTF-8.
  static Result<JsonTape> ParseCarefully(std::string_view text, int max_depth = 512);

  [[nodiscard]] const JsonNode& operator[](std::uint32_t node) const { return nodes_[node]; }

  // Returns the verbatim text of a node.
  [[nodiscard]] std::string_view Text(std::uint32_t node) const {
    return text_.substr(nodes_[node].begin, nodes_[node].end - nodes_[node].begin);
  }
  // Returns the content of a string: a view into the text if there are no escapes, else unescaped
  // in `scratch`. Lone surrogates and invalid UTF-8 become U+FFFD, as in Go.
  [[nodiscard]] std::string_view String(std::uint32_t node, std::string& scratch) const {
    const JsonNode& at = nodes_[node];
    const std::string_view in = text_.substr(at.begin + 1, at.end - at.begin - 2);
    return at.plain ? in : Unescape(in, scratch);
  }

  // Returns the path of a node: "spec.containers[0].name". Empty for the root.
  [[nodiscard]] std::string PathOf(std::uint32_t node) const;

  // Returns "a string", "an object", for messages.
  [[nodiscard]] std::string_view TypeName(std::uint32_t node) const;

 private:
  JsonTape(std::string_view text, JsonNodes nodes) : text_(text), nodes_(std::move(nodes)) {}

  static std::string_view Unescape(std::string_view in, std::string& scratch);

  std::string_view text_;
  JsonNodes nodes_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_JSON_TAPE_H_
