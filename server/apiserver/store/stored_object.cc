#include "apiserver/store/stored_object.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "apiserver/store/metadata_order.h"
#include "wire/json_text.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kResourceVersionKey = "\"resourceVersion\":\"";

class MetadataWriter {
 public:
  MetadataWriter(const json::Value& metadata, std::string_view resource_version,
                 json::TextSink& out)
      : metadata_(metadata), resource_version_(resource_version), out_(out) {}

  // Writes the metadata; returns the offset of the uid in the output.
  std::size_t Write() {
    std::array<const json::Value*, kMetadataOrder.size()> ordered{};
    bool others = false;
    for (const auto& [name, value] : metadata_.members()) {
      if (value.is_null()) continue;
      const std::size_t rank = MetadataRank(name);
      others = others || rank == ordered.size();
      if (rank < ordered.size()) ordered[rank] = &value;
    }
    std::size_t uid = 0;
    for (std::size_t rank = 0; rank < ordered.size(); ++rank) {
      if (rank == kVersionRank) {
        // Objects of dry runs, and reviews, have no version.
        if (resource_version_ == "0") continue;
        Name(kMetadataOrder[rank]);
        out_.PutQuoted(resource_version_);
      } else if (ordered[rank] != nullptr) {
        Name(kMetadataOrder[rank]);
        if (rank == kUidRank) uid = out_.size() + 1;
        out_.PutValue(*ordered[rank]);
      }
    }
    if (others) {
      for (const auto& [name, value] : metadata_.members()) {
        if (value.is_null() || MetadataRank(name) < ordered.size()) continue;
        Name(name);
        out_.PutValue(value);
      }
    }
    out_.Put(before_ == '{' ? "{}" : "}");
    return uid;
  }

 private:
  void Name(std::string_view name) {
    out_.Put(std::exchange(before_, ','));
    out_.PutQuoted(name);
    out_.Put(':');
  }

  const json::Value& metadata_;
  const std::string_view resource_version_;
  json::TextSink& out_;
  char before_ = '{';
};

// Appends a string after its length. The string may contain any byte, so a separator could not be
// distinguished from a client's data.
void AppendText(std::string_view text, std::string& out) {
  const auto size = static_cast<std::uint32_t>(text.size());
  std::array<char, sizeof size> prefix{};
  std::memcpy(prefix.data(), &size, sizeof size);
  out.append(prefix.data(), prefix.size()).append(text);
}

std::string_view TakeText(std::string_view& rest) {
  std::uint32_t size = 0;
  if (rest.size() < sizeof size) return {};
  std::memcpy(&size, rest.data(), sizeof size);
  const std::string_view text = rest.substr(sizeof size, size);
  rest.remove_prefix(sizeof size + text.size());
  return text;
}

void AppendLabels(const json::Value& labels, std::string& out) {
  for (const auto& [name, value] : labels.members()) {
    AppendText(name, out);
    AppendText(value.StringOrEmpty(), out);
  }
}

// Returns a scalar as selectors compare it.
std::string ScalarText(const json::Value& value, const std::string& fallback) {
  if (const auto text = value.AsString()) return std::string(*text);
  if (const auto flag = value.AsBool()) return *flag ? "true" : "false";
  if (value.is_number()) return value.NumberText();
  return fallback;
}

}  // namespace

std::string StorageKey(std::string_view namespace_, std::string_view name) {
  return NamespacePrefix(namespace_).append(name);
}

std::string NamespacePrefix(std::string_view namespace_) {
  std::string prefix(namespace_);
  if (!prefix.empty()) prefix += '/';
  return prefix;
}

std::shared_ptr<const StoredObject> StoredObject::Make(const json::Value& object,
                                                       std::int64_t resource_version,
                                                       std::span<const SelectableField> fields,
                                                       std::uint32_t form) {
  auto stored = std::make_shared<StoredObject>();
  stored->form_ = form;
  const json::Value& metadata = object["metadata"];
  const std::string& ns = metadata["namespace"].StringOrEmpty();
  stored->key_ = StorageKey(ns, metadata["name"].StringOrEmpty());
  stored->namespace_size_ = static_cast<std::uint32_t>(ns.size());
  stored->resource_version_ = resource_version;

  stored->terminating_ = !metadata["deletionTimestamp"].is_null();
  stored->owned_ = metadata["ownerReferences"].size() > 0;

  std::string text;
  {
    json::TextSink out(text);
    out.Put("\"metadata\":");
    const std::size_t uid = MetadataWriter(metadata, std::to_string(resource_version), out).Write();
    if (const auto value = metadata["uid"].AsString()) {
      stored->uid_offset_ = static_cast<std::uint32_t>(uid);
      stored->uid_size_ = static_cast<std::uint32_t>(value->size());
    }
    for (const auto& [name, value] : object.members()) {
      if (name == "kind" || name == "apiVersion" || name == "metadata") continue;
      out.Put(',');
      out.PutQuoted(name);
      out.Put(':');
      out.PutValue(value);
    }
    out.Put('}');
  }
  stored->body_ = std::string(std::string_view(text));  // allocates no spare capacity

  AppendLabels(metadata["labels"], stored->labels_);
  for (const SelectableField& field : fields) {
    AppendText(ScalarText(object.At(field.pointer), field.fallback), stored->fields_);
  }
  return stored;
}

