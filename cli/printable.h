// cli/printable.h
//
// What others wrote, on its way to a terminal: a name may hold the codes that move its cursor,
// rename its window or type for the user.

#ifndef KINFORMER_CLI_PRINTABLE_H_
#define KINFORMER_CLI_PRINTABLE_H_

#include <string>
#include <string_view>

namespace kinformer::cli {

// The text with a blank for each control character: C0, DEL, C1 (U+0080 to U+009F), and bytes that
// are not UTF-8, which an older terminal may take for C1.
std::string Printable(std::string_view text);

// JSON text with DEL and C1 as escapes. It means the same, and the others are escapes anyway.
std::string PrintableJson(std::string_view json);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_PRINTABLE_H_
