// apiserver/schema/name_rules.h
//
// Rules for the kinds of names that the API has, and the messages with which API servers report
// violations.

#ifndef KINFORMER_APISERVER_SCHEMA_NAME_RULES_H_
#define KINFORMER_APISERVER_SCHEMA_NAME_RULES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cel/name_texts.h"

namespace kinformer::apiserver {

// Rule for an object's name.
enum class NameRule : std::uint8_t { kSubdomain, kLabel, kPathSegment };

inline constexpr std::size_t kMaxLabel = 63;

// Returns the rule that the name breaks; empty if none.
std::string BrokenRule(NameRule rule, std::string_view name);

// RFC 1123: lower case letters, digits and '-'.
bool IsDns1123Label(std::string_view text);
using internal::cel::kDns1123LabelText;

// The same, beginning with a letter: the rule for the names of kinds and versions.
bool IsDns1035Label(std::string_view text);
using internal::cel::kDns1035LabelText;

// The rule for the value of a label, and for the part of a qualified name after the slash.
bool IsQualifiedPart(std::string_view text);
using internal::cel::kLabelValueText;

// The rule for the key of a label: "name" or "example.com/name".
bool IsQualifiedName(std::string_view text);
using internal::cel::kQualifiedNameText;

std::string LowerCase(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_NAME_RULES_H_
