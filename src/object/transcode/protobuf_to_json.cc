#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "kinformer/json/json.h"

#include "object/transcode/canonical.h"
#include "object/transcode/json_out.h"
#include "object/transcode/json_tape.h"
#include "object/transcode/protobuf_to_value.h"
#include "object/transcode/transcode.h"
#include "object/values/text_forms.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kMaxDepth = 512;

using wire::WireField;
using wire::WireType;

// A value of a field of the message being written.
struct Occurrence : WireField {
  std::size_t next = kLast;  // index in Decoder::values_ of the next value of the same field
  static constexpr std::size_t kLast = std::numeric_limits<std::size_t>::max();
};

// Passes the values of messages to an Out. After Fail, every function returns false.
template <class Out>
class Decoder {
 public:
  explicit Decoder(Out& out) : out_(out) {}

  bool Object(const MessageDescriptor& message, std::string_view bytes, std::string_view head) {
    if (++depth_ > kMaxDepth) return Fail(message, "nested too deeply");
    out_.BeginObject(head);
    bool first = head.empty();
    if (!Members(message, bytes, first)) return false;
    out_.EndObject();
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

  // First and last value of a field of the message being written, as indexes into values_.
  struct Chain {
    std::size_t first = Occurrence::kLast;
    std::size_t last = Occurrence::kLast;
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
    if (has_kept_) KeptMembers(message, bytes, first);
    return true;
  }

  // Writes the kept members. Anybody can send a field with this number, so it is written only if it
  // holds one valid member that the schema lacks.
  void KeptMembers(const MessageDescriptor& message, std::string_view bytes, bool& first) {
    wire::ProtobufReader reader(bytes);
    while (reader.Next()) {
      if (reader.field() != kKeptMemberField || reader.type() != WireType::kBytes) continue;
      std::string object = "{";
      object += reader.bytes();
      object += '}';
      const Result<JsonTape> tape = JsonTape::Parse(object);
      if (!tape || (*tape)[0].next < 3 || (*tape)[2].next != (*tape)[0].next) continue;
      std::string scratch;
      const std::string_view name = tape->String(1, scratch);
      // At the root, kind and apiVersion come from the type; elsewhere they are ordinary members.
      const bool says_type = depth_ == 1 && (name == "kind" || name == "apiVersion");
      if (says_type || FindJsonMember(message, name) != nullptr) continue;
      out_.RawMember(reader.bytes(), name, first);
    }
  }

  bool Scan(const MessageDescriptor& message, std::string_view bytes) {
    const std::size_t chains = chains_.size();
    chains_.resize(chains + message.fields.size());
    wire::ProtobufReader reader(bytes);
    while (reader.Next()) {
      const WireField& value = reader.value();
      const FieldDescriptor* field = FindByNumber(message, value.number);
      if (field == nullptr) {
        has_kept_ = has_kept_ || value.number == kKeptMemberField;
        continue;
      }
      Chain& chain = chains_[chains + static_cast<std::size_t>(field - message.fields.data())];
      const WireType wanted = field->map ? WireType::kBytes : WireTypeOf(field->kind);
      if (value.type == wanted) {
        Append(chain, value);
      } else if (value.type == WireType::kBytes && field->repeated) {
        if (!Unpack(chain, wanted, value)) return Fail(message, *field, "malformed list");
      } else {
        return Fail(message, *field, WrongType(value));
      }
    }
    if (!reader.ok()) {
      return Fail(message, "malformed at byte " + std::to_string(reader.offset()) + " of " +
                               std::to_string(bytes.size()));
    }
    return true;
  }

  static std::string WrongType(const WireField& value) {
    return "wire type " + std::to_string(static_cast<int>(value.type));
  }

  void Append(Chain& chain, const WireField& value) {
    values_.push_back({value});
    const std::size_t index = values_.size() - 1;
    if (chain.first == Occurrence::kLast) {
      chain.first = index;
    } else {
      values_[chain.last].next = index;
    }
    chain.last = index;
  }

  // Reads packed numbers. Go does not write them, but accepts them.
  bool Unpack(Chain& chain, WireType type, const WireField& list) {
    const char* at = list.data;
    const char* const end = at + list.size;
    if (type == WireType::kBytes) return false;
    while (at != end) {
      WireField value;
      at = wire::ReadPacked(at, end, type, value);
      if (at == nullptr) return false;
      Append(chain, value);
    }
    return true;
  }

  void Name(const FieldDescriptor& field, bool& first) { out_.Name(field.json_name, first); }

  bool Member(const MessageDescriptor& message, const FieldDescriptor& field, std::size_t at,
              bool& first) {
    const Chain chain = chains_[at];
    const bool present = chain.first != Occurrence::kLast;
    if (field.inlined) {
      if (field.pointer && !present) return true;
      std::string joined;
      return Members(*field.message, Joined(chain, joined), first);
    }
    if (field.repeated || field.map) {
      if (!present && field.omitempty) return true;
      Name(field, first);
      if (!present) {
        out_.Null();
        return true;
      }
      return field.map ? Map(message, field, chain) : List(message, field, chain);
    }
    if (!present && field.pointer) {
      if (field.omitempty) return true;
      Name(field, first);
      out_.Null();
      return true;
    }
    if (!field.pointer && field.omitempty && IsEmpty(field, chain)) return true;
    Name(field, first);
    std::string joined;
    WireField value;
    if (present) value = values_[chain.last];
    if (field.message != nullptr) {
      const std::string_view whole = Joined(chain, joined);
      value.data = whole.data();
      value.size = whole.size();
    }
    return Value(message, field, present ? &value : nullptr);
  }

  // Several occurrences of a message field form one message: their bytes are joined.
  std::string_view Joined(const Chain& chain, std::string& joined) const {
    if (chain.first == Occurrence::kLast) return {};
    if (chain.first == chain.last) return values_[chain.first].bytes();
    for (std::size_t i = chain.first; i != Occurrence::kLast; i = values_[i].next) {
      joined += values_[i].bytes();
    }
    return joined;
  }

  bool IsEmpty(const FieldDescriptor& field, const Chain& chain) const {
    if (chain.first == Occurrence::kLast) return true;
    const WireField& value = values_[chain.last];
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kBytes:
      case FieldKind::kTime:
      case FieldKind::kMicroTime:
        return value.size == 0;
      case FieldKind::kBool:
      case FieldKind::kInt32:
      case FieldKind::kInt64:
        return value.scalar == 0;
      case FieldKind::kDouble:
        return std::bit_cast<double>(value.scalar) == 0;
      default:
        return value.size == 0;
    }
  }

