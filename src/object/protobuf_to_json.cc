#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "object/json_tape.h"
#include "object/text_forms.h"
#include "object/transcode.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal {
namespace {

constexpr int kMaxDepth = 512;

// A field of a message as it stands on the wire.
struct WireField {
  std::uint32_t number = 0;
  std::uint32_t wire_type = 0;
  std::uint64_t value = 0;   // varint, fixed
  std::string_view bytes{};  // length-delimited
  std::size_t next = kLast;  // in Decoder::values_: the next one of the same field
  static constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();
};

// Takes the first field off `in`.
bool ReadField(std::string_view& in, WireField& field) {
  const char* const end = in.data() + in.size();
  wire::ProtobufField read;
  const char* const next = wire::ReadField(in.data(), end, read);
  if (next == nullptr) return false;
  field.number = read.number;
  field.wire_type = static_cast<std::uint32_t>(read.type);
  field.value = read.scalar;
  field.bytes = read.bytes;
  in = std::string_view(next, static_cast<std::size_t>(end - next));
  return true;
}

// Takes the first element off a packed list of varints or 64-bit numbers.
bool ReadPacked(std::string_view& in, std::uint32_t wire_type, std::uint64_t& value) {
  const char* const end = in.data() + in.size();
  const char* next = in.data();
  if (wire_type == 0) {
    next = wire::ReadVarint(next, end, value);
    if (next == nullptr) return false;
  } else {
    if (in.size() < 8) return false;
    value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(in[i]);
    next += 8;
  }
  in = std::string_view(next, static_cast<std::size_t>(end - next));
  return true;
}

std::uint32_t WireTypeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kBool:
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return 0;
    case FieldKind::kDouble:
      return 1;
    default:
      return 2;
  }
}

// Writes the JSON of messages. Every function returns false after Fail.
class Decoder {
 public:
  explicit Decoder(std::string& out) : out_(out) {}

  bool Object(const MessageDescriptor& message, std::string_view bytes, std::string_view head) {
    if (++depth_ > kMaxDepth) return Fail(message, "nested too deeply");
    out_.push_back('{');
    out_ += head;
    bool first = head.empty();
    if (!Members(message, bytes, first)) return false;
    out_.push_back('}');
    --depth_;
    return true;
  }

  Error TakeError() { return Error(Reason::kDecode, "protobuf: " + error_); }

 private:
  bool Fail(const MessageDescriptor& message, std::string_view what) {
    if (error_.empty()) error_ = std::string(message.name) + ": " + std::string(what);
    return false;
  }
  bool Fail(const MessageDescriptor& message, const FieldDescriptor& field, std::string_view what) {
    return Fail(message, "field " + std::string(field.json_name) + ": " + std::string(what));
  }

  // The first and the last value of a field of the message being written, as indexes into values_.
  struct Chain {
    std::size_t first = WireField::kLast;
    std::size_t last = WireField::kLast;
  };

  bool Members(const MessageDescriptor& message, std::string_view bytes, bool& first) {
    const std::size_t chains = chains_.size();
    const std::size_t values = values_.size();
    if (!Scan(message, bytes)) return false;
    for (const std::uint16_t index : message.json_order) {
      if (!Member(message, message.fields[index], chains + index, first)) return false;
    }
    chains_.resize(chains);
    values_.resize(values);
    return true;
  }

  bool Scan(const MessageDescriptor& message, std::string_view bytes) {
    const std::size_t chains = chains_.size();
    chains_.resize(chains + message.fields.size());
    while (!bytes.empty()) {
      WireField value;
      if (!ReadField(bytes, value)) {
        return Fail(message, "malformed " + std::to_string(bytes.size()) + " bytes before its end");
      }
      const FieldDescriptor* field = FindByNumber(message, value.number);
      if (field == nullptr) continue;
      Chain& chain = chains_[chains + static_cast<std::size_t>(field - message.fields.data())];
      const std::uint32_t wanted = field->map ? 2 : WireTypeOf(field->kind);
      if (value.wire_type == wanted) {
        Append(chain, value);
      } else if (value.wire_type == 2 && field->repeated) {
        if (!Unpack(chain, wanted, value.bytes)) return Fail(message, *field, "malformed list");
      } else {
        return Fail(message, *field, "wire type " + std::to_string(value.wire_type));
      }
    }
    return true;
  }

  void Append(Chain& chain, WireField value) {
    value.next = WireField::kLast;
    values_.push_back(value);
    const std::size_t index = values_.size() - 1;
    if (chain.first == WireField::kLast) {
      chain.first = index;
    } else {
      values_[chain.last].next = index;
    }
    chain.last = index;
  }

  // Packed numbers, which Go does not write but may read.
  bool Unpack(Chain& chain, std::uint32_t wire_type, std::string_view bytes) {
    while (!bytes.empty()) {
      WireField value;
      if (!ReadPacked(bytes, wire_type, value.value)) return false;
      Append(chain, value);
    }
    return true;
  }

