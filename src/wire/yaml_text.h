// wire/yaml_text.h
//
// Reads the four forms of a text in YAML: plain, in single and double quotes, and as a block. Lines
// are folded, and blanks and line ends kept or dropped, as in libyaml, on which Go's reader is
// based. Each function starts at the first character of the form, leaves the cursor behind its
// last, and throws a Stop if the text is invalid.

#ifndef KINFORMER_WIRE_YAML_TEXT_H_
#define KINFORMER_WIRE_YAML_TEXT_H_

#include <cstddef>
#include <string>

#include "wire/yaml_cursor.h"

namespace kinformer::yaml {

// Reads the text behind '|' or '>', deeper than column `parent`, which is -1 for a document.
std::string ReadBlockText(Cursor& in, std::ptrdiff_t parent);

// Reads a text in ' or ".
std::string ReadQuotedText(Cursor& in);

// Reads up to a comment, ": ", in a list or map in brackets (`in_flow`) also ",?[]{}", or outside
// of them a line that is not deeper than `parent`. Sets `ends_line` if it has several lines.
std::string ReadPlainText(Cursor& in, std::ptrdiff_t parent, bool in_flow, bool& ends_line);

}  // namespace kinformer::yaml

#endif  // KINFORMER_WIRE_YAML_TEXT_H_
