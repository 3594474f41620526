// cli/size_frames.h
//
// SizeFrames: what an API server writes around the objects of a list and of a watch.

#ifndef KINFORMER_CLI_SIZE_FRAMES_H_
#define KINFORMER_CLI_SIZE_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/client/transport.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::cli {

// The forms in which an API server writes an object.
enum class ObjectForm : std::uint8_t { kProtobuf, kJson, kMetadata };

// Returns the protobuf message of a PartialObjectMetadata: its metadata are the end of it.
std::string MetadataMessage(std::string_view metadata);

// A value.
class SizeFrames {
 public:
  SizeFrames(const KindInfo& type, ObjectForm form);

  [[nodiscard]] std::string_view ContentType(bool watch) const;
  // Appends an object to the body of a watch or of a list.
  void Append(std::string_view object, bool watch, bool first, std::string& body) const;
  // Returns the event that ends the initial ones of a watch.
  [[nodiscard]] std::string End() const;
  // Returns what stands before the objects of a list, which take that many bytes altogether.
  [[nodiscard]] std::string ListHead(std::size_t item_bytes) const;
  [[nodiscard]] std::string ListTail() const;
  // Returns the bytes that an object of that size takes in a list.
  [[nodiscard]] std::size_t ItemBytes(std::size_t object) const;
  // Returns a watch that has no events.
  [[nodiscard]] std::unique_ptr<ResponseStream> QuietWatch() const;

 private:
  [[nodiscard]] bool json() const { return form_ == ObjectForm::kJson; }
  [[nodiscard]] std::string Event(std::string_view type, std::string_view object) const;

  ObjectForm form_;
  std::string api_version_;
  std::string kind_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SIZE_FRAMES_H_
