// wire/json_index.h
//
// IndexJson: where the tokens of a JSON text begin, many bytes at a time.

#ifndef KINFORMER_WIRE_JSON_INDEX_H_
#define KINFORMER_WIRE_JSON_INDEX_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace kinformer::wire {

// The position of every bracket, comma and colon outside strings, of every string's first quote and
// of every other scalar's first byte, ascending. Behind a string's last quote nothing but blanks
// stands before the next position.
//
// Empty where the text is not UTF-8, a string is not closed or has control characters in it, or the
// text is longer than 1 MiB: then it has to be read byte by byte, by who can say what is wrong. The
// grammar is not checked.
//
// Thread-safe. The positions hold until the thread's next call.
std::span<const std::uint32_t> IndexJson(std::string_view text) noexcept;

// Whether all of the text is UTF-8.
bool IsUtf8(std::string_view text) noexcept;

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_INDEX_H_
