// wire/watch_framer.h
//
// WatchFramer: splits the body of a watch into events as it arrives. Pieces may have any size and
// be cut anywhere.

#ifndef KINFORMER_WIRE_WATCH_FRAMER_H_
#define KINFORMER_WIRE_WATCH_FRAMER_H_

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

// One event. The views are valid during the call that passes it.
struct WatchFrame {
  // "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", or a type of a newer server.
  std::string_view type{};
  std::string_view apiVersion{};  // of the object; empty if the object does not contain it
  std::string_view kind{};
  std::string_view object{};  // JSON: the object's text; protobuf: its message without the envelope
  // Has read a text that contains the object; null for protobuf.
  const JsonBitmap* bitmap = nullptr;
};

// JSON: a sequence of objects {"type": …, "object": …}, with or without newlines between them.
// Protobuf: frames of a 4-byte big-endian length and a WatchEvent{1: type, 2: RawExtension{1:
// enveloped object}}. Only the borders of objects are checked, so readers must handle malformed
// content.
//
// Keeps no buffers between events while the stream is idle. Of a frame that is too large, only the
// beginning is kept; the rest is skipped as it arrives.
//
// Thread-compatible. Errors are kDecode (kUnexpectedEof from Finish, kOverLimit for a frame that is
// too large, unless the sink skips it) and name the byte offset in the body. After an error the
// framer must not be used again.
class WatchFramer {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    // An error stops the framer, and Feed returns it.
    virtual Result<void> OnFrame(const WatchFrame& frame) = 0;
    // Called for a frame above the limit; `front` has the beginning of the object. By default the
    // watch ends with `error`, as it does, without this call, if the type is not known by then.
    virtual Result<void> OnTooLarge(const WatchFrame& /*front*/, Error error) { return error; }
  };

  // `event_bytes`: bytes that a frame may have in addition to its object.
  explicit WatchFramer(internal::Encoding encoding,
                       std::size_t max_object_bytes = std::size_t{8} << 20,
                       std::size_t event_bytes = 0)
      : encoding_(encoding),
        max_object_bytes_(max_object_bytes),
        max_frame_bytes_(max_object_bytes + event_bytes) {}

  Result<void> Feed(std::string_view chunk, Sink& sink);
  // Call it at the end of the body. kUnexpectedEof if it ends inside a frame.
  Result<void> Finish();
  Result<void> Finish(Sink&) { return Finish(); }

 private:
  Result<void> FeedProtobuf(std::string_view chunk, Sink& sink);
  // Starts skipping a frame above the limit, once its length is known.
  Result<void> BeginSkipping(std::size_t length);
  // Consumes the bytes at the front of `chunk` that belong to the skipped frame.
  Result<void> SkipProtobuf(std::string_view& chunk, Sink& sink);
  // Consumes the bytes at the front of `chunk` that complete the frame in partial_.
  Result<void> FeedPartial(std::string_view& chunk, Sink& sink);
  Result<void> FeedJson(std::string_view chunk, Sink& sink);
  Result<void> FeedJsonWindow(std::string_view window, Sink& sink);
  Result<void> EmitProtobuf(std::string_view frame, Sink& sink);
  // Reads the event at the front of `text`. False, with `used` set, if truncated or malformed.
  bool ReadEvent(std::string_view text, const JsonBitmap& bitmap, WatchFrame& event,
                 std::size_t& used);
  Result<void> ReadJson(std::string_view frame, const JsonBitmap& bitmap, Sink& sink);
  // Handles a complete frame of any size.
  Result<void> TakeJson(std::string_view frame, const JsonBitmap& bitmap, Sink& sink);
  // Passes on a frame above the limit; `front` is the part that was kept.
  Result<void> EmitJsonFront(std::string_view front, const JsonBitmap& bitmap, Sink& sink);
  Result<void> EmitJson(WatchFrame& event, Sink& sink);
  [[nodiscard]] Error Fail(std::string_view why) const;
  [[nodiscard]] Error TooLarge(std::uint64_t size) const;
  void DropPartial();
  // REQUIRES: no frame is incomplete.
  void ReleaseMemory();

  const internal::Encoding encoding_;
  const std::size_t max_object_bytes_;
  const std::size_t max_frame_bytes_;
  std::string partial_;            // the beginning of an incomplete protobuf frame
  std::uint64_t frame_start_ = 0;  // where the current frame begins in the body
  std::uint64_t offset_ = 0;
  JsonCarry carry_;
  JsonBitmap bitmap_;  // of the window
  JsonCutValue cut_;   // a frame of JSON that windows cut

  // For a protobuf frame above the limit: its size, the bytes left to skip, and its beginning until
  // it was passed to the sink.
  std::size_t skip_size_ = 0;
  std::size_t skip_left_ = 0;
  std::optional<std::string> front_;
  std::optional<JsonSkipper> skipper_;  // inside a frame of JSON above the limit

  // Beginning of the last JSON event and of its object. Most events begin alike, so one comparison
  // is enough. Positions count from the start of the text.
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
