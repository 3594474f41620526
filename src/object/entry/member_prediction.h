// object/entry/member_prediction.h
//
// Predictions that make the fast reader quick when objects are alike: names compared in one step,
// the order of members in the last object, and the date that was read last.

#ifndef KINFORMER_OBJECT_ENTRY_MEMBER_PREDICTION_H_
#define KINFORMER_OBJECT_ENTRY_MEMBER_PREDICTION_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "object/values/text_forms.h"

namespace kinformer::internal {

// A member's name as written in compact JSON: with its quotes and the colon.
class MemberName {
 public:
  // Number of bytes that IsAt reads.
  static constexpr std::ptrdiff_t kRoom = 32;

  // REQUIRES: name.size() + 3 <= kRoom.
  constexpr explicit MemberName(std::string_view name) : name_(name) {
    std::array<char, kRoom> text{};
    std::array<unsigned char, kRoom> mask{};
    text[0] = text[name.size() + 1] = '"';
    text[name.size() + 2] = ':';
    for (std::size_t i = 0; i < name.size(); ++i) text[i + 1] = name[i];
    for (std::size_t i = 0; i < size(); ++i) mask[i] = 0xff;
    text_ = std::bit_cast<Words>(text);
    mask_ = std::bit_cast<Words>(mask);
  }

  [[nodiscard]] constexpr std::string_view name() const { return name_; }
  [[nodiscard]] constexpr std::size_t size() const { return name_.size() + 3; }

  // Reads kRoom bytes, whatever the name's size, so that no branch depends on the size.
  [[nodiscard]] bool IsAt(const char* at) const noexcept {
    const auto differs = [this, at](std::size_t i) {
      std::uint64_t word = 0;
      std::memcpy(&word, at + 8 * i, sizeof(word));
      return (word ^ text_[i]) & mask_[i];
    };
    return (differs(0) | differs(1) | differs(2) | differs(3)) == 0;
  }

 private:
  using Words = std::array<std::uint64_t, kRoom / 8>;

  std::string_view name_;
  Words text_{};
  Words mask_{};
};

template <class... Name>
constexpr std::array<MemberName, sizeof...(Name)> NamesOf(const Name&... names) {
  return {MemberName(names)...};
}

// Remembers which member followed which in the last object. Starts with the order of the table.
template <std::size_t kCount>
class MemberOrder {
 public:
  MemberOrder() {
    for (std::size_t i = 0; i < kCount; ++i) {
      next_[i] = static_cast<std::uint8_t>((i + 1) % kCount);
    }
  }
  // Pass kCount to ask for the first member.
  [[nodiscard]] std::size_t After(std::size_t previous) const { return next_[previous]; }
  void Learn(std::size_t previous, std::size_t which) {
    next_[previous] = static_cast<std::uint8_t>(which);
  }

 private:
  std::array<std::uint8_t, kCount + 1> next_{};
};

// True for an integer in plain JSON form; the tape reads other numbers.
inline bool IsPlainInteger(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Parses times as ParseRfc3339 does, but faster when the day is the same as in the last time.
class TimePrediction {
 public:
  std::optional<TimeStamp> operator()(std::string_view text) {
    if (text.size() == kSize && std::memcmp(text.data(), day_, kDay) == 0) [[likely]] {
      // "2026-11-02T08:15:00Z"
      const std::uint32_t hour = Number(text, 11, 24);
      const std::uint32_t minute = Number(text, 14, 60);
      const std::uint32_t second = Number(text, 17, 60);
      const bool is_time = text[13] == ':' && text[16] == ':' && text[19] == 'Z';
      if (is_time && (hour | minute | second) < 64) {
        return TimeStamp{.seconds = midnight_ + 3600 * hour + 60 * minute + second, .nanos = 0};
      }
    }
    return Parse(text);
  }

 private:
  static constexpr std::size_t kSize = 20;
  static constexpr std::size_t kDay = 11;  // with its 'T'

  // Returns the number of two digits, or 64 if they are not digits or not below `limit`.
  static std::uint32_t Number(std::string_view text, std::size_t at, std::uint32_t limit) {
    const auto tens = static_cast<std::uint32_t>(static_cast<unsigned char>(text[at])) - '0';
    const auto ones = static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + 1])) - '0';
    const std::uint32_t value = tens * 10 + ones;
    return tens < 10 && ones < 10 && value < limit ? value : 64;
  }

  std::optional<TimeStamp> Parse(std::string_view text) {
    const std::optional<TimeStamp> time = ParseRfc3339(text);
    if (time && text.size() == kSize && text.back() == 'Z') {
      std::memcpy(day_, text.data(), kDay);
      midnight_ = time->seconds - ((time->seconds % 86400) + 86400) % 86400;
    }
    return time;
  }

  char day_[kDay] = {};
  std::int64_t midnight_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_ENTRY_MEMBER_PREDICTION_H_