  void Name(const FieldDescriptor& field, bool& first) {
    if (!first) out_.push_back(',');
    first = false;
    out_.push_back('"');
    out_ += field.json_name;
    out_ += "\":";
  }

  bool Member(const MessageDescriptor& message, const FieldDescriptor& field, std::size_t at,
              bool& first) {
    const Chain chain = chains_[at];
    const bool present = chain.first != WireField::kLast;
    if (field.inlined) {
      if (field.pointer && !present) return true;
      std::string joined;
      return Members(*field.message, Joined(chain, joined), first);
    }
    if (field.repeated || field.map) {
      if (!present && field.omitempty) return true;
      Name(field, first);
      if (!present) {
        out_ += "null";
        return true;
      }
      return field.map ? Map(message, field, chain) : List(message, field, chain);
    }
    if (!present && field.pointer) {
      if (field.omitempty) return true;
      Name(field, first);
      out_ += "null";
      return true;
    }
    if (!field.pointer && field.omitempty && IsEmpty(field, chain)) return true;
    Name(field, first);
    std::string joined;
    WireField value;
    if (present) value = values_[chain.last];
    if (field.kind == FieldKind::kMessage) value.bytes = Joined(chain, joined);
    return Value(message, field, present ? &value : nullptr);
  }

  // Several occurrences of one message are one message: their bytes in a row.
  std::string_view Joined(const Chain& chain, std::string& joined) const {
    if (chain.first == WireField::kLast) return {};
    if (chain.first == chain.last) return values_[chain.first].bytes;
    for (std::size_t i = chain.first; i != WireField::kLast; i = values_[i].next) {
      joined += values_[i].bytes;
    }
    return joined;
  }

