// Blocks from JSON. A built-in kind is transcoded to protobuf. A dynamic kind keeps its JSON, apart from the metadata, which all
// objects have in protobuf.

#include <algorithm>
#include <utility>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"

#include "object/block_assembly.h"
#include "object/canonical.h"
#include "object/json_tape.h"
#include "object/lean_json.h"
#include "object/metav1_descriptors.h"
#include "object/projection_tree.h"
#include "object/transcode.h"
#include "object/validate.h"
#include "wire/envelope.h"

namespace kinformer::internal {
namespace {

// ObjectMeta as a schema that does not know managedFields, which the transcoder therefore skips. It is the last field.
const MessageDescriptor& MetadataWithoutManagedFields() {
  struct Made {
    Made() {
      const MessageDescriptor& all = descriptors::metav1::kObjectMeta;
      const auto is_last = [&](std::uint16_t index) { return index + 1U == all.fields.size(); };
      by_name.assign(all.by_name.begin(), all.by_name.end());
      std::erase_if(by_name, is_last);
      json_order.assign(all.json_order.begin(), all.json_order.end());
      std::erase_if(json_order, is_last);
      message = all;
      message.fields = all.fields.first(all.fields.size() - 1);
      message.by_name = by_name;
      message.json_order = json_order;
    }
    std::vector<std::uint16_t> by_name;
    std::vector<std::uint16_t> json_order;
    MessageDescriptor message;
  };
  static const Made* const made = new Made;
  return made->message;
}

// What a block keeps of an object's JSON: all members but kind, apiVersion and metadata.
struct JsonParts {
  struct Range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  std::vector<Range> kept;  // of the text: name and value
  std::uint32_t size =
      2;  // of the payload: the kept ranges, commas between them, braces around them
  std::uint32_t metadata = 0;  // its node; 0: none
  std::vector<BlockLayout::Unescaped> strings;
  std::string unescaped;  // the texts of `strings`, in order

