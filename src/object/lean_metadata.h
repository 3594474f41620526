// object/lean_metadata.h
//
// LeanMetadata: ObjectMeta as the lean reader finds it in JSON, and as protobuf.

#ifndef KINFORMER_OBJECT_LEAN_METADATA_H_
#define KINFORMER_OBJECT_LEAN_METADATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object/backward_writer.h"
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

// The message, before what is in `out`, which must be empty, and where the keys are in it. False if one is longer than any server makes
// them.
bool WriteMetadata(const LeanMetadata& metadata, BackwardWriter& out, MetadataKeys& keys);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_LEAN_METADATA_H_
