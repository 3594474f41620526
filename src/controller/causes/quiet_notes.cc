#include "controller/causes/quiet_notes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace kinformer::internal {
namespace {

using Word = std::atomic<std::uint64_t>;
constexpr std::size_t kWord = sizeof(std::uint64_t);

std::string TextAt(const Word* words, std::size_t size) {
  std::string text(size, ' ');
  std::size_t at = 0;
  for (; at + kWord < size; at += kWord, ++words) {
    const std::uint64_t word = words->load(std::memory_order_acquire);
    std::memcpy(text.data() + at, &word, kWord);
  }
  const std::uint64_t last = words->load(std::memory_order_acquire);
  std::memcpy(text.data() + size - kWord, &last, kWord);
  return text;
}

}  // namespace

std::optional<QuietNote> QuietNotes::Read(const Place& place) {
  // The worker writes for some nanoseconds, unless it has lost its core in the middle of them.
  constexpr int kMostTries = 8;
  for (int i = 0; i < kMostTries; ++i) {
    const std::uint64_t version = place.version.load(std::memory_order_acquire);
    if (version % 2 != 0) continue;
    const std::uint64_t took = place.took.load(std::memory_order_acquire);
    if (took == kNothing) return std::nullopt;
    QuietNote note;
    note.running = took == kRuns;
    if (!note.running) note.took = Duration(static_cast<Duration::rep>(took));
    note.begun = SteadyTime(
        Duration(static_cast<Duration::rep>(place.begun.load(std::memory_order_acquire))));
    std::array<std::uint64_t, sizeof(CauseFacts) / kWord> cause{};
    for (std::size_t at = 0; at < cause.size(); ++at) {
      cause[at] = place.cause[at].load(std::memory_order_acquire);
    }
    note.cause = std::bit_cast<CauseFacts>(cause);
    note.id = TextAt(place.id.data(), kIdSize);
    const std::size_t size = place.key_size.load(std::memory_order_acquire);
    note.key = TextAt(place.key.data(), std::clamp(size, kWord, kLongestKey));
    if (place.version.load(std::memory_order_relaxed) == version) return note;
  }
  return std::nullopt;
}

std::vector<QuietNote> QuietNotes::All() const {
  std::vector<QuietNote> all;
  std::optional<QuietNote> running;
  const auto next =
      static_cast<std::size_t>(next_.load(std::memory_order_acquire) - places_.data());
  for (std::size_t i = 0; i < kMost; ++i) {
    std::optional<QuietNote> note = Read(places_[(next + i) % kMost]);
    if (!note) continue;
    if (note->running) {
      running = std::move(note);
    } else {
      all.push_back(*std::move(note));
    }
  }
  if (running) all.push_back(*std::move(running));
  return all;
}

std::optional<QuietNote> QuietNotes::Running() const {
  std::optional<QuietNote> note = Read(*next_.load(std::memory_order_acquire));
  if (note && !note->running) note.reset();
  return note;
}

}  // namespace kinformer::internal
