// Builds blocks from protobuf bytes: validated, projected and put in canonical order as required.

#include <string>
#include <utility>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"

#include "object/block/block_assembly.h"
#include "object/block/message_block.h"
#include "object/transcode/canonical.h"
#include "object/transcode/projection_tree.h"
#include "object/transcode/validate.h"

namespace kinformer::internal {
namespace {

Result<ObjectRef> BuildMessage(const KindInfo& type, std::string_view message,
                               const BuildOptions& options) {
  Result<ObjectRef> built = BlockOfMessage(type, message, options.drop_managed_fields);
  if (!built || *built) return built;
  const Result<std::string> ordered = Canonicalize(*type.message, message);
  if (!ordered) return ordered.error();
  return BlockOfMessage(type, *ordered, options.drop_managed_fields);
}

Result<ObjectRef> CutAndBuild(const KindInfo& type, std::string_view message,
                              const BuildOptions& options) {
  thread_local std::string left;
  left.clear();
  if (Result<void> cut = options.projection->Cut(*type.message, message, left); !cut)
    return std::move(cut).error();
  Result<ObjectRef> built = BuildMessage(type, left, options);
  if (built && options.projection->MakesPartial()) BlockBuilder::SetPartial(*built);
  return built;
}

}  // namespace

Result<ObjectRef> BuildFromProtobuf(const KindInfo& type, std::string_view message,
                                    const BuildOptions& options) {
  const auto name = [&](Error error) {
    AddRemedy(error);
    error.WithContext(std::string(type.kind));
    return error;
  };
  if (message.size() > options.max_object_bytes) {
    return name(ObjectTooLarge(message.size(), options.max_object_bytes));
  }
  if (options.validation == Validation::kFull) {
    if (Result<void> valid = ValidateMessage(*type.message, message); !valid) {
      return name(std::move(valid).error());
    }
  }
  Result<ObjectRef> built = options.projection == nullptr ? BuildMessage(type, message, options)
                                                          : CutAndBuild(type, message, options);
  if (!built) return name(std::move(built).error());
  return built;
}

}  // namespace kinformer::internal
