// kinformer/object/entry_options.h
//
// EntryOptions: processing of an object's bytes between the network and the store.

#ifndef KINFORMER_OBJECT_ENTRY_OPTIONS_H_
#define KINFORMER_OBJECT_ENTRY_OPTIONS_H_

#include <cstddef>
#include <string>

#include "kinformer/object/projection.h"
#include "kinformer/object/validation.h"

namespace kinformer {

// Options for arriving objects. A value. InformerOptions explains its members.
struct EntryOptions {
  bool drop_managed_fields{false};
  Projection projection{};
  Validation validation{Validation::kShallow};
  std::size_t max_object_bytes{kDefaultMaxObjectBytes};

  // Returns true if no field is dropped.
  [[nodiscard]] bool KeepsAll() const { return !drop_managed_fields && projection.empty(); }
  [[nodiscard]] bool IsDefault() const {
    return KeepsAll() && validation == Validation::kShallow &&
           max_object_bytes == kDefaultMaxObjectBytes;
  }
  // Returns a text that describes the kept fields; empty: all are kept. Equal for informers that
  // keep the same bytes.
  [[nodiscard]] std::string Kept() const {
    std::string text = drop_managed_fields ? "without managedFields" : "";
    if (!projection.empty()) text += (text.empty() ? "" : ", ") + projection.ToString();
    return text;
  }
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_ENTRY_OPTIONS_H_
