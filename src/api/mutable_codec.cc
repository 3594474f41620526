#include "kinformer/internal/mutable_codec.h"

#include <ostream>

#include "kinformer/internal/encodes_to.h"
#include "kinformer/object/mutable_values.h"
#include "kinformer/object/quantity.h"
#include "kinformer/object/time.h"

#include "object/transcode/backward_matcher.h"
#include "object/transcode/backward_writer.h"
#include "object/transcode/canonical.h"
#include "object/transcode/transcode.h"
#include "object/values/object_key.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal {
namespace {

using wire::WireField;
using wire::WireType;

constexpr int kMaxDepth = 512;

void* At(void* object, std::size_t offset) { return static_cast<char*>(object) + offset; }
const void* At(const void* object, std::size_t offset) {
  return static_cast<const char*>(object) + offset;
}

void* Member(void* object, const MutableField& field) {
  return field.base != nullptr ? field.base(object) : At(object, field.offset);
}
const void* Member(const void* object, const MutableField& field) {
  return Member(const_cast<void*>(object), field);  // only appended to
}

template <class T>
const T& As(const void* value) {
  return *static_cast<const T*>(value);
}

// Writes the message of a struct, the last field first, to a BackwardWriter or a BackwardMatcher.
template <class Out>
class Encoder {
 public:
  explicit Encoder(Out& out) : out_(out) {}

  // Looked at once for each message, a difference ends the rest soon enough.
  void Message(const MutableTable& table, const void* object) {
    if constexpr (requires { out_.differs(); }) {
      if (out_.differs()) return;
    }
    out_.Bytes(As<std::string>(At(object, table.unknown_fields)));
    const MutableField* const first = table.fields.data();
    const MutableField* place = first + table.fields.size();
    const FieldDescriptor* field = table.message->fields.data() + table.fields.size();
    while (place != first) {
      --place;
      --field;
      Field(*field, *place, Member(object, *place));
    }
  }

 private:
  void Field(const FieldDescriptor& field, const MutableField& place, const void* member) {
    if (place.ops == nullptr) {
      // Empty bytes are not written, like Go's nil slice.
      if (field.kind == FieldKind::kBytes && As<std::string>(member).empty()) return;
      return Value(field, place, field.number, member);
    }
    if (field.map) {
      struct Context {
        Encoder* self;
        const FieldDescriptor* field;
        const MutableField* place;
      } context{this, &field, &place};
      place.ops->walk_back(member, &context,
                           [](void* c, const std::string& key, const void* value) {
                             const auto& at = *static_cast<Context*>(c);
                             at.self->Entry(*at.field, *at.place, key, value);
                           });
    } else if (field.repeated) {
      for (std::size_t i = place.ops->size(member); i-- > 0;) {
        Value(field, place, field.number, place.ops->at(member, i));
      }
    } else if (const void* value = place.ops->get(member)) {
      Value(field, place, field.number, value);
    }
  }

  void Entry(const FieldDescriptor& field, const MutableField& place, const std::string& key,
             const void* value) {
    const std::size_t before = out_.size();
    Value(field, place, 2, value);
    out_.StringField(1, key);
    out_.LengthAndTag(field.number, before);
  }

  void Value(const FieldDescriptor& field, const MutableField& place, std::uint32_t number,
             const void* value) {
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kBytes:
        return out_.StringField(number, As<std::string>(value));
      case FieldKind::kBool:
        return out_.VarintField(number, As<bool>(value) ? 1 : 0);
      case FieldKind::kInt32:
        return out_.VarintField(number, Wide(As<std::int32_t>(value)));
      case FieldKind::kInt64:
        return out_.VarintField(number, Wide(As<std::int64_t>(value)));
      case FieldKind::kDouble:
        return out_.DoubleField(number, As<double>(value));
      default:
        break;
    }
    const std::size_t before = out_.size();
    if (field.message != nullptr) {
      Message(*place.table, value);
    } else {
      Special(field.kind, value);
    }
    out_.LengthAndTag(number, before);
  }

  static std::uint64_t Wide(std::int64_t value) { return static_cast<std::uint64_t>(value); }

