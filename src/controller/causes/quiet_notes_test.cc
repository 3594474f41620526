#include "controller/causes/quiet_notes.h"

#include <atomic>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace kinformer::internal {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

CauseFacts Cause(std::uint64_t version) {
  return {.now = version, .type = CauseType::kAdded, .set = true};
}
SteadyTime At(int seconds) { return SteadyTime(std::chrono::seconds(seconds)); }

// Texts of each length, with a byte that tells where it stands.
std::string TextOf(std::size_t length) {
  std::string text(length, ' ');
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

std::string Id(int number) {
  const std::string text = std::to_string(number);
  return std::string(QuietNotes::kIdSize - text.size(), '0') + text;
}

TEST(QuietNotes, TextsOfEachLength_ComeBack) {
  for (std::size_t length = 8; length <= QuietNotes::kLongestKey; ++length) {
    QuietNotes notes;
    const std::string id = Id(static_cast<int>(length));
    ASSERT_TRUE(notes.Began(TextOf(length), id, At(3), Cause(7)));
    notes.Ended(std::chrono::seconds(2));
    const std::vector<QuietNote> all = notes.All();
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].key, TextOf(length));
    EXPECT_EQ(all[0].id, id);
    EXPECT_EQ(all[0].begun, At(3));
    EXPECT_EQ(all[0].took, std::chrono::seconds(2));
    EXPECT_EQ(all[0].cause.now, 7U);
    EXPECT_FALSE(all[0].running);
  }
}

TEST(QuietNotes, UnusualTexts_AreRefused) {
  QuietNotes notes;
  EXPECT_FALSE(notes.Began(TextOf(QuietNotes::kLongestKey + 1), Id(1), At(0), {}));
  EXPECT_FALSE(notes.Began(TextOf(7), Id(1), At(0), {}));
  EXPECT_FALSE(notes.Began("default/a", "an id", At(0), {}));
  EXPECT_THAT(notes.All(), IsEmpty());
}

TEST(QuietNotes, ReconcileThatRuns_IsToldUntilItEnds) {
  QuietNotes notes;
  EXPECT_FALSE(notes.Running());
  ASSERT_TRUE(notes.Began("default/a", Id(1), At(1), Cause(1)));
  const std::optional<QuietNote> note = notes.Running();
  ASSERT_TRUE(note);
  EXPECT_EQ(note->key, "default/a");
  EXPECT_EQ(note->begun, At(1));
  ASSERT_THAT(notes.All(), SizeIs(1));
  EXPECT_TRUE(notes.All()[0].running);
  notes.Dropped();
  EXPECT_FALSE(notes.Running());
  EXPECT_THAT(notes.All(), IsEmpty());
}

TEST(QuietNotes, Oldest_MakesPlace) {
  QuietNotes notes;
  const int most = static_cast<int>(QuietNotes::kMost);
  for (int i = 0; i < most + 2; ++i) {
    ASSERT_TRUE(notes.Began("default/" + std::to_string(i), Id(i), At(i), {}));
    notes.Ended({});
  }
  ASSERT_TRUE(notes.Began("it still runs", Id(0), At(most + 2), {}));
  const std::vector<QuietNote> all = notes.All();
  ASSERT_THAT(all, SizeIs(QuietNotes::kMost));
  EXPECT_EQ(all.front().key, "default/3");
  EXPECT_EQ(all.back().key, "it still runs");
}

// A reader never sees parts of two notes.
TEST(QuietNotesThreads, NotesAreReadInOnePiece) {
  QuietNotes notes;
  std::atomic<bool> done{false};
  std::thread worker([&] {
    for (int i = 0; i < 20'000; ++i) {
      const std::string key(static_cast<std::size_t>(i % 60), static_cast<char>('a' + i % 26));
      static_cast<void>(notes.Began(key + Id(i), Id(i), At(i), Cause(static_cast<unsigned>(i))));
      if (i % 5 == 0) {
        notes.Dropped();
      } else {
        notes.Ended(std::chrono::seconds(i));
      }
    }
    done = true;
  });
  std::size_t wrong = 0;
  const auto check = [&](const QuietNote& note) {
    const int i = std::stoi(note.id);
    const std::string key(static_cast<std::size_t>(i % 60), static_cast<char>('a' + i % 26));
    const bool same = note.key == key + note.id && note.begun == At(i) &&
                      note.cause.now == static_cast<std::uint64_t>(i) &&
                      (note.running || note.took == std::chrono::seconds(i));
    if (!same) ++wrong;
  };
  while (!done) {
    for (const QuietNote& note : notes.All()) check(note);
    if (const auto running = notes.Running()) check(*running);
  }
  worker.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_THAT(notes.All(), SizeIs(QuietNotes::kMost));
}

}  // namespace
}  // namespace kinformer::internal
