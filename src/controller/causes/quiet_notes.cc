#include "controller/causes/quiet_notes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace kinformer::internal {
namespace {

using Word = std::atomic<std::uint64_t>;
constexpr std::size_t kWord = sizeof(std::uint64_t);

std::uint64_t WordAt(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, kWord);
  return word;
}

// Sets words to a text of at least eight bytes. The words before the last are whole; who sees one
// of them sees the odd version, too.
inline void SetText(Word* words, std::string_view text) {
  const char* at = text.data();
  const char* const last = at + text.size() - kWord;
  for (; at < last; at += kWord, ++words) words->store(WordAt(at), std::memory_order_release);
  words->store(WordAt(last), std::memory_order_release);
}

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

bool QuietNotes::Began(std::string_view key, std::string_view id, SteadyTime begun,
                       const CauseFacts& cause) {
  if (key.size() < kWord || key.size() > kLongestKey || id.size() != kIdSize) return false;
  Place& place = *next_.load(std::memory_order_relaxed);
  const std::uint64_t version = place.version.load(std::memory_order_relaxed);
  place.version.store(version + 1, std::memory_order_relaxed);
  place.took.store(kRuns, std::memory_order_release);
  place.begun.store(static_cast<std::uint64_t>(begun.time_since_epoch().count()),
                    std::memory_order_release);
  place.key_size.store(key.size(), std::memory_order_release);
  for (std::size_t i = 0; i < place.cause.size(); ++i) {
    place.cause[i].store(WordAt(reinterpret_cast<const char*>(&cause) + i * kWord),
                         std::memory_order_release);
  }
  SetText(place.id.data(), {id.data(), kIdSize});
  SetText(place.key.data(), key);
  place.version.store(version + 2, std::memory_order_release);
  return true;
}

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
