#include "apiserver/store/saved_state.h"

#include <cstddef>
#include <utility>
#include <zlib.h>

#include "apiserver/store/object_image.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kFormatName = "kinformer-state ";

Error NotUsable(std::string why) { return {Reason::kConfig, std::move(why)}; }

Error Damaged() {
  return NotUsable("is damaged: its content does not fit its checksum; save the state again");
}

Result<SavedResource> TakeResource(PartReader& parts) {
  SavedResource resource{.group = std::string(parts.Text()), .plural = std::string(parts.Text())};
  const std::uint64_t forms = parts.Number();
  for (std::uint64_t i = 0; i < forms && parts.ok(); ++i) {
    resource.forms.emplace_back(parts.Text());
  }
  resource.fields = parts.Text();
  const std::uint64_t count = parts.Number();
  for (std::uint64_t i = 0; i < count && parts.ok(); ++i) {
    StoredObjectPtr stored = ObjectImage::Take(parts.rest());
    if (stored == nullptr) return Damaged();
    const bool known = resource.forms.empty() || stored->form() < resource.forms.size();
    const bool ordered = resource.objects.empty() || resource.objects.back()->key() < stored->key();
    if (!known || !ordered || stored->tombstone()) return Damaged();
    resource.objects.push_back(std::move(stored));
  }
  if (!parts.ok()) return Damaged();
  return resource;
}

}  // namespace

std::string FieldsKey(std::span<const SelectableField> fields) {
  std::string key;
  for (const SelectableField& field : fields) {
    for (const std::string* text : {&field.name, &field.pointer, &field.fallback}) {
      AppendLengthAndText(*text, key);
    }
  }
  return key;
}

std::uint32_t ChecksumOf(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string EncodeState(const SavedState& state) {
  std::string rest;
  AppendNumber(static_cast<std::uint64_t>(state.resource_version), rest);
  AppendNumber(state.resources.size(), rest);
  for (const SavedResource& resource : state.resources) {
    AppendLengthAndText(resource.group, rest);
    AppendLengthAndText(resource.plural, rest);
    AppendNumber(resource.forms.size(), rest);
    for (const std::string& form : resource.forms) AppendLengthAndText(form, rest);
    AppendLengthAndText(resource.fields, rest);
    AppendNumber(resource.objects.size(), rest);
    for (const StoredObjectPtr& stored : resource.objects) ObjectImage::Append(*stored, rest);
  }
  std::string out(kStateHeader);
  out.reserve(out.size() + rest.size() + 16);
  AppendNumber(rest.size(), out);
  AppendNumber(ChecksumOf(rest), out);
  out += rest;
  return out;
}

Result<std::string_view> CheckedState(std::string_view bytes) {
  if (!bytes.starts_with(kStateHeader)) {
    if (!bytes.starts_with(kFormatName)) {
      return NotUsable("is no saved state, which begins with \"kinformer-state 1\"");
    }
    const std::string_view line = bytes.substr(0, bytes.substr(0, 64).find('\n'));
    return NotUsable("is a saved state of another format, \"" + std::string(line) +
                     "\": this version reads \"kinformer-state 1\"; use the version that saved it");
  }
  PartReader parts(bytes.substr(kStateHeader.size()));
  const std::uint64_t size = parts.Number();
  const std::uint64_t checksum = parts.Number();
  const std::string_view rest = parts.rest();
  if (!parts.ok() || rest.size() < size) {
    return NotUsable("breaks off: " + std::to_string(rest.size()) + " of " + std::to_string(size) +
                     " bytes are there; save or copy the state again");
  }
  if (rest.size() > size) {
    return NotUsable("has " + std::to_string(rest.size() - size) +
                     " bytes after its end; save or copy the state again");
  }
  if (ChecksumOf(rest) != checksum) return Damaged();
  return rest;
}

Result<SavedState> DecodeState(std::string_view bytes) {
  const Result<std::string_view> checked = CheckedState(bytes);
  if (!checked) return checked.error();
  PartReader parts(*checked);
  SavedState state{.resource_version = static_cast<std::int64_t>(parts.Number())};
  const std::uint64_t count = parts.Number();
  for (std::uint64_t i = 0; i < count && parts.ok(); ++i) {
    Result<SavedResource> resource = TakeResource(parts);
    if (!resource) return resource.error();
    state.resources.push_back(*std::move(resource));
  }
  if (!parts.ok() || !parts.rest().empty() || state.resource_version < 1) return Damaged();
  return state;
}

}  // namespace kinformer::apiserver
