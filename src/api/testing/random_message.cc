#include "api/testing/random_message.h"

#include <algorithm>
#include <bit>

#include "wire/protobuf_writer.h"

namespace kinformer::testing {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;
using internal::MessageDescriptor;
using internal::UnionKind;
using wire::ProtobufWriter;
using wire::WireType;

constexpr int kDeepest = 7;

}  // namespace

std::string RandomMessage::Make(const MessageDescriptor& type) { return Message(type, 0); }

std::string RandomMessage::Message(const MessageDescriptor& type, int level) {
  if (type.union_kind != UnionKind::kNone) return Union(type, level);
  std::vector<std::string> parts;
  for (const FieldDescriptor& field : type.fields) {
    // Merging two unions may give a message that is not a valid union.
    const bool mixed = split_depth_ > 0 && field.kind == FieldKind::kJsonUnion;
    const bool wanted = !mixed && (level == 0 || OneIn(level < 3 ? 2 : 4));
    if (wanted && (level < kDeepest || field.message == nullptr)) Field(field, level, parts);
  }
  if (OneIn(3)) {
    for (std::size_t i = 1 + Pick(3); i > 0; --i) parts.push_back(Unknown());
  }
  if (OneIn(3)) std::shuffle(parts.begin(), parts.end(), random_);
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}

void RandomMessage::Field(const FieldDescriptor& field, int level,
                          std::vector<std::string>& parts) {
  std::size_t count = 1;
  if (field.map || field.repeated) {
    count = level > 3 ? Pick(2) : Pick(4);
  } else if (field.message == nullptr || level < split_) {
    const bool whole = field.message != nullptr && field.message->union_kind != UnionKind::kNone;
    if (!whole && OneIn(8)) count = 2;
  }
  const bool split = count > 1 && field.message != nullptr && !field.repeated && !field.map;
  if (split) ++split_depth_;
  for (; count > 0; --count) {
    std::string part;
    ProtobufWriter writer(part);
    if (field.map) {
      std::string key;
      std::string value;
      ProtobufWriter(key).BytesField(1, Word());
      if (!OneIn(8)) Value(field, 2, level, value);
      writer.BytesField(field.number, OneIn(4) ? value + key : key + value);
    } else if (field.repeated && field.message == nullptr && OneIn(3)) {
      const std::string packed = Packed(field);
      if (!packed.empty()) {
        writer.BytesField(field.number, packed);
      } else {
        Value(field, field.number, level, part);
      }
    } else {
      Value(field, field.number, level, part);
    }
    parts.push_back(std::move(part));
  }
  if (split) --split_depth_;
}

void RandomMessage::Value(const FieldDescriptor& field, std::uint32_t number, int level,
                          std::string& out) {
  ProtobufWriter writer(out);
  switch (field.kind) {
    case FieldKind::kString:
      return writer.BytesField(number, Word());
    case FieldKind::kBytes: {
      std::string bytes;
      for (std::size_t i = 1 + Pick(9); i > 0; --i) bytes.push_back(static_cast<char>(Pick(256)));
      return writer.BytesField(number, bytes);
    }
    case FieldKind::kBool:
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return writer.VarintField(number, Scalar(field.kind));
    case FieldKind::kDouble:
      return writer.DoubleField(number, std::bit_cast<double>(Scalar(field.kind)));
    default:
      writer.BytesField(number, field.message != nullptr ? Message(*field.message, level + 1)
                                                         : Special(field.kind));
  }
}

std::uint64_t RandomMessage::Scalar(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
      return OneIn(8) ? 2 + Pick(300) : Pick(2);
    case FieldKind::kDouble:
      return std::bit_cast<std::uint64_t>(static_cast<double>(Pick(2000)) / 8 - 100);
    default: {
      const std::uint64_t value = random_() >> Pick(64);
      return OneIn(2) ? value : 0 - value;
    }
  }
}

