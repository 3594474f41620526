#include "apiserver/schema/schema_fields.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

using json::Type;
using json::Value;

bool IsTypeMeta(std::string_view name) { return name == "apiVersion" || name == "kind"; }

// ---- ObjectMeta

enum class MetaType : std::uint8_t { kString, kInteger, kTime, kStringMap, kStrings, kObjects };

struct MetaField {
  std::string_view name;
  MetaType type;
  std::string_view go_type;
};

constexpr std::array<MetaField, 15> kMetaFields = {{
    {"annotations", MetaType::kStringMap, "map[string]string"},
    {"creationTimestamp", MetaType::kTime, "string"},
    {"deletionGracePeriodSeconds", MetaType::kInteger, "int64"},
    {"deletionTimestamp", MetaType::kTime, "string"},
    {"finalizers", MetaType::kStrings, "[]string"},
    {"generateName", MetaType::kString, "string"},
    {"generation", MetaType::kInteger, "int64"},
    {"labels", MetaType::kStringMap, "map[string]string"},
    {"managedFields", MetaType::kObjects, "[]v1.ManagedFieldsEntry"},
    {"name", MetaType::kString, "string"},
    {"namespace", MetaType::kString, "string"},
    {"ownerReferences", MetaType::kObjects, "[]v1.OwnerReference"},
    {"resourceVersion", MetaType::kString, "string"},
    {"selfLink", MetaType::kString, "string"},
    {"uid", MetaType::kString, "types.UID"},
}};

const MetaField* FindMetaField(std::string_view name) {
  const auto at =
      std::lower_bound(kMetaFields.begin(), kMetaFields.end(), name,
                       [](const MetaField& field, std::string_view n) { return field.name < n; });
  return at == kMetaFields.end() || at->name != name ? nullptr : &*at;
}

std::string Mismatch(const Value& value, std::string_view field, std::string_view go_type) {
  std::string text = "json: cannot unmarshal ";
  text.append(json::TypeName(value.type()));
  // Go names a number that is no integer.
  if (value.is_number() && go_type == "int64") text.append(" ").append(value.Dump());
  text.append(" into Go struct field ObjectMeta.").append(field);
  return text.append(" of type ").append(go_type);
}

std::string FieldTypeError(const MetaField& field, const Value& value) {
  if (value.is_null()) return {};
  switch (field.type) {
    case MetaType::kString:
    case MetaType::kTime:
      return value.is_string() ? std::string() : Mismatch(value, field.name, field.go_type);
    case MetaType::kInteger:
      return value.AsInt64() ? std::string() : Mismatch(value, field.name, field.go_type);
    case MetaType::kStringMap:
      if (!value.is_object()) return Mismatch(value, field.name, field.go_type);
      for (const auto& [key, text] : value.members()) {
        if (!text.is_string() && !text.is_null()) return Mismatch(text, field.name, "string");
      }
      return {};
    case MetaType::kStrings:
    case MetaType::kObjects: {
      if (!value.is_array()) return Mismatch(value, field.name, field.go_type);
      const Type wanted = field.type == MetaType::kStrings ? Type::kString : Type::kObject;
      for (const Value& item : value.items()) {
        if (item.type() != wanted && !item.is_null()) {
          return Mismatch(item, field.name, field.go_type.substr(2));
        }
      }
      return {};
    }
  }
  return {};
}

std::string MetaError(const Value& metadata) {
  if (metadata.is_null()) return {};
  if (!metadata.is_object()) {
    return "json: cannot unmarshal " + std::string(json::TypeName(metadata.type())) +
           " into Go value of type v1.ObjectMeta";
  }
  for (const auto& [name, value] : metadata.members()) {
    const MetaField* const field = FindMetaField(name);
    if (field == nullptr) continue;
    if (std::string error = FieldTypeError(*field, value); !error.empty()) return error;
  }
  return {};
}

void PruneMetadata(Value& metadata) {
  json::Object* const members = metadata.IfObject();
  if (members == nullptr) return;
  members->EraseIf(
      [](const json::Object::Member& member) { return FindMetaField(member.first) == nullptr; });
}

// ---- Unknown fields

