#include "cel/semver.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text/go_text.h"

namespace kinformer::internal::cel {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool AreDigits(std::string_view text) { return std::ranges::all_of(text, IsDigit); }
bool AreWordSigns(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}
bool HasLeadingZeroes(std::string_view text) { return text.size() > 1 && text.front() == '0'; }

Error Refused(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }
Error Refused(const std::string& problem, std::string_view text) {
  return Refused(problem + " " + base::GoQuoted(text));
}

std::vector<std::string_view> Split(std::string_view text, std::size_t most) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < most) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) break;
    parts.push_back(text.substr(0, dot));
    text.remove_prefix(dot + 1);
  }
  parts.push_back(text);
  return parts;
}

Result<std::uint64_t> NumberOf(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc()) return number;
  const bool range = error == std::errc::result_out_of_range;
  return Refused("strconv.ParseUint: parsing " + base::GoQuoted(digits) +
                 (range ? ": value out of range" : ": invalid syntax"));
}

Result<std::uint64_t> Part(std::string_view text, std::string_view name) {
  const std::string lower(name);
  if (!AreDigits(text)) return Refused("Invalid character(s) found in " + lower + " number", text);
  if (HasLeadingZeroes(text)) {
    std::string upper = lower;
    upper.front() = static_cast<char>(upper.front() - 'a' + 'A');
    return Refused(upper + " number must not contain leading zeroes", text);
  }
  return NumberOf(text);
}

// Returns what is wrong with an identifier of a prerelease.
std::optional<Error> Wrong(std::string_view text) {
  if (text.empty()) return Refused("Prerelease is empty");
  if (AreDigits(text)) {
    if (HasLeadingZeroes(text)) {
      return Refused("Numeric PreRelease version must not contain leading zeroes", text);
    }
    const auto number = NumberOf(text);
    if (!number) return number.error();
    return std::nullopt;
  }
  if (AreWordSigns(text)) return std::nullopt;
  return Refused("Invalid character(s) found in prerelease", text);
}

// Takes what follows the sign out of the text; nullopt if the sign is not there.
std::optional<std::string_view> TakeAfter(char sign, std::string_view& text) {
  const std::size_t at = text.find(sign);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view after = text.substr(at + 1);
  text = text.substr(0, at);
  return after;
}

// Numbers come before words.
std::weak_ordering CompareIdentifiers(const std::string& a, const std::string& b) {
  const bool number = AreDigits(a);
  if (number != AreDigits(b)) {
    return number ? std::weak_ordering::less : std::weak_ordering::greater;
  }
  if (number && a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

}  // namespace

Result<Semver> ParseSemver(std::string_view text) {
  constexpr std::array<std::string_view, 3> kNames = {"major", "minor", "patch"};
  if (text.empty()) return Refused("Version string empty");
  std::vector<std::string_view> parts = Split(text, kNames.size());
  if (parts.size() != kNames.size()) return Refused("No Major.Minor.Patch elements found");
  const auto build = TakeAfter('+', parts[2]);
  const auto prerelease = TakeAfter('-', parts[2]);
  Semver out;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const auto number = Part(parts[i], kNames[i]);
    if (!number) return number.error();
    out.numbers[i] = *number;
  }
  if (prerelease) {
    for (const std::string_view each : Split(*prerelease, std::string_view::npos)) {
      if (const auto wrong = Wrong(each)) return *wrong;
      out.prerelease.emplace_back(each);
    }
  }
  if (build) {
    for (const std::string_view each : Split(*build, std::string_view::npos)) {
      if (each.empty()) return Refused("Build meta data is empty");
      if (!AreWordSigns(each)) {
        return Refused("Invalid character(s) found in build meta data", each);
      }
      out.build.emplace_back(each);
    }
  }
  return out;
}

Result<std::string> NormalSemver(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::vector<std::string_view> parts = Split(text, 3);
  std::string out;
  for (std::string_view part : parts) {
    bool zero = false;
    if (part.size() > 1) {
      part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
      zero = part.empty() || !IsDigit(part.front());
    }
    out.append(out.empty() ? "" : ".").append(zero ? "0" : "").append(part);
  }
  if (parts.size() == 3) return out;
  if (parts.back().find_first_of("+-") != std::string_view::npos) {
    return Refused("short version cannot contain PreRelease/Build meta data");
  }
  for (std::size_t i = parts.size(); i < 3; ++i) out += ".0";
  return out;
}

std::weak_ordering CompareSemvers(const Semver& a, const Semver& b) {
  if (a.numbers != b.numbers) return a.numbers <=> b.numbers;
  if (a.prerelease.empty() != b.prerelease.empty()) {
    return a.prerelease.empty() ? std::weak_ordering::greater : std::weak_ordering::less;
  }
  return std::lexicographical_compare_three_way(a.prerelease.begin(), a.prerelease.end(),
                                                b.prerelease.begin(), b.prerelease.end(),
                                                CompareIdentifiers);
}

std::string SemverText(const Semver& version) {
  std::string out = std::to_string(version.numbers[0]);
  out.append(".").append(std::to_string(version.numbers[1]));
  out.append(".").append(std::to_string(version.numbers[2]));
  const auto add = [&](char sign, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) {
      out += sign;
      out += part;
      sign = '.';
    }
  };
  add('-', version.prerelease);
  add('+', version.build);
  return out;
}

}  // namespace kinformer::internal::cel