  bool IsEmpty(const FieldDescriptor& field, const Chain& chain) const {
    if (chain.first == WireField::kLast) return true;
    const WireField& value = values_[chain.last];
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kBytes:
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
        return value.bytes.empty();
      case FieldKind::kBool:
      case FieldKind::kInt32:
      case FieldKind::kInt64:
        return value.value == 0;
      case FieldKind::kDouble:
        return std::bit_cast<double>(value.value) == 0;
      default:
        return value.bytes.empty();
    }
  }

  bool List(const MessageDescriptor& message, const FieldDescriptor& field, const Chain& chain) {
    out_.push_back('[');
    for (std::size_t i = chain.first; i != WireField::kLast; i = values_[i].next) {
      if (i != chain.first) out_.push_back(',');
      const WireField value = values_[i];
      if (!Value(message, field, &value)) return false;
    }
    out_.push_back(']');
    return true;
  }

  bool Map(const MessageDescriptor& message, const FieldDescriptor& field, const Chain& chain) {
    struct Entry {
      std::string_view key{};
      WireField value{};
      bool has_value = false;
      std::size_t order = 0;
    };
    std::vector<Entry> entries;
    for (std::size_t i = chain.first; i != WireField::kLast; i = values_[i].next) {
      Entry entry;
      entry.order = entries.size();
      std::string_view bytes = values_[i].bytes;
      while (!bytes.empty()) {
        WireField part;
        if (!ReadField(bytes, part)) return Fail(message, field, "malformed map entry");
        if (part.number == 1 && part.wire_type == 2) entry.key = part.bytes;
        if (part.number != 2) continue;
        if (part.wire_type != WireTypeOf(field.kind)) {
          return Fail(message, field, "wire type " + std::to_string(part.wire_type));
        }
        entry.value = part;
        entry.has_value = true;
      }
      entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.order < b.order;
    });
    out_.push_back('{');
    bool first = true;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i + 1 < entries.size() && entries[i + 1].key == entries[i].key) continue;
      if (!first) out_.push_back(',');
      first = false;
      AppendGoJsonString(entries[i].key, out_);
      out_.push_back(':');
      if (!Value(message, field, entries[i].has_value ? &entries[i].value : nullptr)) return false;
    }
    out_.push_back('}');
    return true;
  }

  // One value; null: the zero value.
  bool Value(const MessageDescriptor& message, const FieldDescriptor& field,
             const WireField* value) {
    const std::string_view bytes = value != nullptr ? value->bytes : std::string_view();
    const std::uint64_t bits = value != nullptr ? value->value : 0;
    switch (field.kind) {
      case FieldKind::kString:
        AppendGoJsonString(bytes, out_);
        return true;
      case FieldKind::kBool:
        out_ += bits != 0 ? "true" : "false";
        return true;
      case FieldKind::kInt32:
        out_ += std::to_string(static_cast<std::int32_t>(bits));
        return true;
      case FieldKind::kInt64:
        out_ += std::to_string(static_cast<std::int64_t>(bits));
        return true;
      case FieldKind::kDouble: {
        const double number = std::bit_cast<double>(bits);
        if (!std::isfinite(number)) return Fail(message, field, "JSON cannot hold the number");
        AppendGoJsonDouble(number, out_);
        return true;
      }
      case FieldKind::kBytes:
        if (value == nullptr) {
          out_ += "null";
          return true;
        }
        out_.push_back('"');
        AppendBase64(bytes, out_);
        out_.push_back('"');
        return true;
      case FieldKind::kMessage:
        return Object(*field.message, bytes, {});
      case FieldKind::kJsonUnion:
        return Union(*field.message, bytes);
      default:
        return Special(message, field, bytes);
    }
  }

  bool Special(const MessageDescriptor& message, const FieldDescriptor& field,
               std::string_view bytes) {
    const bool empty = bytes.empty();
    WireField part[4];  // by number; all that these types have
    while (!bytes.empty()) {
      WireField value;
      if (!ReadField(bytes, value)) return Fail(message, field, "malformed");
      if (value.number < 4) part[value.number] = value;
    }
    const auto integer = [&](std::size_t number) {
      return static_cast<std::int64_t>(part[number].value);
    };
    switch (field.kind) {
      case FieldKind::kTime:
      case FieldKind::kMicroTime: {
        TimeStamp time{integer(1), static_cast<std::int32_t>(integer(2))};
        if (empty || time == TimeStamp{kZeroTimeSeconds, 0}) {
          out_ += "null";
          return true;
        }
        // The years 0 to 9999, which RFC 3339 can write.
        if (time.seconds < -62167219200 || time.seconds > 253402300799 || time.nanos < 0 ||
            time.nanos > 999'999'999) {
          return Fail(message, field, "the time is out of range");
        }
        out_.push_back('"');
        if (field.kind == FieldKind::kTime) {
          AppendRfc3339(time.seconds, out_);
        } else {
          AppendRfc3339Micro(time, out_);
        }
        out_.push_back('"');
        return true;
      }
      case FieldKind::kDuration:
        out_.push_back('"');
        AppendGoDuration(integer(1), out_);
        out_.push_back('"');
        return true;
      case FieldKind::kQuantity:
        AppendGoJsonString(part[1].bytes.empty() ? std::string_view("0") : part[1].bytes, out_);
        return true;
      case FieldKind::kIntOrString:
        if (integer(1) == 0) {
          out_ += std::to_string(static_cast<std::int32_t>(integer(2)));
        } else {
          AppendGoJsonString(part[3].bytes, out_);
        }
        return true;
      default:
        break;
    }
    if (part[1].bytes.empty()) {
      out_ += "null";
      return true;
    }
    if (Result<JsonTape> checked = JsonTape::Parse(part[1].bytes); !checked) {
      return Fail(message, field, "the embedded object is no JSON");
    }
    AppendCompactJson(part[1].bytes, out_);
    return true;
  }

  bool Union(const MessageDescriptor& message, std::string_view bytes) {
    const std::size_t chains = chains_.size();
    const std::size_t values = values_.size();
    if (!Scan(message, bytes)) return false;
    const auto chain = [&](std::uint32_t number) {
      return chains_[chains + static_cast<std::size_t>(FindByNumber(message, number) -
                                                       message.fields.data())];
    };
    const auto one = [&](std::uint32_t number) {
      const WireField value = values_[chain(number).last];
      return Value(message, *FindByNumber(message, number), &value);
    };
    const auto has = [&](std::uint32_t number) { return chain(number).first != WireField::kLast; };
    bool ok = true;
    switch (message.union_kind) {
      case UnionKind::kSchemaOrArray:
      case UnionKind::kSchemaOrStringArray:
        // As in Go: a list, if there is one, wins over a schema, and nothing is null.
        if (has(2)) {
          ok = List(message, *FindByNumber(message, 2), chain(2));
        } else if (has(1)) {
          ok = one(1);
        } else {
          out_ += "null";
        }
        break;
      case UnionKind::kSchemaOrBool:
        if (has(2)) {
          ok = one(2);
        } else {
          out_ += has(1) && values_[chain(1).last].value != 0 ? "true" : "false";
        }
        break;
      case UnionKind::kStringList:
        if (has(1)) {
          ok = List(message, *FindByNumber(message, 1), chain(1));
        } else {
          out_ += "[]";
        }
        break;
      case UnionKind::kNone:
        break;
    }
    chains_.resize(chains);
    values_.resize(values);
    return ok;
  }

  std::string& out_;
  std::vector<Chain> chains_;      // per field of the messages being written
  std::vector<WireField> values_;  // their values
  int depth_ = 0;
  std::string error_;
};

}  // namespace

Result<void> ProtobufToJson(const MessageDescriptor& message, std::string_view bytes,
                            std::string& out, std::string_view head) {
  const std::size_t before = out.size();
  Decoder decoder(out);
  if (decoder.Object(message, bytes, head)) return {};
  out.resize(before);
  return decoder.TakeError();
}

}  // namespace kinformer::internal
