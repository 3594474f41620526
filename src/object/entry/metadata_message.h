// object/entry/metadata_message.h
//
// JsonMetadata: ObjectMeta as the fast reader finds it in JSON, and as protobuf.

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

// A value, and the text in the JSON that says so. What a template needs to find it in the next
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

// Texts are without their escapes.
struct JsonMetadata {
  std::string_view json;  // all of it, as it stands
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
  std::string unescaped;  // what some of the texts refer to
  // Those: as they stand in the JSON, and without escapes.
  std::vector<TextPair> escaped;
  std::string_view dropped;  // the value of managedFields, where they are not kept

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
    // The memory of one unusually large object is not kept.
    if (unescaped.capacity() > (std::size_t{1} << 20)) unescaped.shrink_to_fit();
  }
};

// Appends what is between a string's quotes, escapes resolved. False if one is none.
bool AppendUnescaped(std::string_view text, std::string& out);

// Message bytes determined by one JSON text, which determines no others but the length of the
// message around them.
struct MessageSlot {
  enum class Kind : std::uint8_t {
    kText,     // a string
    kNumber,   // an integer
    kTime,     // a string
    kFields,   // fieldsV1: an object, kept as it is
    kDropped,  // managedFields that are not kept: an array, and nothing in the message
    kKey,      // no text: one of the four keys is missing, but where it is counts
  };
  Kind kind = Kind::kText;
  std::uint8_t key = 4;   // its place among the keys; 4: it is none
  std::string_view json;  // strings without their quotes
  // In the message, with the length before it; of a time only the seconds.
  std::size_t at = 0;
  std::size_t size = 0;
};
// A message within the message: a label, an owner, an entry of managedFields.
struct NestedMessage {
  std::size_t length_at = 0;  // behind the tag
  std::size_t body_at = 0;
  std::size_t size = 0;
};
struct MessageLayout {
  std::vector<MessageSlot> slots;     // as they follow each other in the message
  std::vector<NestedMessage> nested;  // likewise
};

// Metadata as its message. Keeps its memory, unless that was unusually large. Thread-compatible.
class MetadataMessage {
 public:
  // Bytes behind the room that may be written to as well.
  static constexpr std::size_t kBehind = 64;

  // `keys`: where they are in the message. False if one is longer than any server makes them.
  // `around`: what may be read around texts that are in it. `most`: bytes that all texts together
  // have at most.
  bool Write(const JsonMetadata& metadata, std::string_view around, std::size_t most,
             MetadataKeys& keys);
  // The same, and where everything is.
  bool Write(const JsonMetadata& metadata, std::string_view around, std::size_t most,
             MetadataKeys& keys, MessageLayout& layout);
  // Room for `most` bytes, for somebody else who writes, and says how many.
  char* Room(std::size_t most);
  void SetSize(std::size_t size) { size_ = size; }
  // What was written.
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
