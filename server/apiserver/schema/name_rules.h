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

namespace kinformer::apiserver {

// Rule for an object's name.
enum class NameRule : std::uint8_t { kSubdomain, kLabel, kPathSegment };

inline constexpr std::size_t kMaxLabel = 63;

// Returns the rule that the name breaks; empty if none.
std::string BrokenRule(NameRule rule, std::string_view name);

// RFC 1123: lower case letters, digits and '-'.
bool IsDns1123Label(std::string_view text);
inline constexpr std::string_view kDns1123LabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

// The same, beginning with a letter: the rule for the names of kinds and versions.
bool IsDns1035Label(std::string_view text);
inline constexpr std::string_view kDns1035LabelText =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

// The rule for the value of a label, and for the part of a qualified name after the slash.
bool IsQualifiedPart(std::string_view text);
inline constexpr std::string_view kLabelValueText =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

// The rule for the key of a label: "name" or "example.com/name".
bool IsQualifiedName(std::string_view text);
inline constexpr std::string_view kQualifiedNameText =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

std::string LowerCase(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SCHEMA_NAME_RULES_H_
