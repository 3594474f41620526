// object/lean_metadata.h
//
// LeanMetadata: ObjectMeta as the lean reader finds it in JSON, and as protobuf.

#ifndef KINFORMER_OBJECT_LEAN_METADATA_H_
#define KINFORMER_OBJECT_LEAN_METADATA_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object/block_assembly.h"
#include "object/text_forms.h"

namespace kinformer::internal {

// A value, and the text in the JSON that says so. What a template needs to find it in the next object.
struct LeanMoment {
  std::optional<TimeStamp> value;
  std::string_view text;  // between the quotes
};
struct LeanNumber {
  std::int64_t value = 0;
  std::string_view text;
};

using TextPair = std::pair<std::string_view, std::string_view>;

struct LeanOwner {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  std::optional<bool> controller;
  std::optional<bool> block_owner_deletion;
};

struct LeanManaged {
  std::string_view manager;
  std::string_view operation;
  std::string_view api_version;
  LeanMoment time;
  std::string_view fields_type;
  std::string_view fields;  // JSON
  std::string_view subresource;
};

// Texts are without their escapes.
struct LeanMetadata {
  std::string_view json;  // all of it, as it stands
  std::string_view name;
  std::string_view generate_name;
  std::string_view namespace_;
  std::string_view self_link;
  std::string_view uid;
  std::string_view resource_version;
  LeanNumber generation;
  LeanMoment creation;
  LeanMoment deletion;
  std::optional<std::int64_t> grace;
  std::vector<TextPair> labels;
  std::vector<TextPair> annotations;
  std::vector<LeanOwner> owners;
  std::vector<std::string_view> finalizers;
  std::vector<LeanManaged> managed;
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

// A part of a message that one text of the JSON decides, and no other part does, apart from the length of the message around it.
struct LeanSlot {
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
struct LeanNested {
  std::size_t length_at = 0;  // behind the tag
  std::size_t body_at = 0;
  std::size_t size = 0;
};
struct LeanLayout {
  std::vector<LeanSlot> slots;     // as they follow each other in the message
  std::vector<LeanNested> nested;  // likewise
};

// Metadata as its message. Keeps its memory, unless that was unusually large. Thread-compatible.
class LeanMessage {
 public:
  // Bytes behind the room that may be written to as well.
  static constexpr std::size_t kBehind = 64;

  // `keys`: where they are in the message. False if one is longer than any server makes them. `around`: what may be read around texts
  // that are in it. `most`: bytes that all texts together have at most.
  bool Write(const LeanMetadata& metadata, std::string_view around, std::size_t most,
             MetadataKeys& keys);
  // The same, and where everything is.
  bool Write(const LeanMetadata& metadata, std::string_view around, std::size_t most,
             MetadataKeys& keys, LeanLayout& layout);
  // Room for `most` bytes, for somebody else who writes, and says how many.
  char* Room(std::size_t most);
  void SetSize(std::size_t size) { size_ = size; }
  // What was written.
  [[nodiscard]] std::string_view view() const { return {buffer_.get(), size_}; }

 private:
  template <class Notes>
  bool WriteAll(const LeanMetadata& metadata, std::string_view around, std::size_t most,
                MetadataKeys& keys, Notes notes);

  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_LEAN_METADATA_H_
