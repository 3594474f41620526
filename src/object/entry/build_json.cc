// Builds blocks from JSON. A built-in kind is transcoded to protobuf. A dynamic kind keeps its
// JSON, except for the metadata, which every object has in protobuf.

#include <algorithm>
#include <cstring>
#include <utility>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/object/object_from_json.h"

#include "object/block/block_assembly.h"
#include "object/block/metav1_descriptors.h"
#include "object/entry/fast_object_reader.h"
#include "object/entry/json_parts.h"
#include "object/transcode/block_text.h"
#include "object/transcode/canonical.h"
#include "object/transcode/json_tape.h"
#include "object/transcode/projection_tree.h"
#include "object/transcode/transcode.h"
#include "object/transcode/validate.h"
#include "wire/json_bitmap.h"

namespace kinformer::internal {
namespace {

// A schema of ObjectMeta without managedFields, so that the transcoder skips them. It relies on
// managedFields being the last field.
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

// Returns the metadata's node, or 0 if there is none.
std::uint32_t Split(const JsonTape& tape, std::string_view json, JsonParts& parts) {
  parts.Clear();
  std::string scratch;
  std::uint32_t metadata = 0;
  const std::uint32_t end = tape[0].next;
  for (std::uint32_t key = 1; key < end;) {
    const std::uint32_t value = key + 1;
    const std::uint32_t next = tape[value].next;
    const std::string_view name = tape.String(key, scratch);
    if (name == "metadata") {
      metadata = value;
    } else if (name != "kind" && name != "apiVersion") {
      const std::uint32_t from = tape[key].begin;
      const std::uint32_t at = parts.Keep(json.substr(from, tape[value].end - from));
      for (std::uint32_t node = key; node < next; ++node) {
        if (tape[node].type != JsonType::kString || tape[node].plain) continue;
        const std::size_t before = parts.unescaped.size();
        parts.unescaped += tape.String(node, scratch);
        parts.AddString(tape[node].begin - from + at, before);
      }
    }
    key = next;
  }
  return metadata;
}

ObjectRef Assemble(const KindInfo& type, JsonParts& parts, std::string_view metadata,
                   const MetadataKeys& keys, const BuildOptions& options) {
  for (BlockLayout::Unescaped& string : parts.strings) {
    string.text += static_cast<std::uint32_t>(parts.size);
  }
  Block* const block = BlockBuilder::AllocateJson(type, parts.strings, metadata, keys, parts.size,
                                                  parts.unescaped.size());
  char* at = BlockBuilder::Bytes(block);
  const auto put = [&at](std::string_view bytes) {
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    at += bytes.size();
  };
  char separator = '{';
  for (const std::string_view member : parts.kept) {
    *at++ = std::exchange(separator, ',');
    put(member);
  }
  if (parts.kept.empty()) *at++ = '{';
  *at++ = '}';
  put(parts.unescaped);
  ObjectRef fresh = ObjectRef::Adopt(block);
  if (options.projection != nullptr && options.projection->MakesPartial()) {
    BlockBuilder::SetPartial(fresh);
  }
  return fresh;
}

Result<ObjectRef> BuildDynamic(const KindInfo& type, const JsonTape& tape, std::string_view json,
                               const BuildOptions& options) {
  thread_local JsonParts parts;
  const std::uint32_t metadata_node = Split(tape, json, parts);
  if (metadata_node == 0) return Error(Reason::kDecode, "metadata: missing");
  BackwardWriter writer(json.size() / 2);
  const MessageDescriptor& meta = options.drop_managed_fields ? MetadataWithoutManagedFields()
                                                              : descriptors::metav1::kObjectMeta;
  if (Result<void> r = JsonToProtobuf(meta, tape, metadata_node, writer, UnknownMembers::kKeep,
                                      options.drop_managed_fields ? "managedFields" : "");
      !r) {
    return std::move(r).error();
  }
  const std::string_view metadata = writer.view();
  const Result<MetadataKeys> keys = FindMetadataKeys(metadata);
  if (!keys) return keys.error();
  return Assemble(type, parts, metadata, *keys, options);
}

// Like above, but with the fast reader instead of a tape. Returns null if the reader declines.
ObjectRef BuildLean(const KindInfo& type, std::string_view json, const wire::JsonBitmap* bitmap,
                    const BuildOptions& options) {
  thread_local FastObject object;
  thread_local wire::JsonBitmap own;
  const bool covered = bitmap != nullptr && bitmap->Covers(json);
  if (!covered) own.Read(json);
  const bool read = ReadFastObject(json, covered ? *bitmap : own, options, object);
  if (!covered) own.Trim();
  if (!read) return {};
  return Assemble(type, object.parts, object.metadata.view(), object.keys, options);
}

Error DoesNotFit(const KindInfo& type, const Error& error) {
  Error named(error.reason(), std::string(type.kind) + ": " + error.message() +
                                  "; correct the struct's kFields, or the object");
  named.WithDetails(error.details());
  return named;
}

}  // namespace

Result<ObjectRef> BuildFromJson(const KindInfo& type, std::string_view json,
                                const BuildOptions& options, const wire::JsonBitmap* bitmap) {
  const auto named = [&](Error error) {
    AddRemedy(error);
    error.WithContext(std::string(type.kind));
    return error;
  };
  if (json.size() > options.max_object_bytes) {
    return named(ObjectTooLarge(json.size(), options.max_object_bytes));
  }
  // A type with a struct is validated in full: a malformed value must not become the default value
  // of a member.
  const bool validate = options.validation == Validation::kFull || type.structure != nullptr;
  if (type.encoding() == Encoding::kJson && !validate) {
    if (ObjectRef built = BuildLean(type, json, bitmap, options)) return built;
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
  // A server that does not support metadata-only requests sends the whole object; the rest is
  // dropped.
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

}  // namespace kinformer::internal

namespace kinformer {

Result<AnyRef> ObjectFromJson(const KindInfo& kind, std::string_view json,
                              const EntryOptions& options) {
  Result<internal::ObjectRef> built =
      internal::BuildFromJson(kind, json, internal::BuildOptionsOf(options));
  if (!built) return std::move(built).error();
  return AnyRef(*std::move(built));
}

}  // namespace kinformer