  void Special(FieldKind kind, const void* value) {
    switch (kind) {
      case FieldKind::kTime: {
        const auto& time = As<metav1::Time>(value);
        if (!time.IsZero()) Time(time.seconds(), 0);
        break;
      }
      case FieldKind::kMicroTime: {
        const auto& time = As<metav1::MicroTime>(value);
        if (!time.IsZero()) Time(time.seconds(), time.nanos() / 1000 * 1000);
        break;
      }
      case FieldKind::kDuration:
        out_.VarintField(1, Wide(As<metav1::Duration>(value).value().count()));
        break;
      case FieldKind::kQuantity:
        out_.StringField(1, As<resource::Quantity>(value).ToString());
        break;
      case FieldKind::kIntOrString: {
        const auto& either = As<intstr::IntOrStringMutable>(value);
        out_.StringField(3, either.is_string ? std::string_view(either.strVal) : "");
        out_.VarintField(2, either.is_string ? 0 : Wide(either.intVal));
        out_.VarintField(1, either.is_string ? 1 : 0);
        break;
      }
      default: {
        const auto& raw = As<runtime::RawExtensionMutable>(value);
        if (!raw.json.empty()) out_.StringField(1, raw.json);
      }
    }
  }

  void Time(std::int64_t seconds, std::int32_t nanos) {
    out_.VarintField(2, Wide(nanos));
    out_.VarintField(1, Wide(seconds));
  }

  Out& out_;
};

class Decoder {
 public:
  explicit Decoder(bool lenient) : lenient_(lenient) {}

  bool Message(const MutableTable& table, std::string_view bytes, void* object) {
    if (depth_ >= kMaxDepth) return Fail(table, "nested too deeply");
    ++depth_;
    wire::ProtobufReader reader(bytes);
    while (reader.Next()) {
      const FieldDescriptor* field = FindByNumber(*table.message, reader.field());
      if (field == nullptr) {
        static_cast<std::string*>(At(object, table.unknown_fields))->append(reader.whole());
        continue;
      }
      const MutableField& place =
          table.fields[static_cast<std::size_t>(field - table.message->fields.data())];
      if (!Field(*field, place, reader.value(), Member(object, place))) {
        if (!lenient_) return Fail(table, "field " + std::string(field->json_name));
      }
    }
    --depth_;
    if (!reader.ok() && !lenient_) {
      return Fail(table, "byte " + std::to_string(reader.offset()));
    }
    return true;
  }
  Error TakeError() { return Error(Reason::kDecode, "protobuf: malformed: " + error_); }

 private:
  bool Fail(const MutableTable& table, const std::string& where) {
    if (error_.empty()) error_ = std::string(table.message->name) + ", " + where;
    return false;
  }

  bool Field(const FieldDescriptor& field, const MutableField& place, const WireField& value,
             void* member) {
    if (field.map) return value.type == WireType::kBytes && Entry(field, place, value, member);
    if (value.type != WireTypeOf(field.kind)) {
      return field.repeated && value.type == WireType::kBytes &&
             Packed(field, place, value, member);
    }
    if (place.ops == nullptr) return Value(field, place, value, member);
    // Several parts of a message are merged into one message.
    if (!field.repeated && field.message != nullptr) {
      if (const void* old = place.ops->get(member)) {
        return Value(field, place, value, const_cast<void*>(old));
      }
    }
    return Value(field, place, value, place.ops->add(member));
  }

  bool Entry(const FieldDescriptor& field, const MutableField& place, const WireField& entry,
             void* member) {
    std::string_view key;
    WireField value;
    bool several = false;
    wire::ProtobufReader reader(entry.bytes());
    while (reader.Next()) {
      if (reader.field() == 1 && reader.type() == WireType::kBytes) key = reader.bytes();
      if (reader.field() != 2) continue;
      if (reader.type() != WireTypeOf(field.kind)) return false;
      several = static_cast<bool>(value);
      value = reader.value();
    }
    if (!reader.ok()) return false;
    // The last value wins, but all must be well-formed.
    if (several) {
      wire::ProtobufReader again(entry.bytes());
      while (again.Next()) {
        if (again.field() == 2 &&
            !Value(field, place, again.value(), place.ops->insert(member, key))) {
          return false;
        }
      }
      return true;
    }
    void* const place_of_value = place.ops->insert(member, key);
    return !value || Value(field, place, value, place_of_value);
  }

  static bool IsWellFormed(std::string_view message) {
    wire::ProtobufReader reader(message);
    while (reader.Next()) {
    }
    return reader.ok();
  }