// Writes all its fields, in any order, so the result is the same whether a reader merges two of
// them or uses the last one.
std::string RandomMessage::Special(FieldKind kind) {
  std::vector<std::string> parts;
  const auto number = [&](std::uint32_t field, std::uint64_t value) {
    ProtobufWriter(parts.emplace_back()).VarintField(field, value);
  };
  const auto text = [&](std::uint32_t field, std::string_view value) {
    ProtobufWriter(parts.emplace_back()).BytesField(field, value);
  };
  switch (kind) {
    case FieldKind::kTime:
    case FieldKind::kMicroTime:
      number(1, Pick(4000000000));
      number(2, Pick(1000000000));
      break;
    case FieldKind::kDuration:
      number(1, Scalar(FieldKind::kInt64));
      break;
    case FieldKind::kQuantity: {
      static constexpr std::string_view kTexts[] = {"0", "1", "500m", "2Gi", "128Mi", "15k", "1e3"};
      text(1, kTexts[Pick(std::size(kTexts))]);
      break;
    }
    case FieldKind::kIntOrString:
      number(1, Pick(2));
      number(2, Scalar(FieldKind::kInt32));
      text(3, Word());
      break;
    default:
      text(1, OneIn(2) ? R"({"a":[1,"b",null],"c":{"d":1.5}})" : "[]");
  }
  if (OneIn(3)) std::shuffle(parts.begin(), parts.end(), random_);
  std::string out;
  for (const std::string& part : parts) out += part;
  return out;
}

// Writes one of the two, because JSON cannot hold both.
std::string RandomMessage::Union(const MessageDescriptor& type, int level) {
  std::string out;
  const auto field = [&](std::uint32_t number) -> const FieldDescriptor& {
    return *internal::FindByNumber(type, number);
  };
  const bool deep = level >= kDeepest;
  switch (type.union_kind) {
    case UnionKind::kSchemaOrBool:
      if (!deep && OneIn(2)) {
        ProtobufWriter(out).BoolField(1, true);
        Value(field(2), 2, level, out);
      } else {
        ProtobufWriter(out).BoolField(1, OneIn(2));
      }
      break;
    case UnionKind::kSchemaOrArray:
    case UnionKind::kSchemaOrStringArray:
      if (deep || OneIn(2)) {
        if (deep && field(2).message != nullptr) {
          ProtobufWriter(out).BytesField(2, {});
        } else {
          Value(field(2), 2, level, out);
        }
      } else {
        Value(field(1), 1, level, out);
      }
      break;
    default:
      for (std::size_t i = Pick(3); i > 0; --i) Value(field(1), 1, level, out);
  }
  return out;
}

// Returns an empty text for fields that cannot be packed.
std::string RandomMessage::Packed(const FieldDescriptor& field) {
  std::string out;
  ProtobufWriter writer(out);
  for (std::size_t i = 1 + Pick(4); i > 0; --i) {
    switch (field.kind) {
      case FieldKind::kBool:
      case FieldKind::kInt32:
      case FieldKind::kInt64:
        writer.Varint(Scalar(field.kind));
        break;
      case FieldKind::kDouble: {
        char bytes[8];
        out.append(bytes, wire::WriteFixed64(bytes, Scalar(field.kind)));
        break;
      }
      default:
        return {};
    }
  }
  return out;
}

std::string RandomMessage::Unknown() {
  std::string out;
  ProtobufWriter writer(out);
  const auto number = static_cast<std::uint32_t>(1000 + Pick(OneIn(2) ? 50 : 500'000'000));
  switch (Pick(4)) {
    case 0:
      writer.VarintField(number, random_() >> Pick(64));
      break;
    case 1:
      writer.BytesField(number, Word());
      break;
    case 2:
      writer.DoubleField(number, 2.5);
      break;
    default:
      writer.Tag(number, WireType::kFixed32);
      out += "\x01\x02\x03\xff";
  }
  return out;
}

// Returns one of a few words in most cases, so that keys of maps repeat.
std::string RandomMessage::Word() {
  static constexpr std::string_view kWords[] = {"",          "a",      "app", "kubernetes.io/name",
                                                "<\"&\\\n>", "\u00e9", "0",   "\U0001f600"};
  std::string word(kWords[Pick(std::size(kWords))]);
  if (OneIn(10)) word.append(Pick(200), 'x');
  return word;
}

}  // namespace kinformer::testing
