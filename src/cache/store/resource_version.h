// cache/store/resource_version.h
//
// The order of resourceVersions. Counterpart: apimachinery's util/resourceversion.

#ifndef KINFORMER_CACHE_STORE_RESOURCE_VERSION_H_
#define KINFORMER_CACHE_STORE_RESOURCE_VERSION_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace kinformer::internal::cache {

// Returns whether all bytes of a word are digits.
template <class Word>
bool HasDigitsOnly(const char* bytes) {
  constexpr Word kEach = static_cast<Word>(0x0101010101010101U);
  Word word = 0;
  std::memcpy(&word, bytes, sizeof(Word));
  // '0' to '9' are 0x30 to 0x39; with 6 more they are below 0x40. Other bytes that begin with 3 are
  // not, and do not carry.
  return (word & (kEach * 0xf0)) == kEach * 0x30 &&
         ((word + kEach * 6) & (kEach * 0xf0)) == kEach * 0x30;
}

// Returns whether it has digits only, is not empty and does not start with 0. Any length.
inline bool IsWellFormedResourceVersion(std::string_view rv) {
  if (rv.empty() || rv.front() == '0') return false;
  // Several are read for each event: by words, of which the last two may overlap.
  const char* at = rv.data();
  const char* const end = at + rv.size();
  if (rv.size() >= sizeof(std::uint64_t)) {
    constexpr std::ptrdiff_t kWord = sizeof(std::uint64_t);
    for (; end - at > kWord; at += kWord) {
      if (!HasDigitsOnly<std::uint64_t>(at)) return false;
    }
    return HasDigitsOnly<std::uint64_t>(end - kWord);
  }
  if (rv.size() >= sizeof(std::uint32_t)) {
    return HasDigitsOnly<std::uint32_t>(at) &&
           HasDigitsOnly<std::uint32_t>(end - sizeof(std::uint32_t));
  }
  for (; at < end; ++at) {
    if (*at < '0' || *at > '9') return false;
  }
  return true;
}

// REQUIRES: both are well-formed.
inline std::strong_ordering CompareWellFormed(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

// Returns nullopt if either is malformed: those versions can only be compared for equality.
inline std::optional<std::strong_ordering> CompareResourceVersion(std::string_view a,
                                                                  std::string_view b) {
  if (!IsWellFormedResourceVersion(a) || !IsWellFormedResourceVersion(b)) return std::nullopt;
  return CompareWellFormed(a, b);
}

// Returns false also if the order of the two is unknown.
inline bool IsOlderResourceVersion(std::string_view a, std::string_view b) {
  const auto order = CompareResourceVersion(a, b);
  return order && *order == std::strong_ordering::less;
}

// Returns whether `rv` may come after `last`: a malformed one never follows a number.
inline bool MayFollow(std::string_view rv, std::string_view last) {
  if (!IsWellFormedResourceVersion(last)) return true;
  return IsWellFormedResourceVersion(rv) && CompareWellFormed(rv, last) >= 0;
}

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_RESOURCE_VERSION_H_
