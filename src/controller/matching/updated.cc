#include "controller/matching/updated.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kinformer/internal/encodes_to.h"
#include "kinformer/internal/mutable_codec.h"
#include "kinformer/object/object_meta.h"

#include "controller/matching/value_type.h"
#include "object/transcode/block_text.h"
#include "wire/protobuf_reader.h"

namespace kinformer::internal::matching {
namespace {

using wire::WireField;

constexpr std::string_view kVersion = "resourceVersion";
// Metadata that only the server writes. An update that lacks it leaves it as it is.
constexpr std::array<std::string_view, 7> kOwnedByServer = {"creationTimestamp",
                                                            "deletionGracePeriodSeconds",
                                                            "deletionTimestamp",
                                                            "generation",
                                                            "managedFields",
                                                            "selfLink",
                                                            "uid"};

bool IsOwnedByServer(std::string_view member) {
  return std::find(kOwnedByServer.begin(), kOwnedByServer.end(), member) != kOwnedByServer.end();
}

// ---- Messages

bool SameField(const WireField& a, const WireField& b) {
  return a.type == b.type && a.scalar == b.scalar && a.bytes() == b.bytes();
}
bool IsZero(const WireField& field) { return field.scalar == 0 && field.size == 0; }

// Reads the fields of a message in the order of their numbers. Empty: it is malformed.
std::optional<std::vector<WireField>> FieldsOf(std::string_view message) {
  std::vector<WireField> fields;
  wire::ProtobufReader reader(message);
  while (reader.Next()) fields.push_back(reader.value());
  if (!reader.ok()) return std::nullopt;
  std::stable_sort(fields.begin(), fields.end(),
                   [](const WireField& a, const WireField& b) { return a.number < b.number; });
  return fields;
}

using Occurrences = std::span<const WireField>;

// Compares the messages of an object, of which most are equal byte by byte.
class Messages {
 public:
  enum class Part : std::uint8_t { kObject, kMetadata, kOther };

  static bool Same(const MessageDescriptor& type, std::string_view desired, std::string_view cached,
                   Part part) {
    if (desired == cached) return true;
    const auto mine = FieldsOf(desired);
    const auto its = FieldsOf(cached);
    if (!mine || !its) return false;
    Occurrences a(*mine);
    Occurrences b(*its);
    while (!a.empty() || !b.empty()) {
      const std::uint32_t number = a.empty()   ? b.front().number
                                   : b.empty() ? a.front().number
                                               : std::min(a.front().number, b.front().number);
      if (!SameNumber(type, number, TakeFrom(a, number), TakeFrom(b, number), part)) return false;
    }
    return true;
  }

 private:
  static Occurrences TakeFrom(Occurrences& fields, std::uint32_t number) {
    std::size_t count = 0;
    while (count < fields.size() && fields[count].number == number) ++count;
    const Occurrences taken = fields.first(count);
    fields = fields.subspan(count);
    return taken;
  }

  static bool SameNumber(const MessageDescriptor& type, std::uint32_t number, Occurrences desired,
                         Occurrences cached, Part part) {
    const FieldDescriptor* const field = FindByNumber(type, number);
    if (part == Part::kObject && field != nullptr && field->json_name == "metadata") {
      return desired.size() == 1 && cached.size() == 1 &&
             Same(metav1::ObjectMeta::message_descriptor(), desired[0].bytes(), cached[0].bytes(),
                  Part::kMetadata);
    }
    if (part == Part::kMetadata && field != nullptr) {
      if (field->json_name == kVersion) {
        return desired.size() == 1 && cached.size() == 1 && !IsZero(desired[0]) &&
               SameField(desired[0], cached[0]);
      }
      if (IsOwnedByServer(field->json_name) &&
          std::all_of(desired.begin(), desired.end(), IsZero)) {
        return true;
      }
    }
    if (std::equal(desired.begin(), desired.end(), cached.begin(), cached.end(), SameField)) {
      return true;
    }
    if (field == nullptr || desired.size() != cached.size()) return false;
    if (field->merge_rule != nullptr && field->merge_rule->list_type == ListType::kSet) {
      return std::is_permutation(desired.begin(), desired.end(), cached.begin(), SameField);
    }
    return std::equal(
        desired.begin(), desired.end(), cached.begin(),
        [&](const WireField& a, const WireField& b) { return SameOne(*field, a, b); });
  }

  static bool SameOne(const FieldDescriptor& field, const WireField& a, const WireField& b) {
    if (SameField(a, b)) return true;
    if (a.type != wire::WireType::kBytes || b.type != wire::WireType::kBytes) return false;
    if (!field.map) return SameContent(field, a.bytes(), b.bytes());
    // An entry: its key and its value.
    const auto mine = FieldsOf(a.bytes());
    const auto its = FieldsOf(b.bytes());
    return mine && its && mine->size() == 2 && its->size() == 2 &&
           SameField(mine->front(), its->front()) &&
           SameContent(field, mine->back().bytes(), its->back().bytes());
  }

