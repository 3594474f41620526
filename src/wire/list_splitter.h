// wire/list_splitter.h
//
// ListSplitter: splits the body of a LIST response into items as it arrives. Pieces may have any
// size and be cut anywhere. At most the beginning of one item is kept, so a list of any length
// needs only the memory of its largest object.
//
//   ListSplitter splitter(Encoding::kProtobuf);
//   // Calls sink.OnItem(bytes, bitmap) for every item that is complete.
//   if (auto r = splitter.Feed(chunk, sink); !r) return r;
//   ...
//   if (auto r = splitter.Finish(); !r) return r;
//   Use(splitter.head().resourceVersion);

#ifndef KINFORMER_WIRE_LIST_SPLITTER_H_
#define KINFORMER_WIRE_LIST_SPLITTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/encoding.h"

#include "wire/json_cut_value.h"
#include "wire/json_scanner.h"
#include "wire/json_skipper.h"

namespace kinformer::wire {

// Fields of a list other than its items.
struct ListHead {
  std::string apiVersion;
  std::string kind;  // "PodList"
  std::string resourceVersion;
  std::string continue_;
  std::int64_t remainingItemCount = 0;
  std::string shardInfo;  // its selector
};

// Protobuf: the k8s envelope around List{1: ListMeta, 2: items}; an item is the message of its
// kind. JSON: an object with metadata and items in any order; an item is an object's text. The
// content of items is not checked.
//
// Thread-compatible. Errors are kDecode (kUnexpectedEof from Finish, kOverLimit for an object that
// is too large, unless the sink skips it) and name the byte offset in the body and the number of
// items before it. After an error the splitter must not be used again.
class ListSplitter {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    // `item` and `bitmap` are valid during the call. `bitmap` has read a text that contains the
    // item; null for protobuf. An error stops the splitter, and Feed returns it.
    virtual Result<void> OnItem(std::string_view item, const JsonBitmap* bitmap) = 0;
    // Called for an item above the limit; `front` is its beginning. Return ok to skip the rest of
    // it. By default the list ends with `error`.
    virtual Result<void> OnTooLarge(std::string_view /*front*/, Error error) { return error; }
  };

  explicit ListSplitter(internal::Encoding encoding,
                        std::size_t max_object_bytes = std::size_t{8} << 20)
      : encoding_(encoding), max_object_bytes_(max_object_bytes) {}

  Result<void> Feed(std::string_view chunk, Sink& sink);
  // Call it at the end of the body. kUnexpectedEof if the list is incomplete.
  Result<void> Finish();
  // Like Finish(), with the signature of the other splitters.
  Result<void> Finish(Sink&) { return Finish(); }

  // Complete after Finish. For protobuf, the metadata is complete before the first item.
  [[nodiscard]] const ListHead& head() const { return head_; }
  // Bytes fed so far.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  // ---- protobuf
  enum class ProtobufState : std::uint8_t { kMagic, kEnvelope, kList };
  Result<void> FeedProtobuf(std::string_view chunk, Sink& sink);
  // Tag and length of a field; the length is 0 if the field is not of bytes.
  struct FieldHead {
    std::uint64_t tag = 0;
    std::uint64_t length = 0;
    [[nodiscard]] unsigned type() const { return static_cast<unsigned>(tag & 7U); }
    [[nodiscard]] std::uint64_t number() const { return tag >> 3; }
    [[nodiscard]] bool IsBytes(std::uint64_t of) const { return type() == 2 && number() == of; }
  };
  // Consumes complete units at the front of `data`; sets need_ to the size of a truncated one.
  Result<std::size_t> ConsumeProtobuf(std::string_view data, Sink& sink);
  // Return the position behind the unit at `at`; null if it is truncated or failure_ is set.
  const char* TakeMagic(const char* at, const char* end);
  const char* TakeField(const char* at, const char* end, Sink& sink);
  // Returns the start of the field's content, or, if it is not of bytes, the end of the field.
  const char* ReadFieldHead(const char* at, const char* end, FieldHead& head);
  const char* CutOff(std::size_t need);
  const char* Stop(Error error);
  // Skips part of an item above the limit.
  const char* SkipSome(const char* at, const char* end, Sink& sink);
  Result<void> TakeListField(const FieldHead& head, std::string_view bytes, Sink& sink);
  Result<void> TakeEnvelopeField(const FieldHead& head, std::string_view bytes);
  Result<void> ReadListMeta(std::string_view message);

  // ---- JSON
  enum class JsonState : std::uint8_t {
    kStart,
    kNameOrEnd,
    kName,
    kColon,
    kValue,
    kAfterMember,
    kItemOrEnd,
    kItem,
    kAfterItem,
    kEnd
  };
  Result<void> FeedJson(std::string_view chunk, Sink& sink);
  Result<void> FeedJsonWindow(std::string_view window, Sink& sink);
  // Consumes the bytes at the front of `chunk` that belong to an unfinished token.
  Result<std::size_t> FeedJsonToken(std::string_view chunk, Sink& sink);
  // Consumes a byte outside tokens and blanks: punctuation, or the first byte of a token, which
  // sets in_token_. Returns a description of what was expected, or empty if the byte is valid.
  std::string_view StepJson(char c);
  std::string_view BeginName(char c);
  std::string_view BeginValue(char c);
  std::string_view BeginItem(char c);
  void BeginToken(bool keep);
  // Handles a name, an item, or the value of a member of the list that is needed.
  Result<void> TakeJson(std::string_view token, const JsonBitmap& bitmap, Sink& sink);
  Result<void> TakeJsonMember(std::string_view value);

  [[nodiscard]] std::string Where(std::uint64_t at) const;
  [[nodiscard]] Error Fail(std::uint64_t at, std::string_view why) const;
  [[nodiscard]] Error Unexpected(std::uint64_t at, char found, std::string_view expected) const;
  [[nodiscard]] Error TooLarge(std::uint64_t at, std::uint64_t size) const;

  const internal::Encoding encoding_;
  const std::size_t max_object_bytes_;
  ListHead head_;
  std::uint64_t offset_ = 0;
  std::uint64_t items_ = 0;  // number of items passed to the sink

  std::string partial_;  // the beginning of the truncated unit
  ProtobufState protobuf_state_ = ProtobufState::kMagic;
  std::size_t need_ = 0;
  std::uint64_t list_left_ = 0;
  // Offset in the body at which the current item or other token begins.
  std::uint64_t item_start_ = 0;
  // For an item above the limit: bytes left to skip, its size, and its beginning.
  std::uint64_t skip_left_ = 0;
  std::uint64_t skip_size_ = 0;
  std::string front_;
  std::optional<Error> failure_;

  JsonState json_state_ = JsonState::kStart;
  bool in_token_ = false;  // inside a name, value or item
  bool keep_ = false;      // its text is needed: if it is truncated, it continues in cut_
  JsonValueScanner scanner_;
  JsonCarry carry_;
  JsonBitmap bitmap_;  // of the window
  JsonCutValue cut_;
  std::optional<JsonSkipper> skipper_;  // inside an item above the limit
  std::string name_;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_LIST_SPLITTER_H_
