#include "object/transcode/block_text.h"

#include "object/block/metav1_descriptors.h"
#include "object/transcode/transcode.h"

namespace kinformer::internal {

std::string BlockToJson(const Block& block) {
  const KindInfo& type = block.type();
  const std::string head = TypeMetaJson(type.kind, type.apiVersion());
  std::string out;
  if (block.encoding() == Encoding::kProtobuf) {
    static_cast<void>(ProtobufToJson(*type.message, block.payload(), out, head).ok());
    return out;
  }
  out = "{" + head + ",\"metadata\":";
  static_cast<void>(
      ProtobufToJson(descriptors::metav1::kObjectMeta, block.metadata_bytes(), out).ok());
  const std::string_view rest = block.payload();
  if (rest.size() > 2) {
    out += ',';
    out.append(rest.substr(1));
  } else {
    out += '}';
  }
  return out;
}

}  // namespace kinformer::internal
