// apiserver/faults/event_frame.h
//
// EventFrame: one encoded frame of a watch, for faults that change the output.

#ifndef KINFORMER_APISERVER_FAULTS_EVENT_FRAME_H_
#define KINFORMER_APISERVER_FAULTS_EVENT_FRAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::apiserver {

// A frame as written by this server, in JSON or protobuf. Thread-compatible.
class EventFrame {
 public:
  // Removes and returns the first frame of `bytes`; nullopt, with `bytes` unchanged, if it is
  // incomplete.
  static std::optional<EventFrame> Take(std::string& bytes, bool protobuf);
  // Makes a frame with `object`, encoded as in a frame.
  static std::string Make(std::string_view type, std::string_view object, bool protobuf);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] bool bookmark() const { return type_ == "BOOKMARK"; }
  [[nodiscard]] bool deleted() const { return type_ == "DELETED"; }
  [[nodiscard]] bool error() const { return type_ == "ERROR"; }
  [[nodiscard]] bool ends_initial_events() const { return ends_initial_events_; }
  // 0 if the object has none.
  [[nodiscard]] std::int64_t resource_version() const { return resource_version_; }

  // Return an ADDED frame of the same object, but in another namespace, or of another kind.
  [[nodiscard]] std::string InNamespace(std::string_view namespace_) const;
  [[nodiscard]] std::string OfKind(std::string_view kind) const;

 private:
  void ReadJson();
  void ReadProtobuf();

  std::string bytes_;
  bool protobuf_ = false;
  std::string type_;
  bool ends_initial_events_ = false;
  std::int64_t resource_version_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_EVENT_FRAME_H_