  void Clear() {
    kept.clear();
    size = 2;
    metadata = 0;
    strings.clear();
    unescaped.clear();
  }
};

void Split(const JsonTape& tape, JsonParts& parts) {
  parts.Clear();
  std::string scratch;
  const std::uint32_t end = tape[0].next;
  for (std::uint32_t key = 1; key < end;) {
    const std::uint32_t value = key + 1;
    const std::uint32_t next = tape[value].next;
    const std::string_view name = tape.String(key, scratch);
    if (name == "metadata") {
      parts.metadata = value;
    } else if (name != "kind" && name != "apiVersion") {
      const std::uint32_t from = tape[key].begin;
      const std::uint32_t to = tape[value].end;
      const std::uint32_t at =
          parts.kept.empty() ? 1 : parts.size;  // behind '{', or a comma in the place of '}'
      parts.kept.push_back({from, to});
      parts.size = at + (to - from) + 1;
      for (std::uint32_t node = key; node < next; ++node) {
        if (tape[node].type != JsonType::kString || tape[node].plain) continue;
        const std::string_view text = tape.String(node, scratch);
        parts.strings.push_back({tape[node].begin - from + at,
                                 static_cast<std::uint32_t>(parts.unescaped.size()),
                                 static_cast<std::uint32_t>(text.size())});
        parts.unescaped += text;
      }
    }
    key = next;
  }
}

Result<ObjectRef> BuildDynamic(const TypeInfo& type, const JsonTape& tape, std::string_view json,
                               const BuildOptions& options) {
  thread_local JsonParts parts;
  Split(tape, parts);
  if (parts.metadata == 0) return Error(Reason::kDecode, "metadata: missing");
  BackwardWriter writer(json.size() / 2);
  const MessageDescriptor& meta = options.drop_managed_fields ? MetadataWithoutManagedFields()
                                                              : descriptors::metav1::kObjectMeta;
  if (Result<void> r = JsonToProtobuf(meta, tape, parts.metadata, writer, UnknownMembers::kKeep,
                                      options.drop_managed_fields ? "managedFields" : "");
      !r) {
    return std::move(r).error();
  }
  const std::string_view metadata = writer.view();
  Result<MetadataKeys> keys = FindMetadataKeys(metadata);
  if (!keys) return std::move(keys).error();
  for (BlockLayout::Unescaped& string : parts.strings) {
    string.text += static_cast<std::uint32_t>(parts.size + metadata.size());
  }
  Block* block = BlockBuilder::AllocateJson(type, parts.strings, parts.size,
                                            metadata.size() + parts.unescaped.size());
  ObjectRef ref = ObjectRef::Adopt(block);
  char* at = BlockBuilder::Bytes(block);
  char separator = '{';
  for (const JsonParts::Range& range : parts.kept) {
    *at++ = std::exchange(separator, ',');
    at = std::copy(json.begin() + range.begin, json.begin() + range.end, at);
  }
  if (parts.kept.empty()) *at++ = '{';
  *at++ = '}';
  at = std::copy(metadata.begin(), metadata.end(), at);
  std::copy(parts.unescaped.begin(), parts.unescaped.end(), at);
  BlockBuilder::SetMetadata(block, parts.size, metadata.size(), *keys);
  if (options.projection != nullptr && options.projection->MakesPartial()) {
    BlockBuilder::SetPartial(block);
  }
  return ref;
}

// The same without a tape, for what the lean reader takes; null: it declines.
ObjectRef BuildLean(const TypeInfo& type, std::string_view json, const BuildOptions& options) {
  thread_local std::vector<std::string_view> kept;
  thread_local BackwardWriter writer(4096);
  writer.Clear();
  if (!ReadLeanJson(json, options.drop_managed_fields, kept, writer)) return {};
  const std::string_view metadata = writer.view();
  const Result<MetadataKeys> keys = FindMetadataKeys(metadata);
  if (!keys) return {};
  std::size_t size = kept.empty() ? 2 : 1;  // a brace or comma before each member, a brace behind
  for (const std::string_view member : kept) size += member.size() + 1;
  Block* const block = BlockBuilder::AllocateJson(type, {}, size, metadata.size());
  char* at = BlockBuilder::Bytes(block);
  char separator = '{';
  for (const std::string_view member : kept) {
    *at++ = std::exchange(separator, ',');
    at = std::copy(member.begin(), member.end(), at);
  }
  if (kept.empty()) *at++ = '{';
  *at++ = '}';
  std::copy(metadata.begin(), metadata.end(), at);
  BlockBuilder::SetMetadata(block, size, metadata.size(), *keys);
  return ObjectRef::Adopt(block);
}

Error DoesNotFit(const TypeInfo& type, const Error& error) {
  return Error(error.reason(), std::string(type.kind) + ": " + error.message() +
                                   "; correct the struct's kFields, or the object");
}

}  // namespace

Result<ObjectRef> BuildFromJson(const TypeInfo& type, std::string_view json,
                                const BuildOptions& options) {
  const auto named = [&](Error error) {
    AddRemedy(error);
    error.WithContext(std::string(type.kind));
    return error;
  };
  if (json.size() > options.max_object_bytes) {
    return named(ObjectTooLarge(json.size(), options.max_object_bytes));
  }
  // What a struct is made of is read to the last byte, and what is malformed there must not become a default.
  const bool validate = options.validation == Validation::kFull || type.structure != nullptr;
  if (type.encoding() == Encoding::kJson && options.projection == nullptr && !validate) {
    if (ObjectRef built = BuildLean(type, json, options)) return built;
  }
  Result<JsonTape> tape = JsonTape::Parse(json);
  if (!tape) return named(std::move(tape).error());
  if ((*tape)[0].type != JsonType::kObject) {
    return named(
        Error(Reason::kDecode, "expected an object, found " + std::string(tape->TypeName(0))));
  }
  if (type.encoding() == Encoding::kJson) {
    if (validate) {
      if (Result<void> valid = ValidateJson(*tape, json); !valid) {
        return named(std::move(valid).error());
      }
    }
    const auto build = [&](const JsonTape& of, std::string_view text) {
      Result<ObjectRef> built = BuildDynamic(type, of, text, options);
      if (!built) return Result<ObjectRef>(named(std::move(built).error()));
      if (Result<void> made = BlockBuilder::MakeStruct(*built); !made) {
        return Result<ObjectRef>(DoesNotFit(type, made.error()));
      }
      return built;
    };
    if (options.projection == nullptr) return build(*tape, json);
    thread_local std::string left;
    left.clear();
    options.projection->Cut(*tape, left);
    const Result<JsonTape> rest = JsonTape::Parse(left);
    if (!rest) return named(rest.error());
    return build(*rest, left);
  }
  BackwardWriter message(json.size());
  // A server that does not cut the metadata out sends the whole object, which is not what was asked for.
  const UnknownMembers unknown = type.message == &descriptors::metav1::kPartialObjectMetadata
                                     ? UnknownMembers::kDrop
                                     : UnknownMembers::kKeep;
  if (Result<void> done = JsonToProtobuf(*type.message, *tape, 0, message, unknown); !done) {
    return named(std::move(done).error());
  }
  return BuildFromProtobuf(type, message.view(), options);
}

BuildOptions BuildOptionsOf(const EntryOptions& options) {
  return {.drop_managed_fields = options.drop_managed_fields,
          .max_object_bytes = options.max_object_bytes,
          .projection = options.projection.tree(),
          .validation = options.validation};
}

Result<ObjectRef> RebuildBlock(const Block& block, const BuildOptions& options) {
  return block.encoding() == Encoding::kProtobuf
             ? BuildFromProtobuf(block.type(), block.payload(), options)
             : BuildFromJson(block.type(), BlockToJson(block), options);
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