  bool List(const MessageDescriptor& message, const FieldDescriptor& field, const Chain& chain) {
    out_.BeginList();
    bool first = true;
    for (std::size_t i = chain.first; i != Occurrence::kLast; i = values_[i].next) {
      out_.Element(first);
      const WireField value = values_[i];
      if (!Value(message, field, &value)) return false;
    }
    out_.EndList();
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
    for (std::size_t i = chain.first; i != Occurrence::kLast; i = values_[i].next) {
      Entry entry;
      entry.order = entries.size();
      wire::ProtobufReader reader(values_[i].bytes());
      while (reader.Next()) {
        const WireField& part = reader.value();
        if (part.number == 1) {
          if (part.type != WireType::kBytes) return Fail(message, field, WrongType(part));
          entry.key = part.bytes();
        }
        if (part.number != 2) continue;
        if (part.type != WireTypeOf(field.kind)) return Fail(message, field, WrongType(part));
        if (entry.has_value) {  // the last value wins, but all must be well-formed
          if (!out_.Discarded([&] { return Value(message, field, &entry.value); })) return false;
        }
        entry.value = part;
        entry.has_value = true;
      }
      if (!reader.ok()) return Fail(message, field, "malformed map entry");
      entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.order < b.order;
    });
    out_.BeginObject({});
    bool first = true;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i + 1 < entries.size() && entries[i + 1].key == entries[i].key) continue;
      out_.Key(entries[i].key, first);
      if (!Value(message, field, entries[i].has_value ? &entries[i].value : nullptr)) return false;
    }
    out_.EndObject();
    return true;
  }

  // Writes one value; null means the zero value.
  bool Value(const MessageDescriptor& message, const FieldDescriptor& field,
             const WireField* value) {
    const std::string_view bytes = value != nullptr ? value->bytes() : std::string_view();
    const std::uint64_t bits = value != nullptr ? value->scalar : 0;
    switch (field.kind) {
      case FieldKind::kString:
        out_.String(bytes);
        return true;
      case FieldKind::kBool:
        out_.Bool(bits != 0);
        return true;
      case FieldKind::kInt32:
        out_.Integer(static_cast<std::int32_t>(bits));
        return true;
      case FieldKind::kInt64:
        out_.Integer(static_cast<std::int64_t>(bits));
        return true;
      case FieldKind::kDouble: {
        const double number = std::bit_cast<double>(bits);
        if (!std::isfinite(number)) return Fail(message, field, "JSON cannot hold the number");
        out_.Double(number);
        return true;
      }
      case FieldKind::kBytes:
        if (value == nullptr) {
          out_.Null();
          return true;
        }
        out_.Plain([&](std::string& out) { AppendBase64(bytes, out); });
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
    WireField part[4];  // by number; these types have no other fields
    wire::ProtobufReader reader(bytes);
    while (reader.Next()) {
      if (reader.field() < 4) part[reader.field()] = reader.value();
    }
    if (!reader.ok()) return Fail(message, field, "malformed");
    const auto integer = [&](std::size_t number) {
      return static_cast<std::int64_t>(part[number].scalar);
    };
    switch (field.kind) {
      case FieldKind::kTime:
      case FieldKind::kMicroTime: {
        TimeStamp time{integer(1), static_cast<std::int32_t>(integer(2))};
        if (empty || time == TimeStamp{kZeroTimeSeconds, 0}) {
          out_.Null();
          return true;
        }
        // RFC 3339 can only express the years 0 to 9999.
        if (time.seconds < -62167219200 || time.seconds > 253402300799 || time.nanos < 0 ||
            time.nanos > 999'999'999) {
          return Fail(message, field, "the time is out of range");
        }
        out_.Plain([&](std::string& out) {
          if (field.kind == FieldKind::kTime) {
            AppendRfc3339(time.seconds, out);
          } else {
            AppendRfc3339Micro(time, out);
          }
        });
        return true;
      }
      case FieldKind::kDuration:
        out_.Plain([&](std::string& out) { AppendGoDuration(integer(1), out); });
        return true;
      case FieldKind::kQuantity:
        out_.String(part[1].size == 0 ? std::string_view("0") : part[1].bytes());
        return true;
      case FieldKind::kIntOrString:
        if (integer(1) == 0) {
          out_.Integer(static_cast<std::int32_t>(integer(2)));
        } else {
          out_.String(part[3].bytes());
        }
        return true;
      default:
        break;
    }
    if (part[1].size == 0) {
      out_.Null();
      return true;
    }
    if (Result<JsonTape> checked = JsonTape::Parse(part[1].bytes()); !checked) {
      // It was not checked before. Invalid fieldsV1 must not prevent the object's JSON form.
      if (field.json_name == "fieldsV1") {
        out_.Raw("{}");
        return true;
      }
      return Fail(message, field, "the embedded object is no JSON");
    }
    out_.Raw(part[1].bytes());
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
    const auto has = [&](std::uint32_t number) { return chain(number).first != Occurrence::kLast; };
    bool ok = true;
    switch (message.union_kind) {
      case UnionKind::kSchemaOrArray:
      case UnionKind::kSchemaOrStringArray:
        // As in Go: a list wins over a schema, and without either the value is null.
        if (has(2)) {
          ok = List(message, *FindByNumber(message, 2), chain(2));
        } else if (has(1)) {
          ok = one(1);
        } else {
          out_.Null();
        }
        break;
      case UnionKind::kSchemaOrBool:
        if (has(2)) {
          ok = one(2);
        } else {
          out_.Bool(has(1) && values_[chain(1).last].scalar != 0);
        }
        break;
      case UnionKind::kStringList:
        if (has(1)) {
          ok = List(message, *FindByNumber(message, 1), chain(1));
        } else {
          out_.Raw("[]");
        }
        break;
      case UnionKind::kNone:
        break;
    }
    chains_.resize(chains);
    values_.resize(values);
    return ok;
  }

  Out& out_;
  std::vector<Chain> chains_;       // the values of each field of the messages being written
  std::vector<Occurrence> values_;  // their values
  std::size_t depth_ = 0;
  bool has_kept_ = false;  // a kept member was found in some message
  std::string error_;
};

}  // namespace

Result<void> ProtobufToJson(const MessageDescriptor& message, std::string_view bytes,
                            std::string& out, std::string_view head) {
  const std::size_t before = out.size();
  TextOut text(out);
  Decoder decoder(text);
  if (decoder.Object(message, bytes, head)) return {};
  out.resize(before);
  return decoder.TakeError();
}

Result<json::Value> ProtobufToValue(const MessageDescriptor& message, std::string_view bytes,
                                    std::string_view kind, std::string_view api_version) {
  json::Value out = json::Value::MakeObject(
      {{"kind", json::Value(kind)}, {"apiVersion", json::Value(api_version)}});
  ValueOut values(out, kMaxDepth);
  Decoder decoder(values);
  if (!decoder.Object(message, bytes, {})) return decoder.TakeError();
  if (values.failed()) return Error(Reason::kDecode, "protobuf: nested too deeply");
  return out;
}

}  // namespace kinformer::internal
