#include "apiserver/builtin/required_table.h"

namespace kinformer::apiserver {
namespace {

constexpr RequiredRow kRows[] = {
#include "apiserver/builtin/required_table.inc"
};

}  // namespace

std::span<const RequiredRow> RequiredRows() { return kRows; }

}  // namespace kinformer::apiserver
