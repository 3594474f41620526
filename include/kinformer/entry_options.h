// kinformer/entry_options.h
//
// EntryOptions: what happens to the bytes of an object between the network and the store.

#ifndef KINFORMER_ENTRY_OPTIONS_H_
#define KINFORMER_ENTRY_OPTIONS_H_

#include <cstddef>
#include <string>

#include "kinformer/projection.h"
#include "kinformer/validation.h"

namespace kinformer {

// A value. The members are those of InformerOptions, which explains them.
struct EntryOptions {
  bool drop_managed_fields{false};
  Projection projection{};
  Validation validation{Validation::kShallow};
  std::size_t max_object_bytes{kDefaultMaxObjectBytes};

  // Whether objects are kept as they come.
  [[nodiscard]] bool KeepsAll() const { return !drop_managed_fields && projection.empty(); }
  [[nodiscard]] bool IsDefault() const {
    return KeepsAll() && validation == Validation::kShallow &&
           max_object_bytes == kDefaultMaxObjectBytes;
  }
  // What is kept, as text: empty where that is everything. Equal for informers that hold the same
  // bytes.
  [[nodiscard]] std::string Kept() const {
    std::string text = drop_managed_fields ? "without managedFields" : "";
    if (!projection.empty()) text += (text.empty() ? "" : ", ") + projection.ToString();
    return text;
  }
};

}  // namespace kinformer

#endif  // KINFORMER_ENTRY_OPTIONS_H_
