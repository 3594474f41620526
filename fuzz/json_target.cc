// JSON: the tree, both parsers of the tape, and the scanner that only finds ends must agree.

#include <string>

#include "kinformer/json/json.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "object/transcode/json_tape.h"
#include "object/values/text_forms.h"
#include "wire/json_scanner.h"

namespace kinformer::fuzz {

namespace {

void RequireSameTapes(const internal::JsonTape& one, const internal::JsonTape& other) {
  for (std::uint32_t node = 0; node < one[0].next; ++node) {
    const internal::JsonNode& a = one[node];
    const internal::JsonNode& b = other[node];
    Require(a.begin == b.begin && a.end == b.end && a.next == b.next && a.type == b.type,
            "both ways give the same node", one.Text(node), other.Text(node));
  }
}

// Where the scanner finds the end of the value, fed piece by piece.
std::size_t ScannedEnd(std::string_view value, PieceSizes sizes) {
  wire::JsonValueScanner scanner;
  wire::JsonBitmap bitmap;
  wire::JsonCarry carry;
  std::size_t at = 0;
  while (at < value.size()) {
    const std::string piece(value.substr(at, sizes.Next()));
    bitmap.Read(piece, carry);
    const char* const after = scanner.Scan(bitmap, piece.data());
    if (after != nullptr) return at + static_cast<std::size_t>(after - piece.data());
    at += piece.size();
  }
  return scanner.EndsWithText() ? at : std::string_view::npos;
}

}  // namespace

void FuzzJson(std::string_view input) {
  Choices choices(input);
  const PieceSizes sizes(choices.Byte());
  const std::string text(choices.rest());  // a copy that ends where the text ends
  const Result<internal::JsonTape> tape = internal::JsonTape::Parse(text, 100);
  const Result<internal::JsonTape> careful = internal::JsonTape::ParseCarefully(text, 100);
  const Result<json::Value> value = json::Parse(text, {.max_depth = 100});
  // The fast way leaves one value unread.
  if (text.find("fieldsV1") == std::string::npos) {
    Require(tape.ok() == careful.ok(), "both ways take the same texts");
    if (tape.ok() && careful.ok()) RequireSameTapes(*tape, *careful);
  }
  Require(!careful.ok() || tape.ok(), "the fast way takes what the careful way takes");
  Require(!value.ok() || careful.ok(), "what the tree takes the tape takes");
  if (!value) return;

  const char* const begin = wire::SkipJsonBlanks(text.data(), text.data() + text.size());
  wire::JsonBitmap bitmap;
  bitmap.Read(text);
  const char* const end = bitmap.SkipValue(begin, text.data() + text.size());
  Require(end != nullptr &&
              wire::SkipJsonBlanks(end, text.data() + text.size()) == text.data() + text.size(),
          "the scanner finds the value's end");
  const std::string_view from(begin, static_cast<std::size_t>(text.data() + text.size() - begin));
  Require(ScannedEnd(from, sizes) == static_cast<std::size_t>(end - begin),
          "the scanner finds the value's end in pieces");

  const std::string dumped = value->Dump();
  const Result<json::Value> again = json::Parse(dumped);
  Require(again.ok(), "what is dumped parses", dumped);
  Require(*again == *value, "what is dumped is the same", dumped, text);
  RequireEqual(again->Dump(), dumped, "dumping is stable");
  const Result<json::Value> pretty = json::Parse(value->DumpPretty());
  Require(pretty.ok() && *pretty == *value, "what is printed is the same");

  std::string compact;
  internal::AppendCompactJson(text, compact);
  const Result<json::Value> compacted = json::Parse(compact);
  Require(compacted.ok() && *compacted == *value, "compact JSON is the same", compact, text);
  std::string twice;
  internal::AppendCompactJson(compact, twice);
  RequireEqual(twice, compact, "compacting is stable");
}

}  // namespace kinformer::fuzz
