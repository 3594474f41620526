#include "kinformer/internal/descriptor.h"

#include <algorithm>

#include "object/block/metav1_descriptors.h"

namespace kinformer::internal {

const FieldDescriptor* FindByNumber(const MessageDescriptor& message, std::uint32_t number) {
  // Most messages number their fields 1, 2, 3, ..., so try that index first.
  if (number - 1 < message.fields.size() && message.fields[number - 1].number == number) {
    return &message.fields[number - 1];
  }
  const auto at = std::lower_bound(
      message.fields.begin(), message.fields.end(), number,
      [](const FieldDescriptor& field, std::uint32_t wanted) { return field.number < wanted; });
  return at != message.fields.end() && at->number == number ? &*at : nullptr;
}

const FieldDescriptor* FindByName(const MessageDescriptor& message, std::string_view json_name) {
  const auto at = std::lower_bound(message.by_name.begin(), message.by_name.end(), json_name,
                                   [&](std::uint16_t index, std::string_view wanted) {
                                     return message.fields[index].json_name < wanted;
                                   });
  if (at == message.by_name.end() || message.fields[*at].json_name != json_name) return nullptr;
  return &message.fields[*at];
}

const FieldDescriptor* FindJsonMember(const MessageDescriptor& message,
                                      std::string_view json_name) {
  if (const FieldDescriptor* field = FindByName(message, json_name)) return field;
  if (message.by_name.size() == message.fields.size()) return nullptr;
  for (const FieldDescriptor& field : message.fields) {
    if (!field.inlined || field.message == nullptr) continue;
    if (const FieldDescriptor* inner = FindJsonMember(*field.message, json_name)) return inner;
  }
  return nullptr;
}

}  // namespace kinformer::internal

// The descriptors of meta/v1, which every layer above needs: generated from schema/metav1.tsv.
#include "object/block/metav1_descriptors.inc"
#include "object/block/metav1beta1_descriptors.inc"