constexpr std::size_t kMaxPathBytes = std::size_t{1} << 20;

class UnknownFinder {
 public:
  explicit UnknownFinder(bool applies = false) : applies_(applies) {}

  // `keep`: no field at this level is unknown.
  void Walk(const SchemaNode* schema, const Value& value, bool resource, bool keep = false) {
    keep = keep || (schema != nullptr && schema->preserve_unknown);
    const bool free = schema != nullptr && schema->properties.empty() && schema->items == nullptr &&
                      schema->additional == nullptr && !resource;
    if (applies_ && (keep || free)) return;
    if (const json::Object* members = value.IfObject()) {
      for (const auto& [name, member] : *members) {
        const std::size_t size = path_.size();
        if (!path_.empty()) path_ += '.';
        path_ += name;
        WalkMember(schema, name, member, resource, keep);
        path_.resize(size);
      }
      return;
    }
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        const std::size_t size = path_.size();
        path_ += '[' + std::to_string(i) + ']';
        const SchemaNode* const items = schema == nullptr ? nullptr : schema->items.get();
        if (items != nullptr || !keep) {
          Walk(items, value[i], items != nullptr && items->embedded_resource, keep);
        }
        path_.resize(size);
      }
    }
  }

  std::vector<std::string> Take() {
    std::sort(unknown_.begin(), unknown_.end());
    std::sort(metadata_.begin(), metadata_.end());
    unknown_.insert(unknown_.end(), metadata_.begin(), metadata_.end());
    if (more_ > 0) unknown_.push_back("... and " + std::to_string(more_) + " more");
    return std::move(unknown_);
  }

 private:
  void WalkMember(const SchemaNode* schema, const std::string& name, const Value& member,
                  bool resource, bool keep) {
    if (resource && IsTypeMeta(name)) return;
    if (resource && name == "metadata") {
      for (const auto& [field, ignored] : member.members()) {
        if (FindMetaField(field) == nullptr) Note(metadata_, path_ + "." + field);
      }
      return;
    }
    const SchemaNode* const found = schema == nullptr ? nullptr : schema->FindMember(name);
    if (found != nullptr) {
      Walk(found, member, found->embedded_resource);
    } else if (schema != nullptr && schema->any_additional) {
      Walk(nullptr, member, false);
    } else if (!keep) {
      Note(unknown_, path_);
    }
  }

  // Adds the path, or only counts it if the total length exceeds the limit.
  void Note(std::vector<std::string>& list, const std::string& path) {
    if (bytes_ > kMaxPathBytes) {
      ++more_;
      return;
    }
    list.push_back(path);
    bytes_ += path.size();
  }

  const bool applies_;
  std::string path_;
  std::size_t bytes_ = 0;  // of all paths
  std::size_t more_ = 0;
  std::vector<std::string> unknown_;
  std::vector<std::string> metadata_;
};

bool Prune(const SchemaNode* schema, Value& value, bool resource, bool keep = false);

// Erases the members whose index is marked.
void EraseMarked(const std::vector<bool>& gone, json::Object& members) {
  if (std::find(gone.begin(), gone.end(), true) == gone.end()) return;
  std::vector<json::Object::Member> all = std::move(members).Release();
  std::vector<json::Object::Member> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!gone[i]) kept.push_back(std::move(all[i]));
  }
  members = json::Object(std::move(kept));
}

// Prunes a member. Sets `gone` if the member itself is unknown and must be removed.
bool PruneMember(const SchemaNode* schema, const std::string& name, Value& member, bool resource,
                 bool keep, bool& gone) {
  if (resource && IsTypeMeta(name)) return false;
  if (resource && name == "metadata") {
    PruneMetadata(member);
    return false;
  }
  const SchemaNode* const found = schema == nullptr ? nullptr : schema->FindMember(name);
  if (found != nullptr) return Prune(found, member, found->embedded_resource);
  if (schema != nullptr && schema->any_additional) return Prune(nullptr, member, false);
  gone = !keep;
  return gone;
}