std::shared_ptr<const StoredObject> StoredObject::AtResourceVersion(std::int64_t resource_version,
                                                                    bool tombstone) const {
  auto stored = std::make_shared<StoredObject>();
  stored->key_ = key_;
  stored->namespace_size_ = namespace_size_;
  stored->labels_ = labels_;
  stored->fields_ = fields_;
  stored->form_ = form_;
  stored->resource_version_ = resource_version;
  stored->tombstone_ = tombstone;
  stored->terminating_ = terminating_;
  stored->owned_ = owned_;
  const std::size_t at = body_.find(kResourceVersionKey) + kResourceVersionKey.size();
  const std::size_t end = body_.find('"', at);
  stored->body_ = body_.substr(0, at) + std::to_string(resource_version) + body_.substr(end);
  stored->uid_size_ = uid_size_;
  stored->uid_offset_ = uid_offset_;  // the uid precedes the resourceVersion
  return stored;
}

json::Value StoredObject::Outline(std::span<const OutlineMember> members) const {
  return OutlineOf(body_, members);
}

std::shared_ptr<const StoredObject> StoredObject::WithOutline(
    const json::Value& before, const json::Value& after,
    std::span<const SelectableField> fields) const {
  auto stored = std::make_shared<StoredObject>();
  stored->key_ = key_;
  stored->namespace_size_ = namespace_size_;
  stored->resource_version_ = resource_version_;
  stored->form_ = form_;
  stored->body_ = apiserver::WithOutline(body_, before, after);
  stored->uid_size_ = uid_size_;
  stored->uid_offset_ = uid_offset_;  // the uid precedes all that changes
  const json::Value& metadata = after["metadata"];
  stored->terminating_ = !metadata["deletionTimestamp"].is_null();
  stored->owned_ = metadata["ownerReferences"].size() > 0;
  if (before["metadata"]["labels"] == metadata["labels"]) {
    stored->labels_ = labels_;
  } else {
    AppendLabels(metadata["labels"], stored->labels_);
  }
  std::string_view rest = fields_;
  for (const SelectableField& field : fields) {
    const std::string_view text = TakeText(rest);
    const json::Value& now = after.At(field.pointer);
    if (now == before.At(field.pointer)) {
      AppendText(text, stored->fields_);
    } else {
      AppendText(ScalarText(now, field.fallback), stored->fields_);
    }
  }
  return stored;
}

std::shared_ptr<const StoredObject> StoredObject::Copy() const {
  auto copy = std::make_shared<StoredObject>();
  copy->copied_ = true;
  copy->key_ = key_;
  copy->body_ = body_;
  copy->labels_ = labels_;
  copy->fields_ = fields_;
  copy->resource_version_ = resource_version_;
  copy->form_ = form_;
  copy->namespace_size_ = namespace_size_;
  copy->uid_offset_ = uid_offset_;
  copy->uid_size_ = uid_size_;
  copy->tombstone_ = tombstone_;
  copy->terminating_ = terminating_;
  copy->owned_ = owned_;
  return copy;
}

json::Value StoredObject::Parse(std::string_view api_version, std::string_view kind) const {
  std::string text = "{";
  if (!kind.empty()) {
    text += "\"kind\":";
    json::AppendQuoted(text, kind);
    text += ",\"apiVersion\":";
    json::AppendQuoted(text, api_version);
    text += ',';
  }
  text += body_;
  // Text written by this server always parses.
  return json::Parse(text).value_or(json::Value());
}

std::optional<std::string_view> StoredObject::Label(std::string_view key) const {
  std::string_view rest = labels_;
  while (!rest.empty()) {
    const std::string_view name = TakeText(rest);
    const std::string_view value = TakeText(rest);
    if (name == key) return value;
  }
  return std::nullopt;
}

std::string_view StoredObject::Field(std::size_t index) const {
  std::string_view rest = fields_;
  for (; index > 0; --index) TakeText(rest);
  return TakeText(rest);
}

std::size_t StoredObject::bytes() const {
  return sizeof(StoredObject) + key_.capacity() + body_.capacity() + labels_.capacity() +
         fields_.capacity();
}

}  // namespace kinformer::apiserver
