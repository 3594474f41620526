#include "kinformer/object/object.h"

#include "kinformer/internal/block.h"
#include "kinformer/object/projection.h"
#include "kinformer/object/unstructured.h"

#include "object/block/metav1_descriptors.h"
#include "object/transcode/block_text.h"
#include "object/transcode/json_tape.h"
#include "object/transcode/transcode.h"

namespace kinformer {
namespace {

metav1::ObjectMeta MetadataOf(const internal::Block* block) {
  const std::string_view bytes = block->metadata_bytes();
  return metav1::ObjectMeta(internal::MessageView(bytes.data(),
                                                  static_cast<std::uint32_t>(bytes.size()), block,
                                                  internal::Encoding::kProtobuf));
}

}  // namespace

const metav1::ObjectMeta Object::metadata() const { return MetadataOf(block_); }
std::string Object::ToJson() const { return internal::BlockToJson(*block_); }

const metav1::ObjectMeta Unstructured::metadata() const { return MetadataOf(block_); }

GroupVersionKind Unstructured::GroupVersionKindOf() const {
  const KindInfo& type = block_->type();
  return {std::string(type.group), std::string(type.version), std::string(type.kind)};
}

const json::View Unstructured::root() const {
  if (block_->encoding() != internal::Encoding::kJson) return {};
  return {block_->payload().data(), block_};
}

json::Value Unstructured::DeepCopy() const {
  const std::string text = internal::BlockToJson(*block_);
  Result<json::Value> parsed = json::Parse(text);
  if (parsed) {
    if (block_->partial()) parsed->Set(kPartialMember, true);
    return *std::move(parsed);
  }
  // A value deep inside is invalid JSON. Copies the readable part, and marks the copy as partial
  // unless only the encoding of texts is wrong.
  const KindInfo& type = block_->type();
  json::Value copy = json::Value::MakeObject();
  copy.Set("kind", json::Value(std::string(type.kind)));
  copy.Set("apiVersion", json::Value(type.apiVersion()));
  std::string metadata;
  static_cast<void>(internal::ProtobufToJson(internal::descriptors::metav1::kObjectMeta,
                                             block_->metadata_bytes(), metadata)
                        .ok());
  copy.Set("metadata", json::Parse(metadata).value_or(json::Value::MakeObject()));
  for (const auto& [name, value] : root().members()) copy.Set(name, value.ToValue());
  if (block_->partial() || !internal::JsonTape::ParseCarefully(text))
    copy.Set(kPartialMember, true);
  return copy;
}
std::string Unstructured::ToJson() const { return internal::BlockToJson(*block_); }

}  // namespace kinformer