bool PruneItems(const SchemaNode* schema, json::Array& items, bool keep) {
  const SchemaNode* const schema_of_items = schema == nullptr ? nullptr : schema->items.get();
  if (schema_of_items == nullptr && keep) return false;
  const bool resource = schema_of_items != nullptr && schema_of_items->embedded_resource;
  bool pruned = false;
  for (Value& item : items) pruned = Prune(schema_of_items, item, resource, keep) || pruned;
  return pruned;
}

// `keep`: no field at this level is unknown to the schema. Items of a list inherit it, members of
// objects do not.
bool Prune(const SchemaNode* schema, Value& value, bool resource, bool keep) {
  keep = keep || (schema != nullptr && schema->preserve_unknown);
  if (json::Array* items = value.IfArray()) return PruneItems(schema, *items, keep);
  json::Object* const members = value.IfObject();
  if (members == nullptr) return false;
  bool pruned = false;
  std::vector<bool> gone(members->size());
  for (std::size_t i = 0; i < members->size(); ++i) {
    bool goes = false;
    pruned =
        PruneMember(schema, members->name(i), members->value(i), resource, keep, goes) || pruned;
    gone[i] = goes;
  }
  if (pruned) EraseMarked(gone, *members);
  return pruned;
}

// Returns the first type error in kind, apiVersion and metadata of embedded objects.
std::string EmbeddedError(const SchemaNode& schema, const Value& value, std::string& path) {
  if (schema.embedded_resource && value.is_object()) {
    for (const char* const name : {"apiVersion", "kind"}) {
      const Value& text = value[name];
      if (text.is_null() || text.is_string()) continue;
      return path + "." + name +
             ": Invalid value: " + text.Dump({.sort_keys = true, .escape_html = false}) +
             ": must be a string";
    }
    if (const Value* metadata = value.Find("metadata")) {
      if (std::string error = MetaError(*metadata); !error.empty()) {
        return path + ".metadata: Invalid value: " +
               metadata->Dump({.sort_keys = true, .escape_html = false}) + ": " + error;
      }
    }
  }
  const std::size_t size = path.size();
  for (const auto& [name, member] : value.members()) {
    const SchemaNode* const found = schema.FindMember(name);
    if (found == nullptr) continue;
    if (!path.empty()) path += '.';
    path += name;
    if (std::string error = EmbeddedError(*found, member, path); !error.empty()) return error;
    path.resize(size);
  }
  if (schema.items != nullptr) {
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      path += '[' + std::to_string(i) + ']';
      if (std::string error = EmbeddedError(*schema.items, value[i], path); !error.empty()) {
        return error;
      }
      path.resize(size);
    }
  }
  return {};
}

// Returns whether it is a null that is replaced by the default, or removed.
bool IsForbiddenNull(const SchemaNode& schema, const Value& value) {
  return value.is_null() && !schema.nullable;
}

void DropForbiddenNulls(const SchemaNode& schema, Value& value, bool root) {
  if (json::Array* const items = value.IfArray(); items != nullptr && schema.items != nullptr) {
    for (Value& item : *items) DropForbiddenNulls(*schema.items, item, false);
  }
  json::Object* const members = value.IfObject();
  if (members == nullptr) return;
  std::vector<bool> gone(members->size());
  for (std::size_t i = 0; i < members->size(); ++i) {
    const SchemaNode* const found = schema.FindMember(members->name(i));
    if (found == nullptr || (root && members->name(i) == "metadata")) continue;
    gone[i] = IsForbiddenNull(*found, members->value(i)) && !found->default_value;
    if (!gone[i]) DropForbiddenNulls(*found, members->value(i), false);
  }
  EraseMarked(gone, *members);
}

// Counts added defaults, and stops at the limit.
class DefaultFiller {
 public:
  explicit DefaultFiller(bool keeps_nulls) : keeps_nulls_(keeps_nulls) {}

  void Fill(const SchemaNode& schema, Value& value, bool root) {
    if (json::Object* members = value.IfObject()) {
      FillMembers(schema, *members, root);
    } else if (json::Array* items = value.IfArray(); items != nullptr && schema.items != nullptr) {
      FillItems(*schema.items, *items);
    }
  }

  [[nodiscard]] bool full() const { return spent_ > kMaxDefaultBytes; }

