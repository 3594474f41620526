#include "apiserver/builtin/data_keys.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestKey = 253;

constexpr std::string_view kKeyText =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

bool IsKeyChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

// Returns the rule that the key breaks; empty if none.
std::string BrokenKeyRule(std::string_view key) {
  if (key.size() > kLongestKey) {
    return "must be no more than " + std::to_string(kLongestKey) + " characters";
  }
  if (key.empty() || !std::all_of(key.begin(), key.end(), IsKeyChar)) return std::string(kKeyText);
  if (key == "." || key == "..") return "must not be '" + std::string(key) + "'";
  return key.starts_with("..") ? "must not start with '..'" : "";
}

// Returns the size of decoded base64.
std::size_t DecodedSize(std::string_view text) {
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return text.size() / 4 * 3 - padding;
}

void CheckKey(std::string_view member, const std::string& key, std::vector<StatusCause>& causes) {
  if (AreEnough(causes)) return;
  const std::string rule = BrokenKeyRule(key);
  if (rule.empty()) return;
  causes.push_back(
      InvalidValue(std::string(member) + "[" + key + "]", json::Value(key).Dump(), rule));
}

void CheckSize(std::size_t bytes, const char* field, std::vector<StatusCause>& causes) {
  if (bytes <= kMostBytes) return;
  causes.push_back(
      {.reason = "FieldValueTooLong",
       .message = "Too long: may not be more than " + std::to_string(kMostBytes) + " bytes",
       .field = field});
}

void CheckConfigMap(const json::Value& map, std::vector<StatusCause>& causes) {
  std::size_t bytes = 0;
  const json::Value& binary = map["binaryData"];
  for (const auto& [key, value] : map["data"].members()) {
    CheckKey("data", key, causes);
    if (!AreEnough(causes) && binary.contains(key)) {
      causes.push_back(InvalidValue("data[" + key + "]", json::Value(key).Dump(),
                                    "duplicate of key present in binaryData"));
    }
    bytes += value.StringOrEmpty().size();
  }
  for (const auto& [key, value] : binary.members()) {
    CheckKey("binaryData", key, causes);
    bytes += DecodedSize(value.StringOrEmpty());
  }
  // A real server reports no field name for the sum of both.
  CheckSize(bytes, "[]", causes);
}

void CheckSecret(const json::Value& secret, std::vector<StatusCause>& causes) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : secret["data"].members()) {
    CheckKey("data", key, causes);
    bytes += DecodedSize(value.StringOrEmpty());
  }
  CheckSize(bytes, "data", causes);
}

}  // namespace

void ValidateData(const ServedResource& resource, const json::Value& object,
                  std::vector<StatusCause>& causes) {
  if (resource.Is("", "configmaps")) CheckConfigMap(object, causes);
  if (resource.Is("", "secrets")) CheckSecret(object, causes);
}

}  // namespace kinformer::apiserver
