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
  constexpr std::size_t kBeside = 512;  // roughly, of a resource; of an object, a quarter
  std::size_t size = kStateHeader.size() + kBeside;
  for (const SavedResource& resource : state.resources) {
    size += kBeside + resource.fields.size();
    for (const StoredObjectPtr& stored : resource.objects) size += stored->bytes() + kBeside / 4;
  }
  std::string out(kStateHeader);
  out.reserve(size);
  // The length and the checksum, once they are known.
  const std::size_t head = out.size() + 16;
  out.resize(head);
  AppendNumber(static_cast<std::uint64_t>(state.resource_version), out);
  AppendNumber(state.resources.size(), out);
  for (const SavedResource& resource : state.resources) {
    AppendLengthAndText(resource.group, out);
    AppendLengthAndText(resource.plural, out);
    AppendNumber(resource.forms.size(), out);
    for (const std::string& form : resource.forms) AppendLengthAndText(form, out);
    AppendLengthAndText(resource.fields, out);
    AppendNumber(resource.objects.size(), out);
    for (const StoredObjectPtr& stored : resource.objects) ObjectImage::Append(*stored, out);
  }
  const std::string_view content = std::string_view(out).substr(head);
  std::string numbers;
  AppendNumber(content.size(), numbers);
  AppendNumber(ChecksumOf(content), numbers);
  out.replace(kStateHeader.size(), numbers.size(), numbers);
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
