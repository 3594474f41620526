// apiserver/store/stored_object.h
//
// StoredObject: one version of one object. Immutable and shared by the latest state, the event log,
// and responses under way.

#ifndef KINFORMER_APISERVER_STORE_STORED_OBJECT_H_
#define KINFORMER_APISERVER_STORE_STORED_OBJECT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kinformer/json/json.h"

#include "apiserver/store/object_outline.h"

namespace kinformer::apiserver {

// A field that selectors may name, and its location.
struct SelectableField {
  std::string name{};      // "spec.nodeName"
  std::string pointer{};   // JSON Pointer: "/spec/nodeName"
  std::string fallback{};  // value of an absent field
};

// Holds the object as the JSON text of responses, without the opening brace, kind and apiVersion,
// which depend on the requested version. Labels and selectable fields are held beside it, in a flat
// form, so that no response has to parse the text.
//
// Loop-confined, since the protobuf form is cached later.
class StoredObject {
 public:
  // `object` has complete metadata; `fields` are those of its resource; for `form` see form().
  static std::shared_ptr<const StoredObject> Make(const json::Value& object,
                                                  std::int64_t resource_version,
                                                  std::span<const SelectableField> fields,
                                                  std::uint32_t form = 0);

  // Returns the same object under another resourceVersion, as the last event about it shows it.
  // `tombstone`: the object was deleted at that version.
  [[nodiscard]] std::shared_ptr<const StoredObject> AtResourceVersion(std::int64_t resource_version,
                                                                      bool tombstone) const;

  // Parses only `members`, by default those that decide about deletion.
  [[nodiscard]] json::Value Outline(
      std::span<const OutlineMember> members = kDeletionOutline) const;
  // Returns the object with its outline, `before`, replaced by `after`, as apiserver::WithOutline.
  // `fields` are those of its resource. REQUIRES: the outlines include owners and
  // deletionTimestamp, if the object has them.
  [[nodiscard]] std::shared_ptr<const StoredObject> WithOutline(
      const json::Value& before, const json::Value& after,
      std::span<const SelectableField> fields) const;

  // Returns an unshared copy, for use on another thread.
  [[nodiscard]] std::shared_ptr<const StoredObject> Copy() const;

  // Storage key: "namespace/name", or "name".
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
  // Whether it has a deletionTimestamp, and whether it has ownerReferences.
  [[nodiscard]] bool terminating() const { return terminating_; }
  [[nodiscard]] bool owned() const { return owned_; }

  // Version of the body: an index into ServedResource::forms. Used only where a webhook converts
  // between versions.
  [[nodiscard]] std::uint32_t form() const { return form_; }

  // `"metadata":{...},...}`.
  [[nodiscard]] const std::string& body() const { return body_; }
  // Parses the whole object, and adds kind and apiVersion if given.
  [[nodiscard]] json::Value Parse(std::string_view api_version = {},
                                  std::string_view kind = {}) const;

  [[nodiscard]] std::optional<std::string_view> Label(std::string_view key) const;
  // Value of the i-th selectable field of the resource.
  [[nodiscard]] std::string_view Field(std::size_t index) const;

  // All selectable fields, for comparison.
  [[nodiscard]] std::string_view FieldsText() const { return fields_; }

  // ---- The kind's bare protobuf message, cached by its first user.
  // Null where it is not cached.
  [[nodiscard]] const std::string* protobuf() const { return protobuf_.get(); }
  // Its size, remembered even if it is not cached; none before it was made for the first time.
  [[nodiscard]] std::optional<std::size_t> protobuf_size() const {
    if (protobuf_size_ == 0) return std::nullopt;
    return protobuf_size_ - 1;
  }
  void NoteProtobufSize(std::size_t size) const {
    protobuf_size_ = static_cast<std::uint32_t>(size + 1);
  }
  // Whether this is a Copy, which caches none.
  [[nodiscard]] bool copied() const { return copied_; }
  // Caches a copy, so that no spare capacity is held. REQUIRES: its size was noted.
  void KeepProtobuf(const std::string& message) const {
    protobuf_ = std::make_unique<const std::string>(message);
  }
  [[nodiscard]] std::size_t protobuf_bytes() const {
    return protobuf_ == nullptr ? 0 : protobuf_->size() + sizeof(std::string);
  }

  // Approximate heap and object size.
  [[nodiscard]] std::size_t bytes() const;

 private:
  friend class ObjectImage;

  std::string key_{};
  std::string body_{};
  // Strings, each after its length: keys and values; values.
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
  mutable std::uint32_t protobuf_size_ = 0;  // size + 1; 0: unknown
  mutable std::unique_ptr<const std::string> protobuf_{};
};

using StoredObjectPtr = std::shared_ptr<const StoredObject>;

// Returns "namespace/name", or "name".
std::string StorageKey(std::string_view namespace_, std::string_view name);
// Common prefix of the keys of a namespace; empty for no namespace, which matches all keys.
std::string NamespacePrefix(std::string_view namespace_);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_STORED_OBJECT_H_
