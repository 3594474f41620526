// A separate file, so that only programs that print YAML link the YAML library.

#include "kinformer/internal/block.h"
#include "kinformer/internal/view.h"
#include "kinformer/json/yaml.h"

#include "object/transcode/block_text.h"

namespace kinformer::internal {

std::string ContentToYaml(const Block* block) {
  if (block == nullptr) return {};
  return yaml::Dump(json::Parse(BlockToJson(*block)).value_or(json::Value()));
}

std::string MessageToYaml(const MessageView& message, const MessageDescriptor& descriptor) {
  return yaml::Dump(json::Parse(MessageToJson(message, descriptor)).value_or(json::Value()));
}

}  // namespace kinformer::internal
