// std::format of values that need the whole library: compiled, not run.

#include <format>

#include "kinformer/interop/format.h"

#include "interop/further_values.h"

namespace kinformer::testing {

std::vector<TextRow> FurtherRows() {
  return RowsOfFurtherValues([](const auto& value) { return std::format("{}", value); });
}

}  // namespace kinformer::testing
