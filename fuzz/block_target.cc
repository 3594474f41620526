// Building objects: blocks from protobuf and JSON, their index, and reads with it.

#include <string>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/internal/kind_info.h"
#include "kinformer/internal/view.h"
#include "kinformer/json/json.h"
#include "kinformer/object/unstructured.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "object/transcode/block_text.h"
#include "object/transcode/canonical.h"

namespace kinformer::fuzz {

namespace {

using internal::FieldDescriptor;
using internal::FieldKind;
using internal::MessageDescriptor;
using internal::MessageView;
using internal::ObjectRef;
using internal::RawValue;

constexpr int kDeepest = 8;

bool SameValue(const RawValue& a, const RawValue& b) {
  return a.kind == b.kind && a.scalar == b.scalar && a.bytes == b.bytes;
}

internal::FieldCursor::Packing PackingOf(const FieldDescriptor& field) {
  using enum internal::FieldCursor::Packing;
  switch (field.kind) {
    case FieldKind::kBool:
    case FieldKind::kInt32:
    case FieldKind::kInt64:
      return field.repeated ? kVarint : kNone;
    case FieldKind::kDouble:
      return field.repeated ? kFixed64 : kNone;
    default:
      return kNone;
  }
}

// Compares every value that views can read, with the index (`indexed`) and without it: they must be
// equal.
void Compare(const MessageView& indexed, const MessageView& plain, const MessageDescriptor& type,
             int depth) {
  RequireEqual(indexed.bytes(), plain.bytes(), "a message is the same with its index");
  for (const FieldDescriptor& field : type.fields) {
    const std::uint32_t id = field.number;
    RawValue one;
    RawValue other;
    if (field.map) {
      internal::FieldCursor at = internal::MakeCursor(indexed, id);
      internal::FieldCursor beside = internal::MakeCursor(plain, id);
      std::string_view key;
      std::string_view other_key;
      while (internal::NextMember(at, key, one)) {
        Require(internal::NextMember(beside, other_key, other) && key == other_key &&
                    SameValue(one, other),
                "a map's entry is the same with the index", field.json_name);
      }
      Require(!internal::NextMember(beside, other_key, other),
              "a map has as many entries with the index", field.json_name);
      continue;
    }
    if (field.repeated) {
      internal::FieldCursor at = internal::MakeCursor(indexed, id, PackingOf(field));
      internal::FieldCursor beside = internal::MakeCursor(plain, id, PackingOf(field));
      while (internal::NextElement(at, one)) {
        Require(internal::NextElement(beside, other) && SameValue(one, other),
                "a list's element is the same with the index", field.json_name);
        if (field.message != nullptr && depth < kDeepest)
          Compare(internal::ToMessage(indexed, one), internal::ToMessage(plain, other),
                  *field.message, depth + 1);
      }
      Require(!internal::NextElement(beside, other), "a list has as many elements with the index",
              field.json_name);
      continue;
    }
    const bool found = internal::FindField(indexed, id, one);
    Require(found == internal::FindField(plain, id, other), "a field is there with the index",
            field.json_name);
    if (!found) continue;
    Require(SameValue(one, other), "a field is the same with the index", field.json_name);
    if (field.message != nullptr && depth < kDeepest)
      Compare(internal::ToMessage(indexed, one), internal::ToMessage(plain, other), *field.message,
              depth + 1);
  }
}

bool Within(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void CheckHead(const internal::Block& block) {
  const std::string_view metadata = block.metadata_bytes();
  Require(Within(block.name(), metadata) && Within(block.namespace_(), metadata) &&
              Within(block.uid(), metadata) && Within(block.resourceVersion(), metadata),
          "names lie in the metadata");
  const ObjectRef clone = internal::CloneBlock(block);
  Require(clone->SameAs(block), "a clone is the same");
  Require(block.allocated_bytes() >= sizeof(internal::Block) + block.payload().size(),
          "all bytes are accounted for");
}

}  // namespace

void FuzzBlockProtobuf(std::string_view input) {
  Choices choices(input);
  const KindInfo& type = PickType(choices.Byte());
  const internal::BuildOptions options{.drop_managed_fields = (choices.Byte() & 1U) != 0};
  const Result<ObjectRef> built = internal::BuildFromProtobuf(type, choices.rest(), options);
  if (!built) {
    Require(!built.error().message().empty(), "an error says something");
    return;
  }
  const internal::Block& block = **built;
  CheckHead(block);
  RequireEqual(block.name(), internal::GetString(MessageView(block.metadata_bytes()), 1), "name");
  RequireEqual(block.namespace_(), internal::GetString(MessageView(block.metadata_bytes()), 3),
               "namespace");
  Compare(internal::RootView(&block).message(), MessageView(block.payload()), *type.message, 0);

  const Result<ObjectRef> again = internal::BuildFromProtobuf(type, block.payload(), options);
  Require(again.ok(), "what a block keeps builds again");
  RequireEqual((*again)->payload(), block.payload(), "what a block keeps is in its final order");
  const Result<std::string> canonical = internal::Canonicalize(*type.message, block.payload());
  Require(canonical.ok(), "what a block keeps is well-formed");
  std::vector<internal::FieldSpan> fields;
  Require(internal::ScanFields(block.payload(), fields).ok() &&
              internal::IsCanonical(*type.message, fields),
          "what a block keeps is canonical");

  const std::string json = internal::BlockToJson(block);
  if (json.empty()) return;  // deeper levels may contain values without a JSON form
  Require(!IsUtf8(json) || json::Parse(json, {.max_depth = 600}).ok(), "a block's JSON is JSON",
          json);
}

void FuzzBlockJson(std::string_view input) {
  Choices choices(input);
  const KindInfo& type = PickType(choices.Byte());
  const internal::BuildOptions options{.drop_managed_fields = (choices.Byte() & 1U) != 0};
  const Result<ObjectRef> built = internal::BuildFromJson(type, choices.rest(), options);
  if (!built) {
    Require(!built.error().message().empty(), "an error says something");
    return;
  }
  CheckHead(**built);
  Compare(internal::RootView(built->get()).message(), MessageView((*built)->payload()),
          *type.message, 0);
  // Embedded objects are stored as they came, and written as compact JSON.
  const std::string text = internal::BlockToJson(**built);
  const Result<ObjectRef> again = internal::BuildFromJson(type, text, options);
  Require(again.ok(), "a block's JSON builds again",
          again.ok() ? std::string_view() : again.error().message(), text);
  // Invalid UTF-8 is replaced by an escape at the first conversion, so the texts differ.
  if (IsUtf8(choices.rest()))
    RequireEqual(internal::BlockToJson(**again), text, "JSON and back gives the same JSON");
}

void FuzzDynamicObject(std::string_view input) {
  Choices choices(input);
  const KindInfo& type = *internal::DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  const internal::BuildOptions options{.drop_managed_fields = (choices.Byte() & 1U) != 0};
  const Result<ObjectRef> built = internal::BuildFromJson(type, choices.rest(), options);
  if (!built) {
    Require(!built.error().message().empty(), "an error says something");
    return;
  }
  CheckHead(**built);
  const Unstructured object(built->get());
  const std::string text = object.ToJson();
  const Result<ObjectRef> again = internal::BuildFromJson(type, text, options);
  Require(again.ok(), "an object's JSON builds again",
          again.ok() ? std::string_view() : again.error().message(), text);
  RequireEqual((*again)->payload(), (*built)->payload(), "what is kept stays as it is");
  RequireEqual(Unstructured(again->get()).ToJson(), text, "JSON and back gives the same JSON");

  // The other JSON parser must find the same values.
  const Result<json::Value> parsed = json::Parse(choices.rest(), {.max_depth = 600});
  if (!parsed) return;  // building does not check that strings are UTF-8
  for (const auto& [name, value] : parsed->members()) {
    if (name == "metadata" || name == "kind" || name == "apiVersion") continue;
    const json::View view = object.root()[name];
    Require(view.exists(), "a member is there", name, text);
    Require(view.ToValue() == value, "a member is the same", view.raw(), value.Dump());
    if (value.is_string())
      RequireEqual(view.StringOrEmpty(), value.StringOrEmpty(), "a text is unescaped the same");
  }
}

}  // namespace kinformer::fuzz
