#include "apiserver/builtin/defaults_table.h"

namespace kinformer::apiserver {
namespace {

constexpr DefaultRow kRows[] = {
#include "apiserver/builtin/defaults_table.inc"
};

}  // namespace

std::span<const DefaultRow> DefaultRows() { return kRows; }

}  // namespace kinformer::apiserver
