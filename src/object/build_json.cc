// Blocks from JSON. A built-in kind is transcoded to protobuf. A dynamic kind keeps its JSON, apart from the metadata, which all
// objects have in protobuf.

#include <algorithm>
#include <cstring>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"

#include "object/block_assembly.h"
#include "object/canonical.h"
#include "object/json_tape.h"
#include "object/metav1_descriptors.h"
#include "object/transcode.h"
#include "wire/envelope.h"

namespace kinformer::internal {
namespace {

// Takes field 17 (managedFields) out of an ObjectMeta message.
std::string WithoutManagedFields(const std::string& metadata) {
  std::vector<FieldSpan> fields;
  if (!ScanFields(metadata, fields)) return metadata;
  std::string out;
  for (const FieldSpan& span : fields) {
    if (span.field.number != 17) out.append(metadata, span.begin, span.end - span.begin);
  }
  return out;
}

struct JsonParts {
  std::string payload;   // the object without kind, apiVersion and metadata
  std::string metadata;  // JSON
  std::vector<BlockLayout::Unescaped> strings;
  std::string unescaped;  // the texts of `strings`, in order
};

Result<JsonParts> Split(std::string_view json) {
  Result<JsonTape> tape = JsonTape::Parse(json);
  if (!tape) return std::move(tape).error();
  if ((*tape)[0].type != JsonType::kObject) {
    return Error(Reason::kDecode, "expected an object, found " + std::string(tape->TypeName(0)));
  }
  JsonParts parts;
  parts.payload = "{";
  std::string scratch;
  const std::uint32_t end = (*tape)[0].next;
  for (std::uint32_t key = 1; key < end;) {
    const std::uint32_t value = key + 1;
    const std::uint32_t next = (*tape)[value].next;
    const std::string_view name = tape->String(key, scratch);
    if (name == "metadata") {
      parts.metadata = tape->Text(value);
    } else if (name != "kind" && name != "apiVersion") {
      if (parts.payload.size() > 1) parts.payload += ',';
      const std::uint32_t from = (*tape)[key].begin;
      const auto at = static_cast<std::uint32_t>(parts.payload.size());
      parts.payload.append(json.substr(from, (*tape)[value].end - from));
      for (std::uint32_t node = key; node < next; ++node) {
        if ((*tape)[node].type != JsonType::kString || (*tape)[node].plain) continue;
        const std::string_view text = tape->String(node, scratch);
        parts.strings.push_back({(*tape)[node].begin - from + at,
                                 static_cast<std::uint32_t>(parts.unescaped.size()),
                                 static_cast<std::uint32_t>(text.size())});
        parts.unescaped += text;
      }
    }
    key = next;
  }
  parts.payload += '}';
  return parts;
}

Result<ObjectRef> BuildDynamic(const TypeInfo& type, std::string_view json,
                               const BuildOptions& options) {
  Result<JsonParts> parts = Split(json);
  if (!parts) return std::move(parts).error();
  if (parts->metadata.empty()) return Error(Reason::kDecode, "metadata: missing");
  Result<std::string> metadata = JsonToProtobuf(descriptors::metav1::kObjectMeta, parts->metadata);
  if (!metadata) return std::move(metadata).error().WithContext("metadata");
  if (options.drop_managed_fields) *metadata = WithoutManagedFields(*metadata);
  Result<MetadataKeys> keys = FindMetadataKeys(*metadata);
  if (!keys) return std::move(keys).error();
  const std::size_t texts_at = parts->payload.size() + metadata->size();
  for (BlockLayout::Unescaped& string : parts->strings) {
    string.text += static_cast<std::uint32_t>(texts_at);
  }
  Block* block = BlockBuilder::AllocateJson(type, parts->strings, parts->payload.size(),
                                            metadata->size() + parts->unescaped.size());
  ObjectRef ref = ObjectRef::Adopt(block);
  char* at = BlockBuilder::Bytes(block);
  for (const std::string* part : {&parts->payload, &*metadata, &parts->unescaped}) {
    at = std::copy(part->begin(), part->end(), at);
  }
  BlockBuilder::SetMetadata(block, parts->payload.size(), metadata->size(), *keys);
  return ref;
}

}  // namespace

Result<ObjectRef> BuildFromJson(const TypeInfo& type, std::string_view json,
                                const BuildOptions& options) {
  Result<ObjectRef> built = ObjectRef();
  if (json.size() > options.max_object_bytes) {
    built = Error(Reason::kOverLimit, "object of " + std::to_string(json.size()) +
                                          " bytes exceeds the limit of " +
                                          std::to_string(options.max_object_bytes));
  } else if (type.encoding() == Encoding::kJson) {
    built = BuildDynamic(type, json, options);
  } else {
    Result<std::string> message = JsonToProtobuf(*type.message, json);
    if (message) return BuildFromProtobuf(type, *message, options);
    built = std::move(message).error();
  }
  if (!built) return std::move(built).error().WithContext(std::string(type.kind));
  return built;
}

std::string BlockToJson(const Block& block) {
  const TypeInfo& type = block.type();
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

std::string BlockToProtobufEnvelope(const Block& block) {
  const TypeInfo& type = block.type();
  return wire::SealEnvelope(type.apiVersion(), type.kind, block.payload());
}

}  // namespace kinformer::internal