  static bool SameContent(const FieldDescriptor& field, std::string_view a, std::string_view b) {
    if (a == b) return true;
    if (field.kind == FieldKind::kQuantity) return SameQuantity(TextOf(a), TextOf(b));
    return field.kind == FieldKind::kMessage && field.message != nullptr &&
           Same(*field.message, a, b, Part::kOther);
  }

  // Returns the text of a quantity's message.
  static std::string_view TextOf(std::string_view message) {
    wire::ProtobufReader reader(message);
    return reader.Next() && reader.field() == 1 ? reader.bytes() : std::string_view();
  }
};

// ---- JSON

bool IsEmpty(const json::Value* value) {
  return value == nullptr || value->is_null() ||
         ((value->is_object() || value->is_array()) && value->size() == 0) ||
         (value->is_string() && value->StringOrEmpty().empty()) ||
         (value->is_number() && value->AsDouble() == 0.0);
}

bool SameFinalizers(const json::Value& a, const json::Value& b) {
  return a.size() == b.size() &&
         std::is_permutation(a.items().begin(), a.items().end(), b.items().begin());
}

bool SameMetadata(const json::Value& desired, const json::Value& cached) {
  if (desired[kVersion].StringOrEmpty().empty()) return false;
  const auto same = [&](const std::string& name) {
    const json::Value* const mine = desired.Find(name);
    const json::Value* const its = cached.Find(name);
    if (IsEmpty(mine)) return IsOwnedByServer(name) || IsEmpty(its);
    if (its == nullptr) return false;
    return *mine == *its || (name == "finalizers" && SameFinalizers(*mine, *its));
  };
  const auto same_member = [&](const auto& member) { return same(member.first); };
  return std::all_of(desired.members().begin(), desired.members().end(), same_member) &&
         std::all_of(cached.members().begin(), cached.members().end(), same_member);
}

bool SameJson(const json::Value& desired, const json::Value& cached) {
  const auto same = [&](const auto& member) {
    const json::Value* const its = cached.Find(member.first);
    if (its == nullptr) return false;
    return member.first == "metadata" ? SameMetadata(member.second, *its) : member.second == *its;
  };
  return desired.is_object() && desired.contains("metadata") && desired.size() == cached.size() &&
         std::all_of(desired.members().begin(), desired.members().end(), same);
}

}  // namespace

bool UpdateChangesNothing(const Block& cached, const RequestObject& desired) {
  if (desired.is_partial || cached.partial()) return false;
  if (cached.encoding() == Encoding::kProtobuf) {
    const MessageDescriptor* const message = cached.type().message;
    return message != nullptr && !desired.protobuf.empty() &&
           Messages::Same(*message, desired.protobuf, cached.payload(), Messages::Part::kObject);
  }
  if (!desired.json) return false;
  const Result<json::Value> mine = json::Parse(desired.json());
  const Result<json::Value> its = json::Parse(BlockToJson(cached));
  return mine.ok() && its.ok() && SameJson(*mine, *its);
}

bool HasBytesOf(const Block& cached, const WrittenStruct& desired) {
  return !desired.is_partial && !cached.partial() && cached.encoding() == Encoding::kProtobuf &&
         cached.type().message == desired.table.message && !cached.resourceVersion().empty() &&
         EncodesTo(desired.table, desired.object, cached.payload());
}

std::string VersionOf(const KindInfo& kind, const RequestObject& desired) {
  if (desired.protobuf.empty() || kind.message == nullptr) {
    if (!desired.json) return {};
    const Result<json::Value> object = json::Parse(desired.json());
    return object.ok() ? (*object)["metadata"][kVersion].StringOrEmpty() : std::string();
  }
  const FieldDescriptor* const metadata = FindByName(*kind.message, "metadata");
  const FieldDescriptor* const version =
      FindByName(metav1::ObjectMeta::message_descriptor(), kVersion);
  if (metadata == nullptr || version == nullptr) return {};
  wire::ProtobufReader object(desired.protobuf);
  while (object.Next()) {
    if (object.field() != metadata->number) continue;
    wire::ProtobufReader inner(object.bytes());
    while (inner.Next()) {
      if (inner.field() == version->number) return std::string(inner.bytes());
    }
  }
  return {};
}

bool OnlyPatched(const json::Value& before, const json::Value& after, const json::Value& patch) {
  if (before == after) return true;
  if (patch.is_null() || (!patch.is_object() && patch == after)) return true;
  if (!before.is_object() || !after.is_object() || !patch.is_object()) return false;
  const auto same = [&](const std::string& name) {
    const json::Value* const mine = patch.Find(name);
    const json::Value* const was = before.Find(name);
    const json::Value* const is = after.Find(name);
    if (was != nullptr && is != nullptr && *was == *is) return true;
    if (mine == nullptr) return false;
    // Added or removed by the patch.
    if (was == nullptr) return is != nullptr && *mine == *is;
    return is == nullptr ? mine->is_null() : OnlyPatched(*was, *is, *mine);
  };
  const auto same_member = [&](const auto& member) { return same(member.first); };
  return std::all_of(before.members().begin(), before.members().end(), same_member) &&
         std::all_of(after.members().begin(), after.members().end(), same_member);
}

}  // namespace kinformer::internal::matching
