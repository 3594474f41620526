// object/entry/metadata_message.h
//
// JsonMetadata: ObjectMeta as the fast reader found it in JSON. MetadataMessage: it as protobuf.

#ifndef KINFORMER_OBJECT_ENTRY_METADATA_MESSAGE_H_
#define KINFORMER_OBJECT_ENTRY_METADATA_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object/block/block_assembly.h"
#include "object/values/text_forms.h"

namespace kinformer::internal {

// A value and its text in the JSON. A template needs the text to find the same value in the next
// object.
struct MetadataTime {
  std::optional<TimeStamp> value;
  std::string_view text;  // between the quotes
};
struct MetadataNumber {
  std::int64_t value = 0;
  std::string_view text;
};

using TextPair = std::pair<std::string_view, std::string_view>;

struct MetadataOwner {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;
};

struct MetadataManagedFields {
  std::string_view manager;
  std::string_view operation;
  std::string_view api_version;
  MetadataTime time;
  std::string_view fields_type;
  std::string_view fields;  // JSON
  std::string_view subresource;
};

// All texts have their escapes resolved.
struct JsonMetadata {
  std::string_view json;  // the whole text
  std::string_view name;
  std::string_view generate_name;
  std::string_view namespace_;
  std::string_view self_link;
  std::string_view uid;
  std::string_view resource_version;
  MetadataNumber generation;
  MetadataTime creation;
  MetadataTime deletion;
  std::optional<std::int64_t> grace;
  std::vector<TextPair> labels;
  std::vector<TextPair> annotations;
  std::vector<MetadataOwner> owners;
  std::vector<std::string_view> finalizers;
  std::vector<MetadataManagedFields> managed;
  std::string unescaped;  // storage for texts that had escapes
  // Pairs of a text as written in the JSON, with escapes, and the same text without them.
  std::vector<TextPair> escaped;
  std::string_view dropped;  // the value of managedFields if they are dropped

  void Clear() {
    name = generate_name = namespace_ = self_link = uid = resource_version = {};
    generation = {};
    creation = deletion = {};
    grace.reset();
    labels.clear();
    annotations.clear();
    owners.clear();
    finalizers.clear();
    managed.clear();
    unescaped.clear();
    escaped.clear();
    dropped = json = {};
    // Frees the memory after an unusually large object.
    if (unescaped.capacity() > (std::size_t{1} << 20)) unescaped.shrink_to_fit();
  }
};

// Appends the content of a string with escapes resolved. Returns false for an invalid escape.
bool AppendUnescaped(std::string_view text, std::string& out);

// Bytes of the message that are determined by one JSON text. Apart from them, that text changes
// only the lengths of the messages around them.
struct MessageSlot {
  enum class Kind : std::uint8_t {
    kText,     // a string
    kNumber,   // an integer
    kTime,     // a string
    kFields,   // fieldsV1: an object, kept as it is
    kDropped,  // managedFields that are dropped: an array in JSON, no bytes in the message
    kKey,      // no text: one of the four keys is missing, but its position matters
  };
  Kind kind = Kind::kText;
  std::uint8_t key = 4;   // its index among the four keys; 4: not a key
  std::string_view json;  // strings without their quotes
  // Position in the message, including the length prefix; for a time, only the seconds.
  std::size_t at = 0;
  std::size_t size = 0;
};
// A nested message: a label, an owner, an entry of managedFields.
struct NestedMessage {
  std::size_t length_at = 0;  // behind the tag
  std::size_t body_at = 0;
  std::size_t size = 0;
};
struct MessageLayout {
  std::vector<MessageSlot> slots;     // in the order of the message
  std::vector<NestedMessage> nested;  // likewise
};

// Writes metadata as a protobuf message. Reuses its memory up to a limit. Thread-compatible.
class MetadataMessage {
 public:
  // Bytes behind the room that may also be written to.
  static constexpr std::size_t kBehind = 64;

  // Returns false if a key is longer than any server writes it. Sets `keys` to the positions in the
  // message. Up to kChunk bytes may be read from a text that begins in `around`. `most`: upper
  // limit for the size of all texts together.
  bool Write(const JsonMetadata& metadata, std::string_view around, std::size_t most,
             MetadataKeys& keys);
  // Like above, and records the position of every value in `layout`.
  bool Write(const JsonMetadata& metadata, std::string_view around, std::size_t most,
             MetadataKeys& keys, MessageLayout& layout);
  // Returns room for `most` bytes. The caller writes the message there, then calls SetSize.
  char* Room(std::size_t most);
  void SetSize(std::size_t size) { size_ = size; }
  // The message. Valid until the next Write or Room.
  [[nodiscard]] std::string_view view() const { return {buffer_.get(), size_}; }

 private:
  template <class Notes>
  bool WriteAll(const JsonMetadata& metadata, std::string_view around, std::size_t most,
                MetadataKeys& keys, Notes notes);

  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_ENTRY_METADATA_MESSAGE_H_
