// controller/fights/written_fields.h
//
// FieldsOf: the fields that a write was to set in an object, and what has become of them.

#ifndef KINFORMER_CONTROLLER_FIGHTS_WRITTEN_FIELDS_H_
#define KINFORMER_CONTROLLER_FIGHTS_WRITTEN_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::internal::fights {

// Body of a write.
struct SentWrite {
  enum class Form : std::uint8_t {
    kWhole,   // the object
    kStatus,  // the object, of which only the status counts
    kMerge,   // the fields that change: a merge patch
    kFields,  // the same, with single items of lists: a strategic merge patch, or an apply
    kJsonPatch,
  };
  Form form{};
  std::string body{};  // JSON
};

// A field that the write has changed, or was to change. Values are hashes; the texts are those of
// short plain values, and empty for others.
struct WrittenField {
  std::string path{};                // `spec.replicas`, `spec.containers["app"].image`
  std::vector<std::string> steps{};  // names of the members, up to the first list
  std::uint64_t before{};
  std::uint64_t now{};
  std::string before_text{};
  std::string now_text{};
  // The server has answered with another value than that which was sent.
  bool undone{};
  std::uint64_t sent{};
  std::string sent_text{};
};

inline constexpr std::size_t kMostWrittenFields = 16;

// Returns the fields that the write itself has changed from `before` to `now`, which are whole
// objects, and those that the server did not keep; kMostWrittenFields at most. Other differences,
// which others have made in between, are left out. `secret`: no value may be told.
[[nodiscard]] std::vector<WrittenField> FieldsOf(const json::Value& before, const json::Value& now,
                                                 const SentWrite& sent, bool secret,
                                                 std::uint64_t hash_seed);

}  // namespace kinformer::internal::fights

#endif  // KINFORMER_CONTROLLER_FIGHTS_WRITTEN_FIELDS_H_
