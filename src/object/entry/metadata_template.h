// object/entry/metadata_template.h
//
// MetadataTemplate: uses the metadata of one object, as JSON and as a message, to read that of
// another object with the same members: equal parts are compared and copied in long pieces, and
// only the texts that differ are read. Objects of a list, or of a watch, usually differ in about a
// dozen texts.
//
// The result is the same as that of the fast reader, because the bytes between the differing texts
// are equal to bytes that it read. The template learns which texts differ; a text that never
// differs costs nothing.

#ifndef KINFORMER_OBJECT_ENTRY_METADATA_TEMPLATE_H_
#define KINFORMER_OBJECT_ENTRY_METADATA_TEMPLATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "object/block/block_assembly.h"
#include "object/entry/member_prediction.h"
#include "object/entry/metadata_message.h"
#include "wire/json_bitmap.h"

namespace kinformer::internal {

// Thread-compatible.
class MetadataTemplate {
 public:
  // Makes a template from `metadata`, whose JSON is metadata.json, and from `message`, which was
  // made from it as described by `layout`.
  void Learn(const JsonMetadata& metadata, const MessageLayout& layout, std::string_view message);

  // Reads the metadata at `at` of an object that ends at `end`. `bitmap` has read the object and
  // found no error. Returns the position behind the metadata, or null if it is not alike; then
  // `message` and `keys` are unusable and another reader must read it.
  const char* Read(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                   TimePrediction& time, MetadataMessage& message, MetadataKeys& keys);

 private:
  struct Slot {
    MessageSlot::Kind kind;
    std::uint8_t key;
    bool differs;  // differed in some object
    std::size_t json_at;
    std::size_t json_size;
    std::size_t at;
    std::size_t size;
  };
  // Bytes of the JSON that must be equal, followed by a text that may differ.
  struct Step {
    std::size_t at;
    std::size_t size;
    std::size_t place;  // in found_; kNone: the metadata ends
    MessageSlot::Kind kind;
  };
  // Bytes of the message that are constant, followed by a part that differs.
  struct Part {
    enum class Kind : std::uint8_t { kSlot, kLength, kKey, kEnd };
    std::size_t at;
    std::size_t size;
    Kind kind;
    std::uint8_t key;
    MessageSlot::Kind slot;
    std::size_t place;   // in found_; of a length, the first one in it
    std::size_t behind;  // of a length, the last one in it, and one more
    std::size_t fixed;   // the constant part of a length; the size of a key
  };
  // A differing text of the current object or of the last one.
  struct Found {
    const char* data;
    std::size_t size;
    std::size_t written;  // bytes of the message
    std::uint64_t value;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  void Compile();
  void CompileParts();
  // Returns null at a difference, and sets its position in the template's JSON; kNone if the
  // template cannot be adapted.
  const char* Match(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                    TimePrediction& time, std::size_t& wrong);
  // Returns the position behind the text at `at`, or null if it is not of that kind.
  const char* FindText(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                       Found& found);
  const char* FindOther(MessageSlot::Kind kind, const char* at, const char* end,
                        const wire::JsonBitmap& bitmap, TimePrediction& time, Found& found);
  // Marks the text there as one that may differ. Returns whether there was one, not marked before.
  bool Differs(std::size_t json_at);
  bool Write(std::string_view around, MetadataMessage& message, MetadataKeys& keys) const;

  std::string json_;     // and some bytes
  std::string message_;  // likewise
  std::size_t json_size_ = 0;
  std::size_t message_size_ = 0;
  std::vector<Slot> slots_;  // as they follow each other in the message
  std::vector<NestedMessage> nested_;
  std::vector<std::size_t> by_json_;  // slots, as they follow each other in the JSON
  std::vector<Step> steps_;
  std::vector<Part> parts_;
  std::vector<Found> found_;  // as they follow each other in the message
  std::string unescaped_;
};

// A few templates, for kinds that a thread reads alternately and for objects that are not all
// alike. If objects have nothing in common, it soon stops learning and retries from time to time.
// Thread-compatible.
class MetadataTemplates {
 public:
  // Reads with the first matching template. `drop_managed_fields`: as when it was learnt.
  const char* Read(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                   bool drop_managed_fields, TimePrediction& time, MetadataMessage& message,
                   MetadataKeys& keys);
  // Whether to learn from an object that no template could read.
  [[nodiscard]] bool WantsToLearn(const JsonMetadata& metadata) const {
    return credit_ >= kLearning && metadata.json.size() <= kLongest;
  }
  void Learn(const JsonMetadata& metadata, const MessageLayout& layout, std::string_view message,
             bool drop_managed_fields);

 private:
  static constexpr std::size_t kTemplates = 4;
  static constexpr std::size_t kLongest = 8192;
  // Every object earns 1, and learning costs this many, so that useless learning costs almost
  // nothing.
  static constexpr int kLearning = 128;
  static constexpr int kMostCredit = 8 * kLearning;
  // After kGiveUp objects in a row that no template could read, tries only one in kTryAgain.
  static constexpr unsigned kGiveUp = 16;
  static constexpr unsigned kTryAgain = 32;

  struct Known {
    MetadataTemplate read;
    bool drop_managed_fields = false;
  };
  std::array<Known, kTemplates> known_;
  std::size_t count_ = 0;
  std::size_t latest_ = 0;
  std::size_t oldest_ = 0;
  int credit_ = kMostCredit;
  unsigned misses_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_ENTRY_METADATA_TEMPLATE_H_
