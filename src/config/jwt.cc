#include "config/jwt.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "kinformer/json/json.h"

#include "object/values/text_forms.h"

namespace kinformer::internal::config {

std::optional<WallTime> JwtExpiry(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t second = first == token.npos ? token.npos : token.find('.', first + 1);
  if (second == token.npos) return std::nullopt;
  // base64url, without padding.
  std::string claims(token.substr(first + 1, second - first - 1));
  for (char& c : claims) {
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  claims.append((4 - claims.size() % 4) % 4, '=');
  const auto parsed = json::Parse(Base64Decode(claims).value_or(std::string()));
  if (!parsed) return std::nullopt;
  const json::Value& end = parsed->At("/exp");
  std::optional<double> seconds = end.AsDouble();
  if (!seconds && end.is_string()) {
    // Some issuers write the number as a text, which client-go reads, too.
    if (const auto number = json::Parse(end.StringOrEmpty())) seconds = number->AsDouble();
  }
  if (!seconds) return std::nullopt;
  // Times beyond the range of WallTime become its maximum.
  constexpr double kLast =
      std::chrono::duration<double>(WallTime::max().time_since_epoch()).count();
  if (*seconds >= kLast) return WallTime::max();
  if (*seconds <= -kLast) return WallTime::min();
  return WallTime(std::chrono::seconds(static_cast<std::int64_t>(*seconds)));
}

}  // namespace kinformer::internal::config