 private:
  // Returns false if the limit is exceeded.
  bool Spend(const SchemaNode& schema, std::size_t name) {
    spent_ += schema.default_cost + name;
    return !full();
  }

  void ReplaceForbiddenNulls(const SchemaNode& schema, json::Object& members) {
    std::vector<bool> gone(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      const SchemaNode* const found = schema.FindMember(members.name(i));
      if (found == nullptr || !IsForbiddenNull(*found, members.value(i))) continue;
      if (!found->default_value) {
        gone[i] = !keeps_nulls_;
      } else if (Spend(*found, 0)) {
        members.value(i) = *found->default_value;
      }
    }
    EraseMarked(gone, members);
  }

  void AddMissingMembers(const SchemaNode& schema, json::Object& members) {
    if (!schema.has_defaults) return;
    for (std::size_t i = 0; i < schema.properties.size(); ++i) {
      const SchemaNode& property = schema.properties[i];
      if (!property.default_value || members.Find(schema.names[i]) != nullptr) continue;
      if (!Spend(property, schema.names[i].size())) return;
      members.Set(schema.names[i], *property.default_value);
    }
  }

  void FillMembers(const SchemaNode& schema, json::Object& members, bool root) {
    ReplaceForbiddenNulls(schema, members);
    AddMissingMembers(schema, members);
    for (std::size_t i = 0; i < members.size() && !full(); ++i) {
      if (root && members.name(i) == "metadata") continue;
      const SchemaNode* const found = schema.FindMember(members.name(i));
      if (found != nullptr) Fill(*found, members.value(i), false);
    }
  }

  void FillItems(const SchemaNode& schema, json::Array& items) {
    for (Value& item : items) {
      if (full()) return;
      if (IsForbiddenNull(schema, item) && schema.default_value && Spend(schema, 0)) {
        item = *schema.default_value;
      }
      Fill(schema, item, false);
    }
  }

  const bool keeps_nulls_;
  std::size_t spent_ = 0;
};

}  // namespace

std::vector<std::string> UnknownFields(const SchemaNode& schema, const Value& object) {
  UnknownFinder finder;
  finder.Walk(&schema, object, /*resource=*/true);
  return finder.Take();
}

std::vector<std::string> UndeclaredFields(const SchemaNode& schema, const Value& object) {
  UnknownFinder finder(/*applies=*/true);
  finder.Walk(&schema, object, /*resource=*/true);
  return finder.Take();
}

std::string MetadataTypeError(const SchemaNode& schema, const Value& object) {
  if (std::string error = MetaError(object["metadata"]); !error.empty()) return error;
  std::string path;
  return EmbeddedError(schema, object, path);
}

void PruneObject(const SchemaNode& schema, Value& object) {
  (void)Prune(&schema, object, /*resource=*/true);
}

void ShapeForVersion(const SchemaNode& schema, Value& object) {
  PruneObject(schema, object);
  DropForbiddenNulls(schema, object, /*root=*/true);
}

bool PruneValue(const SchemaNode& schema, Value& value) {
  return Prune(&schema, value, schema.embedded_resource);
}

bool ApplyDefaults(const SchemaNode& schema, Value& object, bool keeps_nulls) {
  DefaultFiller filler(keeps_nulls);
  filler.Fill(schema, object, /*root=*/true);
  return !filler.full();
}

void StoreIntegers(const SchemaNode& schema, Value& value) {
  if (!schema.has_integers) return;
  if (json::Object* const members = value.IfObject()) {
    for (std::size_t i = 0; i < members->size(); ++i) {
      const Value& member = members->value(i);
      const bool container = member.is_object() || member.is_array();
      if (!container && (!member.is_number() || member.is_integer())) continue;
      const SchemaNode* const found = schema.FindMember(members->name(i));
      if (found != nullptr && found->has_integers) StoreIntegers(*found, members->value(i));
    }
  } else if (json::Array* const items = value.IfArray()) {
    if (schema.items == nullptr) return;
    for (Value& item : *items) StoreIntegers(*schema.items, item);
  } else if (schema.type == SchemaType::kInteger && value.is_number() && !value.is_integer()) {
    if (const auto integer = value.AsInt64()) value = *integer;
  }
}

}  // namespace kinformer::apiserver
