// apiserver/store/saved_state.h
//
// SavedState: everything that a server stores at one resourceVersion, apart from a server; and its
// form in a file.
//
// A file has a line with format and version, the length of the rest (8 bytes), its CRC-32 (8), and
// the rest: the resourceVersion, the number of resources, and each resource with its objects.
// Numbers and texts are those of object_image.h.

#ifndef KINFORMER_APISERVER_STORE_SAVED_STATE_H_
#define KINFORMER_APISERVER_STORE_SAVED_STATE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kStateHeader = "kinformer-state 1\n";

struct SavedResource {
  std::string group{};
  std::string plural{};
  // Names that StoredObject::form is an index into; empty for built-in resources.
  std::vector<std::string> forms{};
  // The selectable fields whose values the objects hold, as FieldsKey returns them.
  std::string fields{};
  // Sorted by key: the objects at the state's version. And the later versions, tombstones among
  // them, in the order of resourceVersions; a file has none.
  std::vector<StoredObjectPtr> objects{};
  std::vector<StoredObjectPtr> later{};
};

struct SavedState {
  std::int64_t resource_version = 0;
  std::vector<SavedResource> resources{};
};

// Returns a text that is equal for equal selectable fields.
std::string FieldsKey(std::span<const SelectableField> fields);

// CRC-32 of the bytes.
std::uint32_t ChecksumOf(std::string_view bytes);

// Versions after that of the state are left out.
std::string EncodeState(const SavedState& state);

// Returns the rest of the file after its header, if the length and the checksum are right. Errors
// are kConfig, and say what to do.
Result<std::string_view> CheckedState(std::string_view bytes);
// The same, and decodes it.
Result<SavedState> DecodeState(std::string_view bytes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_SAVED_STATE_H_
