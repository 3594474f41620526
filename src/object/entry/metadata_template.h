// object/entry/metadata_template.h
//
// MetadataTemplate: the metadata of one object, as JSON and as its message, to read that of another
// object with the same members: what is the same in both is compared and copied in long pieces, and
// only the texts that differ are looked at. Objects of a list, and those of a watch, mostly differ
// in a dozen texts.
//
// What a template reads is what the fast reader would have read: the bytes between the differing
// texts are the very bytes that it took. It learns which texts differ; a text that never does costs
// nothing.

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
  // The template is `metadata`, which stands in the JSON as metadata.json, and of which `message`
  // has been made as `layout` says.
  void Learn(const JsonMetadata& metadata, const MessageLayout& layout, std::string_view message);

  // Reads the metadata that begins at `at`, of an object that ends at `end` and that `bitmap` has
  // read, noting nothing bad in it. Returns what is behind the metadata; null: it is not alike,
  // `message` and `keys` are of no use, and somebody else must read.
  const char* Read(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                   TimePrediction& time, MetadataMessage& message, MetadataKeys& keys);

 private:
  struct Slot {
    MessageSlot::Kind kind;
    std::uint8_t key;
    bool differs;  // in some object that was read
    std::size_t json_at;
    std::size_t json_size;
    std::size_t at;
    std::size_t size;
  };
  // Bytes of the JSON that are to be the same, and then a text that differs.
  struct Step {
    std::size_t at;
    std::size_t size;
    std::size_t place;  // in found_; kNone: the metadata ends
    MessageSlot::Kind kind;
  };
  // Bytes of the message that are the same, and then what differs.
  struct Part {
    enum class Kind : std::uint8_t { kSlot, kLength, kKey, kEnd };
    std::size_t at;
    std::size_t size;
    Kind kind;
    std::uint8_t key;
    MessageSlot::Kind slot;
    std::size_t place;   // in found_; of a length, the first one in it
    std::size_t behind;  // of a length, the last one in it, and one more
    std::size_t fixed;   // of a length, what does not differ; of a key, its size
  };
  // A text that differs, in the object that is read, or in the one before.
  struct Found {
    const char* data;
    std::size_t size;
    std::size_t written;  // bytes of the message
    std::uint64_t value;
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  void Compile();
  void CompileParts();
  // Null, and where in the JSON of the template it is otherwise; kNone: where nothing can be done
  // about it.
  const char* Match(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                    TimePrediction& time, std::size_t& wrong);
  // Past the text at `at`; null: it is none of that kind.
  const char* FindText(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                       Found& found);
  const char* FindOther(MessageSlot::Kind kind, const char* at, const char* end,
                        const wire::JsonBitmap& bitmap, TimePrediction& time, Found& found);
  // Whether there is a text that may differ, and nobody knew.
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

// A few templates, for kinds that a thread reads in turn and for objects that are not all alike.
// Where objects have nothing in common it gives up soon, and tries again now and then.
// Thread-compatible.
class MetadataTemplates {
 public:
  // As MetadataTemplate::Read, by any of them. `drop_managed_fields`: as the template was learnt.
  const char* Read(const char* at, const char* end, const wire::JsonBitmap& bitmap,
                   bool drop_managed_fields, TimePrediction& time, MetadataMessage& message,
                   MetadataKeys& keys);
  // Whether what none of them could read is to be learnt.
  [[nodiscard]] bool WantsToLearn(const JsonMetadata& metadata) const {
    return credit_ >= kLearning && metadata.json.size() <= kLongest;
  }
  void Learn(const JsonMetadata& metadata, const MessageLayout& layout, std::string_view message,
             bool drop_managed_fields);

 private:
  static constexpr std::size_t kTemplates = 4;
  static constexpr std::size_t kLongest = 8192;
  // Every object earns 1; learning costs as many, so that it costs next to nothing where it is of
  // no use.
  static constexpr int kLearning = 128;
  static constexpr int kMostCredit = 8 * kLearning;
  // After so many objects in a row that no template could read, one in so many is tried.
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
