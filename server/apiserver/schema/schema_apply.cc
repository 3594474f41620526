#include "apiserver/schema/schema_apply.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "apiserver/schema/apply_order.h"
#include "apiserver/schema/schema_fields.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

// Schema of the parts of ObjectMeta whose lists are merged.
const SchemaNode& MetadataSchema() {
  static const StructuralSchema kSchema(json::Parse(R"({"type":"object","properties":{
        "finalizers":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
        "ownerReferences":{"type":"array","x-kubernetes-list-type":"map",
          "x-kubernetes-list-map-keys":["uid"],"items":{"type":"object"}}}})")
                                            .value_or(Value()));
  return kSchema.root();
}

bool MergesByElement(const SchemaNode* schema) {
  return schema != nullptr && schema->list_type != ListType::kAtomic;
}

bool IsAtomicMap(const SchemaNode* schema) { return schema != nullptr && schema->atomic_map; }

void AddText(const Value& value, std::string& out) {
  // 1 and 1.0 are equal numbers.
  out += value.AsInt64() ? std::to_string(*value.AsInt64()) : value.Dump({.sort_keys = true});
}

std::string Listed(const std::vector<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys) out += (out.empty() ? "" : " ") + Value(key).Dump();
  return out;
}

class Merger {
 public:
  // `embedded`: `object` is a whole object, whose metadata follows ObjectMeta.
  void Merge(const SchemaNode* schema, const Value& declared, bool embedded, Value& object) {
    if (declared.is_null() && IsKept(schema, object)) return;
    // New values are merged, too, to detect elements that cannot be distinguished.
    if (declared.is_object() && !IsAtomicMap(schema)) {
      return MergeMembers(schema, declared, embedded, object);
    }
    if (declared.is_array() && MergesByElement(schema)) {
      Value none = Value::MakeArray();
      return MergeItems(*schema, declared.items(), object.is_array() ? object : none, object);
    }
    object = declared;
  }

  std::string Take() { return std::move(error_); }

 private:
  // A null declares no change of values that merge.
  static bool IsKept(const SchemaNode* schema, const Value& object) {
    return object.size() > 0 && ((object.is_object() && !IsAtomicMap(schema)) ||
                                 (object.is_array() && MergesByElement(schema)));
  }

  void MergeMembers(const SchemaNode* schema, const Value& declared, bool embedded, Value& object) {
    std::vector<json::Object::Member> fresh;
    for (const auto& [name, value] : declared.members()) {
      const std::size_t length = path_.size();
      path_.append(".").append(name);
      const bool metadata = embedded && name == "metadata";
      const SchemaNode* const child = metadata            ? &MetadataSchema()
                                      : schema == nullptr ? nullptr
                                                          : schema->FindMember(name);
      Value* there = object.Find(name);
      if (there == nullptr) there = &fresh.emplace_back(name, Value()).second;
      Merge(child, value, child != nullptr && child->embedded_resource, *there);
      path_.resize(length);
      if (!error_.empty()) return;
    }
    object.EnsureObject().Extend(std::move(fresh));
  }

  // Returns the identities of the elements of a set, or of a list with keys.
  std::vector<std::string> IdentitiesOf(const SchemaNode& schema, const json::Array& items,
                                        bool check) {
    std::vector<std::string> out;
    out.reserve(items.size());
    for (const Value& item : items) {
      std::string identity;
      if (schema.list_type == ListType::kSet) {
        AddText(item, identity);
      } else {
        bool named = schema.map_keys.empty();
        for (const std::string& key : schema.map_keys) {
          const Value* const part = PartOf(schema, item, key);
          named = named || part != nullptr;
          if (part != nullptr) AddText(*part, identity);
          identity += '/';
        }
        if (!named && check) {
          return Fail("element " + std::to_string(out.size()) +
                      ": associative list with keys has an element that omits all key fields [" +
                      Listed(schema.map_keys) +
                      "] (and doesn't have default values for any key fields)");
        }
      }
      identity_bytes_ += identity.size();
      if (identity_bytes_ > kMaxDefaultBytes) {
        return Fail("the keys of its elements take more than " + std::to_string(kMaxDefaultBytes) +
                    " bytes");
      }
      out.push_back(std::move(identity));
    }
    return out;
  }

  // Returns null where the key is absent and has no default. A null is a value.
  static const Value* PartOf(const SchemaNode& schema, const Value& item, std::string_view key) {
    if (const Value* const part = item.Find(key)) return part;
    const SchemaNode* const member =
        schema.items == nullptr ? nullptr : schema.items->FindMember(key);
    return member != nullptr && member->default_value ? &*member->default_value : nullptr;
  }

  // Returns `=1`, or `k="x",n=1`.
  static std::string ShownKey(const SchemaNode& schema, const Value& item) {
    std::string out;
    if (schema.list_type == ListType::kSet) {
      out = "=";
      AddText(item, out);
      return out;
    }
    std::vector<std::string> keys = schema.map_keys;
    std::sort(keys.begin(), keys.end());
    for (const std::string& key : keys) {
      out += (out.empty() ? "" : ",") + key + "=";
      if (const Value* const part = PartOf(schema, item, key)) AddText(*part, out);
    }
    return out;
  }

  std::vector<std::string> Fail(const std::string& why) {
    if (error_.empty()) error_ = path_ + ": " + why;
    return {};
  }

  // Merges in one pass over both lists. `object` may be `there`.
  void MergeItems(const SchemaNode& schema, const json::Array& declared, Value& there,
                  Value& object) {
    const std::vector<std::string> mine = IdentitiesOf(schema, declared, /*check=*/true);
    const std::vector<std::string> old = IdentitiesOf(schema, there.items(), /*check=*/false);
    if (!error_.empty()) return;
    std::unordered_set<std::string_view> declares;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (!declares.insert(mine[i]).second) {
        Fail("duplicate entries for key [" + ShownKey(schema, declared[i]) + "]");
        return;
      }
    }
    // Elements with equal identities are ambiguous, and match none.
    std::unordered_map<std::string_view, Value*> known;
    json::Array& items = there.EnsureArray();
    for (std::size_t i = 0; i < old.size(); ++i) {
      const auto [at, fresh] = known.emplace(old[i], &items[i]);
      if (!fresh) at->second = nullptr;
    }
    json::Array out;
    const auto take = [&](std::size_t i) {
      Value element;
      const auto found = known.find(mine[i]);
      if (found != known.end() && found->second != nullptr) element = std::move(*found->second);
      const std::size_t length = path_.size();
      if (schema.list_type == ListType::kMap) path_ += "[" + ShownKey(schema, declared[i]) + "]";
      Merge(schema.items.get(), declared[i],
            schema.items != nullptr && schema.items->embedded_resource, element);
      path_.resize(length);
      out.push_back(std::move(element));
    };
    for (const AppliedElement& element : OrderOfApply(old, mine)) {
      if (element.declared) {
        take(element.index);
      } else {
        out.push_back(std::move(items[element.index]));
      }
    }
    object = Value(std::move(out));
  }

  std::string path_{};
  std::string error_{};
  // Includes all lists: defaults multiply, and the identities of nested lists exist at once.
  std::size_t identity_bytes_ = 0;
};

}  // namespace

std::string ApplyDeclared(const SchemaNode& schema, const Value& declared, Value& object) {
  Merger merger;
  merger.Merge(&schema, declared, /*embedded=*/true, object);
  return merger.Take();
}

}  // namespace kinformer::apiserver
