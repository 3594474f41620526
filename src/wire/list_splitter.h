// wire/list_splitter.h
//
// ListSplitter: the body of a LIST answer, as it arrives, into its items. Pieces may be of any size
// and cut anywhere; what is kept is the beginning of one item at most, so that a list of any length
// takes the memory of its largest object.
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

#include "kinformer/internal/encoding.h"
#include "kinformer/result.h"

#include "wire/json_cut_value.h"
#include "wire/json_scanner.h"
#include "wire/json_skipper.h"

namespace kinformer::wire {

// What a list says beside its items.
struct ListHead {
  std::string apiVersion;
  std::string kind;  // "PodList"
  std::string resourceVersion;
  std::string continue_;
  std::int64_t remainingItemCount = 0;
};

// Protobuf: the k8s envelope around List{1: ListMeta, 2: items}; an item is its kind's message.
// JSON: an object with metadata and items in any order; an item is an object's text. Items are not
// checked beyond their borders.
//
// Thread-compatible. Errors are kDecode (kUnexpectedEof from Finish, kOverLimit for an object that
// is too large, unless the sink does without it) and name the byte offset in the body and how many
// items came before it; after one, the splitter must not be fed again.
class ListSplitter {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    // `item` is valid during the call, and so is `bitmap`, which has read a text that the item is
    // part of; null for protobuf. An error stops the splitter and is what Feed returns.
    virtual Result<void> OnItem(std::string_view item, const JsonBitmap* bitmap) = 0;
    // An item above the limit, of which `front` is the beginning; the rest is skipped. By default
    // the list ends with `error`.
    virtual Result<void> OnTooLarge(std::string_view /*front*/, Error error) { return error; }
  };

  explicit ListSplitter(internal::Encoding encoding,
                        std::size_t max_object_bytes = std::size_t{8} << 20)
      : encoding_(encoding), max_object_bytes_(max_object_bytes) {}

  Result<void> Feed(std::string_view chunk, Sink& sink);
  // The body has ended: complete, or kUnexpectedEof.
  Result<void> Finish();
  // The same, for callers that treat all splitters alike.
  Result<void> Finish(Sink&) { return Finish(); }

  // Complete after Finish. Of a protobuf list, the metadata is there before the first item.
  [[nodiscard]] const ListHead& head() const { return head_; }
  // Bytes fed so far.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  // ---- protobuf
  enum class ProtobufState : std::uint8_t { kMagic, kEnvelope, kList };
  Result<void> FeedProtobuf(std::string_view chunk, Sink& sink);
  // Tag and length of a field; of others than bytes the length is 0.
  struct FieldHead {
    std::uint64_t tag = 0;
    std::uint64_t length = 0;
    [[nodiscard]] unsigned type() const { return static_cast<unsigned>(tag & 7U); }
    [[nodiscard]] std::uint64_t number() const { return tag >> 3; }
    [[nodiscard]] bool IsBytes(std::uint64_t of) const { return type() == 2 && number() == of; }
  };
  // Consumes whole units at the front of `data`; sets need_ to the size of the one that is cut off.
  Result<std::size_t> ConsumeProtobuf(std::string_view data, Sink& sink);
  // These return what is behind the unit at `at`; null if it is cut off, or failure_ says why.
  const char* TakeMagic(const char* at, const char* end);
  const char* TakeField(const char* at, const char* end, Sink& sink);
  // Where the field's content begins; behind the field, if that is not bytes.
  const char* ReadFieldHead(const char* at, const char* end, FieldHead& head);
  const char* CutOff(std::size_t need);
  const char* Stop(Error error);
  // A part of an item above the limit.
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
  // What of the front of `chunk` belongs to a token that an earlier piece cut off.
  Result<std::size_t> FeedJsonToken(std::string_view chunk, Sink& sink);
  // Takes a byte that is in no token and no blank: punctuation, or the first of a token, and then
  // in_token_ says so. Returns what should be there instead; empty if nothing is wrong.
  std::string_view StepJson(char c);
  std::string_view BeginName(char c);
  std::string_view BeginValue(char c);
  std::string_view BeginItem(char c);
  void BeginToken(bool keep);
  // A name, an item, or the value of a member of the list, if it was wanted.
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
  std::uint64_t items_ = 0;  // given to the sink

  std::string partial_;  // the beginning of the unit that is cut off
  ProtobufState protobuf_state_ = ProtobufState::kMagic;
  std::size_t need_ = 0;
  std::uint64_t list_left_ = 0;
  // Where the item, or another token of JSON, begins in the body.
  std::uint64_t item_start_ = 0;
  // Of an item above the limit: what is to come, and how it began.
  std::uint64_t skip_left_ = 0;
  std::uint64_t skip_size_ = 0;
  std::string front_;
  std::optional<Error> failure_;

  JsonState json_state_ = JsonState::kStart;
  bool in_token_ = false;  // inside a name, value or item
  bool keep_ = false;      // its text is wanted: if it is cut, it goes on in cut_
  JsonValueScanner scanner_;
  JsonCarry carry_;
  JsonBitmap bitmap_;  // of the window
  JsonCutValue cut_;
  std::optional<JsonSkipper> skipper_;  // inside an item above the limit
  std::string name_;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_LIST_SPLITTER_H_
