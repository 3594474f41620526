// wire/utf16.h
//
// Texts as editors of Windows save them: UTF-16 behind a byte order mark.

#ifndef KINFORMER_WIRE_UTF16_H_
#define KINFORMER_WIRE_UTF16_H_

#include <optional>
#include <string>
#include <string_view>

namespace kinformer::wire {

// Whether the text begins with a byte order mark of UTF-16.
bool IsUtf16(std::string_view text);

// The text in UTF-8, without its mark. Nothing: half a character. REQUIRES: IsUtf16(text).
std::optional<std::string> Utf8FromUtf16(std::string_view text);

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_UTF16_H_
