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
  std::optional<TimeStamp> time;
  std::string_view fields_type;
  std::string_view fields;  // JSON
  std::string_view subresource;
};

// Texts are without their escapes.
struct LeanMetadata {
  std::string_view name;
  std::string_view generate_name;
  std::string_view namespace_;
  std::string_view self_link;
  std::string_view uid;
  std::string_view resource_version;
  std::int64_t generation = 0;
  std::optional<TimeStamp> creation;
  std::optional<TimeStamp> deletion;
  std::optional<std::int64_t> grace;
  std::vector<TextPair> labels;
  std::vector<TextPair> annotations;
  std::vector<LeanOwner> owners;
  std::vector<std::string_view> finalizers;
  std::vector<LeanManaged> managed;
  std::string unescaped;  // what some of the texts refer to

  void Clear() {
    name = generate_name = namespace_ = self_link = uid = resource_version = {};
    generation = 0;
    creation = deletion = std::nullopt;
    grace.reset();
    labels.clear();
    annotations.clear();
    owners.clear();
    finalizers.clear();
    managed.clear();
    unescaped.clear();
    // The memory of one unusually large object is not kept.
    if (unescaped.capacity() > (std::size_t{1} << 20)) unescaped.shrink_to_fit();
  }
};

// Metadata as its message. Keeps its memory, unless that was unusually large. Thread-compatible.
class LeanMessage {
 public:
  // `keys`: where they are in the message. False if one is longer than any server makes them. `around`: what may be read around texts
  // that are in it. `most`: bytes that all texts together have at most.
  bool Write(const LeanMetadata& metadata, std::string_view around, std::size_t most,
             MetadataKeys& keys);
  // What was written.
  [[nodiscard]] std::string_view view() const { return {buffer_.get(), size_}; }

 private:
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_LEAN_METADATA_H_
