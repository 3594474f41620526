#include "kinformer/cache/transform.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "kinformer/internal/block_builder.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object.h"
#include "kinformer/object/projection.h"

#include "object/block/block_assembly.h"

namespace kinformer {
namespace internal {
namespace {

std::string JsonOf(const RequestObject& content) {
  std::string text = content.json();
  if (!content.is_partial) return text;
  // The marker of a partial copy is not part of the object.
  Result<json::Value> object = json::Parse(text);
  if (!object || !object->Erase(kPartialMember)) return text;
  return object->Dump();
}

}  // namespace

Result<ObjectRef> BlockWithContent(const Block& of, const RequestObject& content) {
  const KindInfo& type = of.type();
  // The limit applies only to objects received from the server.
  const BuildOptions options{.max_object_bytes = std::numeric_limits<std::int32_t>::max()};
  const bool has_message = type.encoding() == Encoding::kProtobuf && !content.protobuf.empty();
  const bool transcodes = type.encoding() == Encoding::kProtobuf && !has_message;
  Result<ObjectRef> made = has_message ? BuildFromProtobuf(type, content.protobuf, options)
                                       : BuildFromJson(type, JsonOf(content), options);
  if (!made) return std::move(made).error();
  if (of.partial() || content.is_partial || transcodes) BlockBuilder::SetPartial(*made);
  return made;
}

}  // namespace internal

Result<AnyRef> WithContent(const AnyRef& object, const json::Value& content) {
  Result<internal::ObjectRef> made =
      internal::BlockWithContent(*object.object(), internal::ToRequestObject<Object>(content));
  if (!made) return std::move(made).error();
  return AnyRef(*std::move(made));
}

}  // namespace kinformer
