// wire/watch_framer.h
//
// WatchFramer: the body of a watch, as it arrives, into its events. Pieces may be of any size and
// cut anywhere.

#ifndef KINFORMER_WIRE_WATCH_FRAMER_H_
#define KINFORMER_WIRE_WATCH_FRAMER_H_

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

// One event. Views, valid during the call that gives them.
struct WatchFrame {
  // "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR" or what a newer server may say.
  std::string_view type{};
  std::string_view apiVersion{};  // of the object; empty if it does not say
  std::string_view kind{};
  std::string_view object{};  // JSON: the object's text; protobuf: its message without the envelope
  // Has read a text that the object is part of; null for protobuf.
  const JsonBitmap* bitmap = nullptr;
};

// JSON: a sequence of objects {"type": …, "object": …}, with or without newlines between them.
// Protobuf: frames of a 4-byte big-endian length and a
// WatchEvent{1: type, 2: RawExtension{1: enveloped object}}. Objects are not checked beyond their
// borders.
//
// Takes no memory of its own between two events of a stream that rests. Of a frame that is too
// large the beginning is kept, and the rest skipped as it comes.
//
// Thread-compatible. Errors are kDecode (kUnexpectedEof from Finish, kOverLimit for a frame that is
// too large, unless the sink does without it) and name the byte offset in the body; after one, the
// framer must not be fed again.
class WatchFramer {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    // An error stops the framer and is what Feed returns.
    virtual Result<void> OnFrame(const WatchFrame& frame) = 0;
    // A frame above the limit, of whose object `front` has the beginning. By default the watch ends
    // with `error`. Not called, and the watch ends, where the beginning does not say the type.
    virtual Result<void> OnTooLarge(const WatchFrame& /*front*/, Error error) { return error; }
  };

  // `event_bytes`: what a frame may have besides its object.
  explicit WatchFramer(internal::Encoding encoding,
                       std::size_t max_object_bytes = std::size_t{8} << 20,
                       std::size_t event_bytes = 0)
      : encoding_(encoding),
        max_object_bytes_(max_object_bytes),
        max_frame_bytes_(max_object_bytes + event_bytes) {}

  Result<void> Feed(std::string_view chunk, Sink& sink);
  // The body has ended: between two frames, or kUnexpectedEof.
  Result<void> Finish();
  Result<void> Finish(Sink&) { return Finish(); }

 private:
  Result<void> FeedProtobuf(std::string_view chunk, Sink& sink);
  // A frame above the limit begins: its length has been read.
  Result<void> BeginSkipping(std::size_t length);
  // Takes what of the front of `chunk` is its.
  Result<void> SkipProtobuf(std::string_view& chunk, Sink& sink);
  // Takes from the front of `chunk` what the frame that has begun still lacks.
  Result<void> FeedPartial(std::string_view& chunk, Sink& sink);
  Result<void> FeedJson(std::string_view chunk, Sink& sink);
  Result<void> FeedJsonWindow(std::string_view window, Sink& sink);
  Result<void> EmitProtobuf(std::string_view frame, Sink& sink);
  // The event at the front of `text`. False, and how far it came, if it is cut off or malformed.
  bool ReadEvent(std::string_view text, const JsonBitmap& bitmap, WatchFrame& event,
                 std::size_t& used);
  Result<void> ReadJson(std::string_view frame, const JsonBitmap& bitmap, Sink& sink);
  // A frame of any size, all there.
  Result<void> TakeJson(std::string_view frame, const JsonBitmap& bitmap, Sink& sink);
  // One above the limit, of which `front` is there.
  Result<void> EmitJsonFront(std::string_view front, const JsonBitmap& bitmap, Sink& sink);
  Result<void> EmitJson(WatchFrame& event, Sink& sink);
  [[nodiscard]] Error Fail(std::string_view why) const;
  [[nodiscard]] Error TooLarge(std::uint64_t size) const;
  void DropPartial();
  // REQUIRES: nothing is cut off.
  void ReleaseMemory();

  const internal::Encoding encoding_;
  const std::size_t max_object_bytes_;
  const std::size_t max_frame_bytes_;
  std::string partial_;            // the beginning of a frame of protobuf that is cut off
  std::uint64_t frame_start_ = 0;  // where the current frame begins in the body
  std::uint64_t offset_ = 0;
  JsonCarry carry_;
  JsonBitmap bitmap_;  // of the window
  JsonCutValue cut_;   // a frame of JSON that windows cut

  // Of a frame of protobuf above the limit: its length, what is to come, and how it began, until
  // the sink has heard of it.
  std::size_t skip_size_ = 0;
  std::size_t skip_left_ = 0;
  std::optional<std::string> front_;
  std::optional<JsonSkipper> skipper_;  // inside a frame of JSON above the limit

  // How the latest event of JSON began, and its object: most begin alike, and one look tells. Where
  // texts are counts from the start.
  struct Span {
    std::size_t at = 0;
    std::size_t size = 0;
    [[nodiscard]] std::string_view Of(std::string_view text) const { return text.substr(at, size); }
    static Span From(std::string_view text, std::string_view part) {
      return {static_cast<std::size_t>(part.data() - text.data()), part.size()};
    }
  };
  struct {
    std::string text;  // {"type":"MODIFIED","object":{
    Span type;
  } event_head_;
  struct {
    std::string text;  // {"kind":"Pod","apiVersion":"v1"
    Span kind;
    Span api_version;
  } object_head_;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_WATCH_FRAMER_H_
