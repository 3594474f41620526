#include "transport/query.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <strings.h>

#include "base/text/number_in.h"

namespace kinformer::internal::transport {

void PercentEncode(std::string_view text, std::string_view plain, std::string& out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : text) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      plain.find(c) != std::string_view::npos;
    if (kept) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

bool PercentDecode(std::string_view text, bool plus_is_space, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size()) return false;
      const char* const digits = text.data() + i + 1;
      unsigned byte = 0;
      if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return false;
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return true;
}

Query::Query(std::string_view encoded) {
  while (!encoded.empty()) {
    const std::string_view pair = encoded.substr(0, encoded.find('&'));
    encoded.remove_prefix(std::min(encoded.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    std::string name;
    std::string value;
    // Pairs that cannot be decoded are dropped, as by Go's url.Values.
    if (!PercentDecode(pair.substr(0, equals), true, name)) continue;
    if (equals != std::string_view::npos && !PercentDecode(pair.substr(equals + 1), true, value))
      continue;
    values_.emplace_back(std::move(name), std::move(value));
  }
}

bool Query::Has(std::string_view name) const {
  return std::any_of(values_.begin(), values_.end(),
                     [&](const auto& v) { return v.first == name; });
}

std::string_view Query::Get(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return value;
  }
  return {};
}

std::vector<std::string> Query::All(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [key, value] : values_) {
    if (key == name) out.push_back(value);
  }
  return out;
}

std::optional<bool> Query::GetBool(std::string_view name) const {
  if (!Has(name)) return std::nullopt;
  const std::string_view value = Get(name);
  constexpr std::string_view kFalse = "false";
  const bool is_false =
      value.size() == kFalse.size() && strncasecmp(value.data(), kFalse.data(), kFalse.size()) == 0;
  return value != "0" && !is_false;
}

Result<std::optional<std::int64_t>> Query::GetInt(std::string_view name) const {
  const std::string_view text = Get(name);
  if (text.empty()) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> value = base::NumberIn(text);
  if (!value) {
    return Error(Reason::kBadRequest, "query parameter " + std::string(name) + "=\"" +
                                          std::string(text) + "\" is not an integer");
  }
  return value;
}

void Query::Set(std::string_view name, std::string_view value) {
  for (auto& [key, old] : values_) {
    if (key == name) {
      old = value;
      return;
    }
  }
  values_.emplace_back(name, value);
}

}  // namespace kinformer::internal::transport
