#include "object/lean_metadata.h"

#include <array>

namespace kinformer::internal {
namespace {

// Last field first. A text is written even when it is empty, as Go's generated code does.

void WriteTime(std::uint32_t field, const std::optional<TimeStamp>& time, BackwardWriter& out) {
  const std::size_t before = out.size();
  if (time && (time->seconds != kZeroTimeSeconds || time->nanos != 0)) {
    out.VarintField(2, 0);  // metav1.Time drops fractions
    out.VarintField(1, static_cast<std::uint64_t>(time->seconds));
  }
  out.LengthAndTag(field, before);
}

void WriteMap(std::uint32_t field, const std::vector<TextPair>& entries, BackwardWriter& out) {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const std::size_t before = out.size();
    out.StringField(2, entry->second);
    out.StringField(1, entry->first);
    out.LengthAndTag(field, before);
  }
}

void WriteOwner(const LeanOwner& owner, BackwardWriter& out) {
  const std::size_t before = out.size();
  if (owner.block_owner_deletion) out.VarintField(7, *owner.block_owner_deletion ? 1 : 0);
  if (owner.controller) out.VarintField(6, *owner.controller ? 1 : 0);
  out.StringField(5, owner.api_version);
  out.StringField(4, owner.uid);
  out.StringField(3, owner.name);
  out.StringField(1, owner.kind);
  out.LengthAndTag(13, before);
}

void WriteManaged(const LeanManaged& entry, BackwardWriter& out) {
  const std::size_t before = out.size();
  out.StringField(8, entry.subresource);
  if (!entry.fields.empty()) {
    const std::size_t fields = out.size();
    out.StringField(1, entry.fields);
    out.LengthAndTag(7, fields);
  }
  out.StringField(6, entry.fields_type);
  if (entry.time) WriteTime(4, entry.time, out);
  out.StringField(3, entry.api_version);
  out.StringField(2, entry.operation);
  out.StringField(1, entry.manager);
  out.LengthAndTag(17, before);
}

}  // namespace

bool WriteMetadata(const LeanMetadata& m, BackwardWriter& out, MetadataKeys& keys) {
  std::array<std::size_t, 4> from_end{};
  const auto key = [&](std::size_t place, std::uint32_t field, std::string_view text) {
    const std::size_t before = out.size();
    out.Bytes(text);
    from_end[place] = out.size();
    out.LengthAndTag(field, before);
  };
  for (auto entry = m.managed.rbegin(); entry != m.managed.rend(); ++entry)
    WriteManaged(*entry, out);
  for (auto text = m.finalizers.rbegin(); text != m.finalizers.rend(); ++text)
    out.StringField(14, *text);
  for (auto owner = m.owners.rbegin(); owner != m.owners.rend(); ++owner) WriteOwner(*owner, out);
  WriteMap(12, m.annotations, out);
  WriteMap(11, m.labels, out);
  if (m.grace) out.VarintField(10, static_cast<std::uint64_t>(*m.grace));
  if (m.deletion) WriteTime(9, m.deletion, out);
  WriteTime(8, m.creation, out);
  out.VarintField(7, static_cast<std::uint64_t>(m.generation));
  key(3, 6, m.resource_version);
  key(2, 5, m.uid);
  out.StringField(4, m.self_link);
  key(1, 3, m.namespace_);
  out.StringField(2, m.generate_name);
  key(0, 1, m.name);
  const std::array<std::string_view, 4> texts = {m.name, m.namespace_, m.uid, m.resource_version};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t at = out.size() - from_end[i];
    if (texts[i].size() > 255 || at > 65535) return false;
    keys.at[i] = static_cast<std::uint16_t>(at);
    keys.size[i] = static_cast<std::uint8_t>(texts[i].size());
  }
  return true;
}

}  // namespace kinformer::internal
