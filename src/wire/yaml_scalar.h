// wire/yaml_scalar.h
//
// Meaning of plain scalars, for the reader and the writer of YAML: YAML 1.1 as in Go's yaml.v2,
// which kubectl and the API server use. Pure functions.

#ifndef KINFORMER_WIRE_YAML_SCALAR_H_
#define KINFORMER_WIRE_YAML_SCALAR_H_

#include <optional>
#include <string>
#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::yaml {

// Returns null, a boolean, a number, or the text itself; nullopt for numbers without a JSON form,
// .inf and .nan. A number keeps its digits where JSON allows them.
std::optional<json::Value> ResolvePlain(const std::string& text);

// Whether every number in the value fits a double. YAML reads one that does not as a text.
bool NumbersFit(const json::Value& value);

// Whether readers of YAML 1.1 read the unquoted text as this same text: it is no keyword, number or
// date, and no number in base 60 (12:30), which some other readers accept.
bool ReadsAsText(const std::string& text);

// Whether the text is a date, or a date and a time. In JSON it is a string.
bool IsTimestamp(std::string_view text);

// Whether the number has neither a fraction nor an exponent.
bool IsInteger(const json::Value& value);

// Formats a number as the name of a member: integers of up to 64 bits unchanged, others with the
// shortest digits of a float32 (1.5, 1e+06).
std::string NumberKey(const json::Value& number);

// Decodes the text of !!binary: base64 with padding, in any lines. nullopt if it is invalid.
std::optional<std::string> DecodeBinary(std::string_view text);

}  // namespace kinformer::yaml

#endif  // KINFORMER_WIRE_YAML_SCALAR_H_
