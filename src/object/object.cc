#include "kinformer/object.h"

#include "kinformer/internal/block_builder.h"
#include "kinformer/projection.h"
#include "kinformer/unstructured.h"

namespace kinformer {
namespace {

metav1::ObjectMeta MetadataOf(const internal::Block* block) {
  const std::string_view bytes = block->metadata_bytes();
  return {bytes.data(), static_cast<std::uint32_t>(bytes.size()), block,
          internal::Encoding::kProtobuf};
}

}  // namespace

metav1::ObjectMeta Object::metadata() const { return MetadataOf(block_); }
std::string Object::ToJson() const { return internal::BlockToJson(*block_); }

metav1::ObjectMeta Unstructured::metadata() const { return MetadataOf(block_); }

GroupVersionKind Unstructured::GroupVersionKindOf() const {
  const internal::TypeInfo& type = block_->type();
  return {std::string(type.group), std::string(type.version), std::string(type.kind)};
}

json::View Unstructured::root() const {
  if (block_->encoding() != internal::Encoding::kJson) return {};
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): a tape says itself where it ends
  return {block_->payload().data(), block_};
}

json::Value Unstructured::DeepCopy() const {
  json::Value copy = json::Parse(internal::BlockToJson(*block_)).value_or(json::Value());
  if (block_->partial()) copy[kPartialMember] = true;
  return copy;
}
std::string Unstructured::ToJson() const { return internal::BlockToJson(*block_); }

}  // namespace kinformer
