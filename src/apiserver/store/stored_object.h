// apiserver/store/stored_object.h
//
// StoredObject: one version of one object. Immutable and shared: the latest state, the event log,
// and responses under way all hold the same one.

#ifndef KINFORMER_APISERVER_STORE_STORED_OBJECT_H_
#define KINFORMER_APISERVER_STORE_STORED_OBJECT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kinformer/json.h"

#include "apiserver/store/object_outline.h"

namespace kinformer::apiserver {

// A field that selectors may name, and where it is found.
struct SelectableField {
  std::string name{};      // "spec.nodeName"
  std::string pointer{};   // JSON Pointer: "/spec/nodeName"
  std::string fallback{};  // what an absent field counts as
};

// The object is kept as the JSON text that answers are made of, without its opening brace, kind and
// apiVersion: these depend on the version in which it is asked for. What selectors need stands
// beside it, flat, so that no answer parses anything.
//
// Loop-confined, since the protobuf form is filled in later.
class StoredObject {
 public:
  // `object` has complete metadata; `fields` are those of its resource; `form` as form() says.
  static std::shared_ptr<const StoredObject> Make(const json::Value& object,
                                                  std::int64_t resource_version,
                                                  std::span<const SelectableField> fields,
                                                  std::uint32_t form = 0);

  // The same object under another resourceVersion: what the last event about it shows. `tombstone`:
  // it is gone from there on.
  [[nodiscard]] std::shared_ptr<const StoredObject> AtResourceVersion(std::int64_t resource_version,
                                                                      bool tombstone) const;

  // What of it decides what becomes of it, and nothing else is parsed.
  [[nodiscard]] json::Value Outline(
      std::span<const OutlineMember> members = kDeletionOutline) const;
  // The same object with `after` in the place of its outline, which is `before`: as
  // apiserver::WithOutline. `fields` are those of its resource. REQUIRES: the outlines have the
  // owners and the deletionTimestamp, if the object has.
  [[nodiscard]] std::shared_ptr<const StoredObject> WithOutline(
      const json::Value& before, const json::Value& after,
      std::span<const SelectableField> fields) const;

  // A copy that nobody else has, for another thread.
  [[nodiscard]] std::shared_ptr<const StoredObject> Copy() const;

  // "namespace/name", or "name".
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] std::string_view namespace_() const {
    return std::string_view(key_).substr(0, namespace_size_);
  }
  [[nodiscard]] std::string_view name() const {
    return std::string_view(key_).substr(namespace_size_ == 0 ? 0 : namespace_size_ + 1);
  }
  [[nodiscard]] std::string_view uid() const {
    return std::string_view(body_).substr(uid_offset_, uid_size_);
  }
  [[nodiscard]] std::int64_t resource_version() const { return resource_version_; }
  [[nodiscard]] bool tombstone() const { return tombstone_; }
  // Whether it has a deletionTimestamp; whether it has ownerReferences.
  [[nodiscard]] bool terminating() const { return terminating_; }
  [[nodiscard]] bool owned() const { return owned_; }

  // Of which version's form the body is: a place in ServedResource::forms. It says something where
  // a webhook converts between versions.
  [[nodiscard]] std::uint32_t form() const { return form_; }

  // `"metadata":{...},...}`.
  [[nodiscard]] const std::string& body() const { return body_; }
  // The whole object, parsed. With kind and apiVersion if given.
  [[nodiscard]] json::Value Parse(std::string_view api_version = {},
                                  std::string_view kind = {}) const;

  [[nodiscard]] std::optional<std::string_view> Label(std::string_view key) const;
  // Of the i-th selectable field of the resource.
  [[nodiscard]] std::string_view Field(std::size_t index) const;

  // All of them, to compare.
  [[nodiscard]] std::string_view FieldsText() const { return fields_; }

  // ---- The kind's bare protobuf message, made by whoever first needs it.
  // Null where it is not kept.
  [[nodiscard]] const std::string* protobuf() const { return protobuf_.get(); }
  // Its size, which is remembered even then; none before it was made for the first time.
  [[nodiscard]] std::optional<std::size_t> protobuf_size() const {
    if (protobuf_size_ == 0) return std::nullopt;
    return protobuf_size_ - 1;
  }
  void NoteProtobufSize(std::size_t size) const {
    protobuf_size_ = static_cast<std::uint32_t>(size + 1);
  }
  // Whether this is a Copy, which keeps none.
  [[nodiscard]] bool copied() const { return copied_; }
  // Copies it, to keep no more than its bytes. REQUIRES: noted.
  void KeepProtobuf(const std::string& message) const {
    protobuf_ = std::make_unique<const std::string>(message);
  }
  [[nodiscard]] std::size_t protobuf_bytes() const {
    return protobuf_ == nullptr ? 0 : protobuf_->size() + sizeof(std::string);
  }

  // Heap and object bytes, about.
  [[nodiscard]] std::size_t bytes() const;

 private:
  std::string key_{};
  std::string body_{};
  // Texts, each after its length: keys and values, values.
  std::string labels_{};
  std::string fields_{};
  std::int64_t resource_version_ = 0;
  std::uint32_t namespace_size_ = 0;
  std::uint32_t uid_offset_ = 0;
  std::uint32_t uid_size_ = 0;
  bool copied_ = false;
  bool tombstone_ = false;
  bool terminating_ = false;
  bool owned_ = false;
  std::uint32_t form_ = 0;
  mutable std::uint32_t protobuf_size_ = 0;  // one more than it is; 0: not known
  mutable std::unique_ptr<const std::string> protobuf_{};
};

using StoredObjectPtr = std::shared_ptr<const StoredObject>;

// "namespace/name" or "name".
std::string StorageKey(std::string_view namespace_, std::string_view name);
// What the keys of a namespace begin with; empty for none: all keys do.
std::string NamespacePrefix(std::string_view namespace_);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_STORED_OBJECT_H_
