// cli/printable.h
//
// Escapes what others wrote, on its way to a terminal: texts, and JSON, which stays JSON.

#ifndef KINFORMER_CLI_PRINTABLE_H_
#define KINFORMER_CLI_PRINTABLE_H_

#include <string>
#include <string_view>

#include "base/core/printable.h"

namespace kinformer::cli {

// In one line, with escapes for what a terminal would obey.
using internal::base::Printable;

// JSON text with what base/core/printable.h calls unprintable as escapes, but for the ends of its
// lines. It means the same.
std::string PrintableJson(std::string_view json);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_PRINTABLE_H_
