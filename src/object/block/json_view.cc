#include "kinformer/json/json_view.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "kinformer/internal/view.h"

#include "base/text/number_in.h"
#include "object/block/ended_blocks.h"
#include "wire/json_kernels.h"

namespace kinformer::json {
namespace {

// Only brackets and strings were checked when the object was built (docs/inside/object-layout.md);
// the text between them may be anything. The payload is one object with matching brackets, and
// strings and brackets are recognized here in the same way as there, so no walk leaves it.

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

const char* SkipSpace(const char* at) {
  while (IsSpace(*at)) ++at;
  return at;
}

// Returns the position behind the string whose opening quote is at `at`.
const char* SkipString(const char* at) {
  for (++at; *at != '"'; ++at) {
    if (*at == '\\') ++at;
  }
  return at + 1;
}

bool EndsScalar(char c) {
  return c == ',' || c == '}' || c == ']' || c == '"' || c == '{' || c == '[' || c == ':' ||
         IsSpace(c);
}

// Returns the end of the object or array at `begin`. Reads 64 bytes at a time, up to `end`.
const char* SkipNested(const char* begin, const char* end) {
  const wire::JsonKernel& kernel = wire::CurrentJsonKernel();
  wire::JsonCarry carry;
  wire::JsonTally tally;
  for (const char* at = begin; at < end; at += 64) {
    const auto left = static_cast<std::size_t>(end - at);
    char padded[64];
    const char* from = at;
    if (left < sizeof(padded)) {
      std::memset(padded, ' ', sizeof(padded));
      std::memcpy(padded, at, left);
      from = padded;
    }
    wire::JsonBlock block;
    kernel.read(from, 1, carry, tally, &block);
    if (block.least > 0) continue;
    std::int32_t depth = block.depth;
    for (std::uint64_t both = block.open | block.close; both != 0; both &= both - 1) {
      const int bit = std::countr_zero(both);
      depth += (block.close >> bit & 1U) != 0 ? -1 : 1;
      if (depth == 0) return at + bit + 1;
    }
  }
  return end;  // it has already ended
}

// Returns the position behind the value at `at` in the block's payload; `at` if there is none.
const char* SkipValue(const char* at, const internal::Block* block) {
  if (*at == '"') return SkipString(at);
  if (*at == '{' || *at == '[') {
    if (at[1] == '}' || at[1] == ']') return at + 2;
    const std::string_view payload = block->payload();
    return SkipNested(at, payload.data() + payload.size());
  }
  while (!EndsScalar(*at)) ++at;
  return at;
}

// Same depth limit as Parse.
constexpr int kDeepest = 512;

// Counts an invalid member or item, at which the walk ends.
void Malformed() { internal::CountMalformedRead(); }

std::string_view StringAt(const char* quote, const internal::Block* block) {
  const char* const end = SkipString(quote);
  const std::string_view text(quote + 1, static_cast<std::size_t>(end - quote) - 2);
  if (text.find('\\') == std::string_view::npos) {
    // A text with invalid UTF-8 was replaced when the object was built, and is stored apart.
    const std::string_view replaced = block->UnescapedString(quote);
    return replaced.data() != nullptr ? replaced : text;
  }
  return block->UnescapedString(quote);
}

}  // namespace

Type View::type() const {
  if (at_ == nullptr) return Type::kNull;
  internal::CheckAlive(block_);
  const auto word = [this](std::string_view wanted, Type type) {
    if (raw() == wanted) return type;
    Malformed();
    return Type::kNull;
  };
  switch (*at_) {
    case '{':
      return Type::kObject;
    case '[':
      return Type::kArray;
    case '"':
      return Type::kString;
    case 't':
      return word("true", Type::kBool);
    case 'f':
      return word("false", Type::kBool);
    case 'n':
      return word("null", Type::kNull);
    default:
      return Type::kNumber;
  }
}

const std::optional<bool> View::AsBool() const {
  if (type() != Type::kBool) return std::nullopt;
  return *at_ == 't';
}

const std::optional<std::int64_t> View::AsInt64() const {
  if (type() != Type::kNumber) return std::nullopt;
  return internal::base::NumberIn(raw());
}

const std::optional<double> View::AsDouble() const {
  if (type() != Type::kNumber) return std::nullopt;
  return internal::base::NumberIn<double>(raw());
}

const std::optional<std::string_view> View::AsString() const {
  if (type() != Type::kString) return std::nullopt;
  return StringAt(at_, block_);
}

const View View::operator[](std::string_view name) const {
  View found;
  if (type() != Type::kObject) return found;
  for (Walk walk(at_, block_, true); !walk.done(); walk.Next()) {
    if (walk.name() == name) found = walk.value();
  }
  return found;
}

View View::Item(std::size_t index) const {
  if (type() != Type::kArray) return {};
  for (Walk walk(at_, block_, false); !walk.done(); walk.Next()) {
    if (index-- == 0) return walk.value();
  }
  return {};
}

std::size_t View::size() const {
  const bool object = type() == Type::kObject;
  if (!object && type() != Type::kArray) return 0;
  std::size_t n = 0;
  for (Walk walk(at_, block_, object); !walk.done(); walk.Next()) ++n;
  return n;
}

const std::string_view View::raw() const {
  if (at_ == nullptr) return {};
  return {at_, static_cast<std::size_t>(SkipValue(at_, block_) - at_)};
}

Value View::ToValue() const {
  if (at_ == nullptr) return {};
  Result<Value> parsed = Parse(raw());
  return parsed ? *std::move(parsed) : Readable(0);
}

Value View::Readable(int depth) const {
  if (depth > kDeepest) {
    Malformed();
    return {};
  }
  switch (type()) {
    case Type::kObject: {
      Value object = Value::MakeObject();
      for (const auto& [name, value] : members()) object.Set(name, value.Readable(depth + 1));
      return object;
    }
    case Type::kArray: {
      Value array = Value::MakeArray();
      for (const View item : items()) array.Append(item.Readable(depth + 1));
      return array;
    }
    case Type::kString:
      return Value(std::string(AsString().value_or("")));
    default: {
      Result<Value> scalar = Parse(raw());
      if (scalar) return *std::move(scalar);
      Malformed();
      return {};
    }
  }
}

View::Range<false> View::items() const {
  return Range<false>(type() == Type::kArray ? Walk(at_, block_, false) : Walk());
}

View::Range<true> View::members() const {
  return Range<true>(type() == Type::kObject ? Walk(at_, block_, true) : Walk());
}

View::Walk::Walk(const char* at, const internal::Block* block, bool object)
    : block_(block), object_(object) {
  Read(SkipSpace(at + 1));
}

void View::Walk::Read(const char* at) {
  value_ = nullptr;
  if (*at == '}' || *at == ']') return;
  if (object_) {
    if (*at != '"') return Malformed();
    const char* const after = SkipSpace(SkipString(at));
    if (*after != ':') return Malformed();
    name_ = StringAt(at, block_);
    at = SkipSpace(after + 1);
  }
  if (*at == ',' || *at == '}' || *at == ']' || *at == ':') return Malformed();
  value_ = at;
}

void View::Walk::Next() {
  const char* const at = SkipSpace(SkipValue(value_, block_));
  value_ = nullptr;
  if (*at == '}' || *at == ']') return;
  if (*at != ',') return Malformed();
  const char* const next = SkipSpace(at + 1);
  if (*next == '}' || *next == ']') return Malformed();
  Read(next);
}

}  // namespace kinformer::json
