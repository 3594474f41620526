// wire/yaml_scalar.h
//
// What a plain scalar stands for, to the reader and to the writer of YAML: YAML 1.1 as the yaml.v2
// of Go has it, through which kubectl and the API server read and write. Pure functions.

#ifndef KINFORMER_WIRE_YAML_SCALAR_H_
#define KINFORMER_WIRE_YAML_SCALAR_H_

#include <optional>
#include <string>
#include <string_view>

#include "kinformer/json.h"

namespace kinformer::yaml {

// Null, a boolean, a number, or else the text itself; nothing for the numbers that JSON has no form
// for, .inf and .nan. A number is kept in its own digits where JSON allows them.
std::optional<json::Value> ResolvePlain(const std::string& text);

// Whether every number in the value fits a float. One that does not is a text to YAML.
bool NumbersFit(const json::Value& value);

// Whether readers of YAML 1.1 take the text, standing without quotes, for this same text: it is no
// word and no number, no date, and no number in base 60 (12:30), which only other readers know.
bool ReadsAsText(const std::string& text);

// Whether it is a date, or a date and a time: a text to JSON.
bool IsTimestamp(std::string_view text);

// A number without a fraction and an exponent.
bool IsInteger(const json::Value& value);

// A number as the name of a member: integers that 64 bits hold as they are, others as the shortest
// digits of a float32 (1.5, 1e+06).
std::string NumberKey(const json::Value& number);

// What stands behind !!binary: base64 with its padding, lines as they like. Nothing: it is none.
std::optional<std::string> DecodeBinary(std::string_view text);

}  // namespace kinformer::yaml

#endif  // KINFORMER_WIRE_YAML_SCALAR_H_
