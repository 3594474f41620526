// wire/utf16.h
//
// Texts from Windows editors: UTF-16 with a byte order mark.

#ifndef KINFORMER_WIRE_UTF16_H_
#define KINFORMER_WIRE_UTF16_H_

#include <optional>
#include <string>
#include <string_view>

namespace kinformer::wire {

// Whether the text begins with a byte order mark of UTF-16.
bool IsUtf16(std::string_view text);

// Returns the text in UTF-8 without the mark; nullopt for half a character. REQUIRES: IsUtf16.
std::optional<std::string> Utf8FromUtf16(std::string_view text);

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_UTF16_H_
