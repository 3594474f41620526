#include "apiserver/record.h"

#include <array>
#include <cstddef>

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kResourceVersionKey = "\"resourceVersion\":\"";
constexpr std::string_view kUidKey = "\"uid\":\"";

// The order in which metadata is written. resourceVersion and uid come before everything that could hold members of the same
// name, so the first occurrence in the text is theirs.
constexpr std::array<std::string_view, 14> kMetadataOrder = {"name",
                                                             "generateName",
                                                             "namespace",
                                                             "uid",
                                                             "resourceVersion",
                                                             "generation",
                                                             "creationTimestamp",
                                                             "deletionTimestamp",
                                                             "deletionGracePeriodSeconds",
                                                             "labels",
                                                             "annotations",
                                                             "ownerReferences",
                                                             "finalizers",
                                                             "managedFields"};

void AppendMember(std::string_view name, const json::Value& value, bool& first, std::string& out) {
  if (!first) out += ',';
  first = false;
  json::AppendQuoted(out, name);
  out += ':';
  value.AppendTo(out);
}

void AppendMetadata(const json::Value& metadata, std::string_view resource_version,
                    std::string& out) {
  bool first = true;
  out += '{';
  for (const std::string_view name : kMetadataOrder) {
    if (name == "resourceVersion") {
      // A dry run's object, and a review, were never stored.
      if (resource_version == "0") continue;
      AppendMember(name, json::Value(resource_version), first, out);
    } else if (const json::Value* value = metadata.Find(name);
               value != nullptr && !value->is_null()) {
      AppendMember(name, *value, first, out);
    }
  }
  for (const auto& [name, value] : metadata.members()) {
    bool known = false;
    for (const std::string_view ordered : kMetadataOrder) known = known || ordered == name;
    if (!known && !value.is_null()) AppendMember(name, value, first, out);
  }
  out += '}';
}

// A scalar as selectors compare it.
std::string ScalarText(const json::Value& value, const std::string& fallback) {
  if (const auto text = value.AsString()) return std::string(*text);
  if (const auto flag = value.AsBool()) return *flag ? "true" : "false";
  if (value.is_number()) return value.NumberText();
  return fallback;
}

}  // namespace

std::string StorageKey(std::string_view namespace_, std::string_view name) {
  std::string key(namespace_);
  if (!key.empty()) key += '/';
  return key.append(name);
}

std::shared_ptr<const Record> Record::Make(const json::Value& object, std::int64_t resource_version,
                                           std::span<const SelectableField> fields) {
  auto record = std::make_shared<Record>();
  const json::Value& metadata = object["metadata"];
  const std::string& ns = metadata["namespace"].StringOrEmpty();
  record->key_ = StorageKey(ns, metadata["name"].StringOrEmpty());
  record->namespace_size_ = static_cast<std::uint32_t>(ns.size());
  record->resource_version_ = resource_version;

  std::string& body = record->body_;
  body = "\"metadata\":";
  AppendMetadata(metadata, std::to_string(resource_version), body);
  bool first = false;
  for (const auto& [name, value] : object.members()) {
    if (name != "kind" && name != "apiVersion" && name != "metadata")
      AppendMember(name, value, first, body);
  }
  body += '}';
  body.shrink_to_fit();

  if (const auto uid = metadata["uid"].AsString()) {
    record->uid_offset_ = static_cast<std::uint32_t>(body.find(kUidKey) + kUidKey.size());
    record->uid_size_ = static_cast<std::uint32_t>(uid->size());
  }
  for (const auto& [name, value] : metadata["labels"].members()) {
    record->labels_.append(name).push_back('\0');
    record->labels_.append(value.StringOrEmpty()).push_back('\0');
  }
  for (const SelectableField& field : fields) {
    record->fields_.append(ScalarText(object.At(field.pointer), field.fallback)).push_back('\0');
  }
  return record;
}

std::shared_ptr<const Record> Record::AtResourceVersion(std::int64_t resource_version,
                                                        bool tombstone) const {
  auto record = std::make_shared<Record>();
  record->key_ = key_;
  record->namespace_size_ = namespace_size_;
  record->labels_ = labels_;
  record->fields_ = fields_;
  record->resource_version_ = resource_version;
  record->tombstone_ = tombstone;
  const std::size_t at = body_.find(kResourceVersionKey) + kResourceVersionKey.size();
  const std::size_t end = body_.find('"', at);
  record->body_ = body_.substr(0, at) + std::to_string(resource_version) + body_.substr(end);
  record->uid_size_ = uid_size_;
  record->uid_offset_ = uid_offset_;  // stands before the resourceVersion
  return record;
}

json::Value Record::Parse(std::string_view api_version, std::string_view kind) const {
  std::string text = "{";
  if (!kind.empty()) {
    text += "\"kind\":";
    json::AppendQuoted(text, kind);
    text += ",\"apiVersion\":";
    json::AppendQuoted(text, api_version);
    text += ',';
  }
  text += body_;
  // Text of our own making always parses.
  return json::Parse(text).value_or(json::Value());
}

std::optional<std::string_view> Record::Label(std::string_view key) const {
  std::string_view rest = labels_;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(name.size() + 1);
    const std::string_view value = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(value.size() + 1);
    if (name == key) return value;
  }
  return std::nullopt;
}

std::string_view Record::Field(std::size_t index) const {
  std::string_view rest = fields_;
  for (; index > 0; --index) rest.remove_prefix(rest.find('\0') + 1);
  return rest.substr(0, rest.find('\0'));
}

std::size_t Record::bytes() const {
  return sizeof(Record) + key_.capacity() + body_.capacity() + labels_.capacity() +
         fields_.capacity();
}

}  // namespace kinformer::apiserver
