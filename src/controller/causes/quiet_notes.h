// controller/causes/quiet_notes.h
//
// QuietNotes: the last reconciles of one worker that came to nothing but success. The worker writes
// them, others read them, and neither waits for the other.

#ifndef KINFORMER_CONTROLLER_CAUSES_QUIET_NOTES_H_
#define KINFORMER_CONTROLLER_CAUSES_QUIET_NOTES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/cause_note.h"

namespace kinformer::internal {

// A reconcile that runs, or has come to nothing but success.
struct QuietNote {
  std::string key{};
  std::string id{};
  SteadyTime begun{};
  Duration took{};
  CauseFacts cause{};
  bool running = false;
};

// Each place has a version, which is odd while the worker writes it. A reader sees by that whether
// what it has read is of one piece. All words are atomic, so no memory is shared without order; on
// x86 and arm they are plain moves.
class QuietNotes {
 public:
  static constexpr std::size_t kMost = 128;
  static constexpr std::size_t kLongestKey = 160;
  static constexpr std::size_t kIdSize = 36;  // a UUID

  // ---- For the worker.
  // Notes a reconcile that runs, in the place of the oldest one. Returns false, and notes nothing,
  // if the key is unusually short or long, or the id is no UUID.
  bool Began(std::string_view key, std::string_view id, SteadyTime begun, const CauseFacts& cause) {
    if (key.size() < kWord || key.size() > kLongestKey || id.size() != kIdSize) return false;
    Place& place = *next_.load(std::memory_order_relaxed);
    const std::uint64_t version = place.version.load(std::memory_order_relaxed);
    place.version.store(version + 1, std::memory_order_relaxed);
    // A reader that sees one of these sees the odd version, too.
    place.took.store(kRuns, std::memory_order_release);
    place.begun.store(static_cast<std::uint64_t>(begun.time_since_epoch().count()),
                      std::memory_order_release);
    place.key_size.store(key.size(), std::memory_order_release);
    SetWords(place.cause, reinterpret_cast<const char*>(&cause), sizeof(cause));
    SetWords(place.id, id.data(), kIdSize);
    Word* word = place.key.data();
    const char* const last = key.data() + key.size() - kWord;
    for (const char* at = key.data(); at < last; at += kWord, ++word) {
      word->store(WordAt(at), std::memory_order_release);
    }
    word->store(WordAt(last), std::memory_order_release);
    place.version.store(version + 2, std::memory_order_release);
    return true;
  }
  // Note that it has ended: quietly, so that it stays, or otherwise.
  void Ended(Duration took) {
    Place* const place = next_.load(std::memory_order_relaxed);
    place->took.store(static_cast<std::uint64_t>(took.count()), std::memory_order_release);
    next_.store(place == &places_.back() ? &places_.front() : place + 1, std::memory_order_release);
  }
  void Dropped() {
    next_.load(std::memory_order_relaxed)->took.store(kNothing, std::memory_order_release);
  }

  // ---- For all.
  // Returns them, oldest first. One that is replaced at this moment may be missing.
  [[nodiscard]] std::vector<QuietNote> All() const;
  // Returns the one that runs; empty: there is none.
  [[nodiscard]] std::optional<QuietNote> Running() const;

 private:
  using Word = std::atomic<std::uint64_t>;
  static constexpr std::size_t kWord = sizeof(std::uint64_t);
  // Values in the place of the time that it took.
  static constexpr std::uint64_t kNothing = UINT64_MAX;
  static constexpr std::uint64_t kRuns = UINT64_MAX - 1;

  static_assert(sizeof(CauseFacts) % kWord == 0 && kLongestKey % kWord == 0, "whole words");
  // Texts end with their last eight bytes, some of them once more: no word is written in parts.
  struct Place {
    Word version{};
    Word took{kNothing};
    Word begun{};
    Word key_size{};
    std::array<Word, sizeof(CauseFacts) / kWord> cause{};
    std::array<Word, kIdSize / kWord + 1> id{};
    std::array<Word, kLongestKey / kWord + 1> key{};
  };

  static std::uint64_t WordAt(const char* bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, kWord);
    return word;
  }
  // Without a loop, since all sizes are constants.
  template <std::size_t kWords>
  [[gnu::always_inline]] static void SetWords(std::array<Word, kWords>& words, const char* bytes,
                                              std::size_t size) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::size_t at = i + 1 < kWords ? i * kWord : size - kWord;
      words[i].store(WordAt(bytes + at), std::memory_order_release);
    }
  }
  static std::optional<QuietNote> Read(const Place& place);

  std::array<Place, kMost> places_{};
  std::atomic<Place*> next_{places_.data()};  // where the next one goes, or the one that runs is
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_CAUSES_QUIET_NOTES_H_