  bool Packed(const FieldDescriptor& field, const MutableField& place, const WireField& list,
              void* member) {
    const WireType type = WireTypeOf(field.kind);
    if (type == WireType::kBytes) return false;
    const char* at = list.data;
    const char* const end = at + list.size;
    while (at != end) {
      WireField value;
      at = wire::ReadPacked(at, end, type, value);
      if (at == nullptr || !Value(field, place, value, place.ops->add(member))) return false;
    }
    return true;
  }

  bool Value(const FieldDescriptor& field, const MutableField& place, const WireField& value,
             void* at) {
    switch (field.kind) {
      case FieldKind::kString:
      case FieldKind::kBytes:
        static_cast<std::string*>(at)->assign(value.bytes());
        return true;
      case FieldKind::kBool:
        *static_cast<bool*>(at) = value.scalar != 0;
        return true;
      case FieldKind::kInt32:
        *static_cast<std::int32_t*>(at) = static_cast<std::int32_t>(value.scalar);
        return true;
      case FieldKind::kInt64:
        *static_cast<std::int64_t*>(at) = static_cast<std::int64_t>(value.scalar);
        return true;
      case FieldKind::kDouble:
        *static_cast<double*>(at) = std::bit_cast<double>(value.scalar);
        return true;
      default:
        break;
    }
    if (field.message != nullptr) return Message(*place.table, value.bytes(), at);
    if (!lenient_ && !IsWellFormed(value.bytes())) return false;
    const MessageView view(value.bytes());
    switch (field.kind) {
      case FieldKind::kTime:
        *static_cast<metav1::Time*>(at) = metav1::Time(view);
        break;
      case FieldKind::kMicroTime:
        *static_cast<metav1::MicroTime*>(at) = metav1::MicroTime(view);
        break;
      case FieldKind::kDuration:
        *static_cast<metav1::Duration*>(at) = metav1::Duration(view);
        break;
      case FieldKind::kQuantity:
        *static_cast<resource::Quantity*>(at) = resource::Quantity(view);
        break;
      case FieldKind::kIntOrString:
        *static_cast<intstr::IntOrStringMutable*>(at) =
            intstr::IntOrStringMutable(intstr::IntOrString(view));
        break;
      default:
        *static_cast<runtime::RawExtensionMutable*>(at) =
            runtime::RawExtensionMutable(runtime::RawExtension(view));
    }
    return true;
  }

  const bool lenient_;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

std::string EncodeMutable(const MutableTable& table, const void* object) {
  BackwardWriter out(256);
  Encoder(out).Message(table, object);
  return std::string(out.view());
}

bool EncodesTo(const MutableTable& table, const void* object, std::string_view bytes) {
  BackwardMatcher out(bytes);
  Encoder(out).Message(table, object);
  return out.Matches();
}

bool SameEncoding(const MutableTable& table, const void* a, const void* b) {
  if (a == b) return true;
  return EncodesTo(table, b, EncodeMutable(table, a));
}

std::ostream& PrintName(std::ostream& out, const char* kind, const std::string& namespace_,
                        const std::string& name) {
  return out << kind << ' ' << ObjectKey(namespace_, name);
}

std::string EncodeMutableJson(const MutableTable& table, const void* object) {
  std::string head;
  if (table.type != nullptr) head = TypeMetaJson(table.type->kind, table.type->apiVersion());
  std::string out;
  // Fails only if the caller has put something into a RawExtension that is not JSON: then the
  // object cannot be sent at all.
  const Result<void> done = ProtobufToJson(*table.message, EncodeMutable(table, object), out, head);
  return done.ok() ? out : std::string();
}

Result<void> DecodeMutable(const MutableTable& table, std::string_view message, void* object) {
  Decoder decoder(false);
  if (!decoder.Message(table, message, object)) return decoder.TakeError();
  return {};
}

Result<void> DecodeMutableJson(const MutableTable& table, std::string_view json, void* object) {
  Result<std::string> message =
      JsonToProtobuf(*table.message, json, nullptr, UnknownMembers::kKeep);
  if (!message) return std::move(message).error();
  return DecodeMutable(table, *message, object);
}

void DecodeMutableLeniently(const MutableTable& table, std::string_view message, void* object) {
  Decoder(true).Message(table, message, object);
}

const BoxOps& OpsOfStruct(const MutableTable& table) { return *table.ops; }

}  // namespace kinformer::internal
