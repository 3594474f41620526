// cli/printable.h
//
// Escapes text of others for a terminal: plain texts, and JSON, which stays valid JSON.

#ifndef KINFORMER_CLI_PRINTABLE_H_
#define KINFORMER_CLI_PRINTABLE_H_

#include <string>
#include <string_view>

#include "base/core/printable.h"

namespace kinformer::cli {

// Returns one line, with escapes for codes that a terminal would obey.
using internal::base::Printable;

// Like Printable, but keeps line ends and tabs.
std::string PrintableLines(std::string_view text);

// Returns JSON with characters escaped that base/core/printable.h calls unprintable, except its
// line ends. Its meaning is unchanged.
std::string PrintableJson(std::string_view json);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_PRINTABLE_H_
