#include "apiserver/builtin/value_table.h"

namespace kinformer::apiserver {
namespace {

constexpr ValueRow kRows[] = {
#include "apiserver/builtin/value_table.inc"
};

}  // namespace

std::span<const ValueRow> ValueRows() { return kRows; }

}  // namespace kinformer::apiserver
