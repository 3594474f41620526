// wire/json_index.h
//
// IndexJson: finds the starts of the tokens of a JSON text, many bytes at a time.

#ifndef KINFORMER_WIRE_JSON_INDEX_H_
#define KINFORMER_WIRE_JSON_INDEX_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace kinformer::wire {

// Returns the positions of every bracket, comma and colon outside strings, of every string's first
// quote and of every other scalar's first byte, in ascending order. Between a string's last quote
// and the next position there are only blanks.
//
// Empty if the text is not UTF-8, if a string is not closed or contains control characters, or if
// the text is longer than 1 MiB: then it must be read byte by byte, by a reader that can report
// errors. The grammar is not checked.
//
// Thread-safe. The positions are valid until the thread's next call.
std::span<const std::uint32_t> IndexJson(std::string_view text) noexcept;

// Whether all of the text is UTF-8.
bool IsUtf8(std::string_view text) noexcept;

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_INDEX_H_
