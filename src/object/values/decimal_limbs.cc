#include "object/values/decimal_limbs.h"

#include <algorithm>

namespace kinformer::internal {
namespace {

void Trim(Limbs& limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
}

std::uint32_t PowerOfTen(std::size_t digits) {
  std::uint32_t power = 1;
  for (; digits > 0; --digits) power *= 10;
  return power;
}

}  // namespace

Limbs LimbsOf(std::string_view digits) {
  Limbs limbs;
  limbs.reserve(digits.size() / kLimbDigits + 1);
  while (!digits.empty()) {
    const std::size_t size = std::min(digits.size(), kLimbDigits);
    std::uint32_t limb = 0;
    for (const char c : digits.substr(digits.size() - size)) {
      limb = limb * 10 + static_cast<std::uint32_t>(c - '0');
    }
    limbs.push_back(limb);
    digits.remove_suffix(size);
  }
  Trim(limbs);
  return limbs;
}

std::string LimbDigits(const Limbs& limbs) {
  if (limbs.empty()) return "0";
  std::string text = std::to_string(limbs.back());
  for (std::size_t i = limbs.size() - 1; i-- > 0;) {
    const std::string limb = std::to_string(limbs[i]);
    text.append(kLimbDigits - limb.size(), '0');
    text += limb;
  }
  return text;
}

void MultiplyLimbs(Limbs& limbs, std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& limb : limbs) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry % kLimbBase);
    carry /= kLimbBase;
  }
  for (; carry != 0; carry /= kLimbBase) {
    limbs.push_back(static_cast<std::uint32_t>(carry % kLimbBase));
  }
}

std::uint32_t DivideLimbs(Limbs& limbs, std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    rest = rest * kLimbBase + limbs[i];
    limbs[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  Trim(limbs);
  return static_cast<std::uint32_t>(rest);
}

void ShiftUp(Limbs& limbs, std::size_t digits) {
  if (limbs.empty()) return;
  MultiplyLimbs(limbs, PowerOfTen(digits % kLimbDigits));
  limbs.insert(limbs.begin(), digits / kLimbDigits, 0);
}

void ShiftDown(Limbs& limbs, std::size_t digits) {
  const std::size_t whole = std::min(digits / kLimbDigits, limbs.size());
  const auto kept = limbs.begin() + static_cast<std::ptrdiff_t>(whole);
  bool rest = std::any_of(limbs.begin(), kept, [](std::uint32_t limb) { return limb != 0; });
  limbs.erase(limbs.begin(), kept);
  rest = DivideLimbs(limbs, PowerOfTen(digits % kLimbDigits)) != 0 || rest;
  if (rest) AddLimbs(limbs, {1});
}

void AddLimbs(Limbs& limbs, const Limbs& other) {
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < other.size() || carry != 0; ++i) {
    if (i == limbs.size()) limbs.push_back(0);
    const std::uint32_t sum = limbs[i] + (i < other.size() ? other[i] : 0) + carry;
    carry = sum >= kLimbBase ? 1 : 0;
    limbs[i] = sum - carry * kLimbBase;
  }
}

void SubtractLimbs(Limbs& limbs, const Limbs& other) {
  std::uint32_t borrow = 0;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    const std::uint32_t less = (i < other.size() ? other[i] : 0) + borrow;
    borrow = limbs[i] < less ? 1 : 0;
    limbs[i] = limbs[i] + borrow * kLimbBase - less;
  }
  Trim(limbs);
}

std::strong_ordering CompareLimbs(const Limbs& a, const Limbs& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] <=> b[i];
  }
  return std::strong_ordering::equal;
}

}  // namespace kinformer::internal
