// Outbox: order, sizes, limits of pieces, and what it shares and releases.

#include "http/outbox.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace kinformer::internal::http {
namespace {

std::vector<std::string> Pieces(const Outbox& out) {
  std::vector<std::string_view> pieces{"leftover"};
  out.Front(pieces);
  return {pieces.begin(), pieces.end()};
}

std::string All(const Outbox& out) {
  std::string all;
  for (const std::string& piece : Pieces(out)) all += piece;
  return all;
}

TEST(OutboxTest, ShortTexts_AreJoined_UpTo16Kibibytes) {
  constexpr std::size_t kMost = 16384;
  Outbox out;
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(Pieces(out), std::vector<std::string>{});
  out.Append("");
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(Pieces(out), std::vector<std::string>{});
  out.Append("ab");
  out.Append("c");
  EXPECT_EQ(Pieces(out), std::vector<std::string>{"abc"});
  EXPECT_EQ(out.size(), 3U);
  EXPECT_FALSE(out.empty());
  out.Append(std::string(kMost - 3, 'd'));
  EXPECT_EQ(Pieces(out).size(), 1U);
  out.Append("e");
  EXPECT_EQ(Pieces(out).size(), 2U);
  EXPECT_EQ(Pieces(out)[1], "e");
  EXPECT_EQ(out.size(), kMost + 1);
  out.Append(std::string(kMost, 'f'));
  EXPECT_EQ(Pieces(out).size(), 3U);
  EXPECT_EQ(All(out), "abc" + std::string(kMost - 3, 'd') + "e" + std::string(kMost, 'f'));
}

TEST(OutboxTest, Chunks_AreSharedFrom512Bytes) {
  for (const std::size_t size : {0U, 1U, 511U, 512U, 513U}) {
    SCOPED_TRACE(size);
    const auto owner = std::make_shared<const std::string>(size, 'x');
    Outbox out;
    out.Append("<");
    out.Append(BodyChunk{.bytes = *owner, .owner = owner});
    out.Append(">");
    const bool shared = size >= 512;
    EXPECT_EQ(owner.use_count(), shared ? 2 : 1);
    EXPECT_EQ(Pieces(out).size(), shared ? 3U : 1U);
    EXPECT_EQ(All(out), "<" + *owner + ">");
    EXPECT_EQ(out.size(), size + 2);
    std::vector<std::string_view> pieces;
    out.Front(pieces);
    EXPECT_EQ(pieces[shared ? 1 : 0].data() == owner->data(), shared) << "not copied";
    out.Consume(size + 1);
    EXPECT_EQ(owner.use_count(), 1) << "released once it is written";
    EXPECT_EQ(All(out), ">");
  }
}

TEST(OutboxTest, Consume_RemovesFromTheFront) {
  const std::string x(600, 'x');
  const std::string y(700, 'y');
  const std::string all = "head" + x + y + "middle" + x + "tail";
  for (std::size_t step : {1U, 2U, 3U, 4U, 599U, 603U, 604U, 605U, 1304U, 1310U, 1913U}) {
    SCOPED_TRACE(step);
    Outbox out;
    out.Append("head");
    out.Append(BodyChunk::Of(x));
    out.Append(BodyChunk::Of(y));
    out.Append("middle");
    out.Append(BodyChunk::Of(x));
    out.Append("tail");
    ASSERT_EQ(All(out), all);
    for (std::size_t done = step; done < all.size(); done += step) {
      out.Consume(step);
      ASSERT_EQ(All(out), all.substr(done)) << done;
      ASSERT_EQ(out.size(), all.size() - done);
      ASSERT_FALSE(out.empty());
    }
    out.Consume(out.size());
    EXPECT_TRUE(out.empty());
    EXPECT_EQ(Pieces(out), std::vector<std::string>{});
    out.Append("again");
    EXPECT_EQ(Pieces(out), std::vector<std::string>{"again"});
  }
}

// The number of pieces that one system call takes.
TEST(OutboxTest, Front_GivesAtMost256Pieces) {
  for (const std::size_t count : {255U, 256U, 257U, 600U}) {
    Outbox out;
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string piece = std::to_string(i) + std::string(600, 'x');
      out.Append(BodyChunk::Of(piece));
      all += piece;
    }
    EXPECT_EQ(Pieces(out).size(), std::min<std::size_t>(count, 256));
    std::string written;
    while (!out.empty()) {
      const std::string front = All(out);
      ASSERT_FALSE(front.empty());
      written += front;
      out.Consume(front.size());
    }
    EXPECT_TRUE(written == all);
  }
}

// Written pieces are dropped while others follow, without losing the place.
TEST(OutboxTest, LongRun_KeepsOrder) {
  Outbox out;
  std::string written;
  std::string all;
  for (int i = 0; i < 300; ++i) {
    for (int k = 0; k < 2; ++k) {
      const std::string piece = std::to_string(i) + std::string(600, static_cast<char>('a' + k));
      out.Append(BodyChunk::Of(piece));
      all += piece;
    }
    const std::string part = Pieces(out)[0].substr(0, 555);
    written += part;
    out.Consume(part.size());
    ASSERT_EQ(out.size(), all.size() - written.size());
  }
  while (!out.empty()) {
    const std::string part = Pieces(out)[0];
    written += part;
    out.Consume(part.size());
  }
  EXPECT_TRUE(written == all);
}

TEST(OutboxTest, Clear_ForgetsAll) {
  const auto owner = std::make_shared<const std::string>(1000, 'x');
  Outbox out;
  out.Append("abc");
  out.Append(BodyChunk{.bytes = *owner, .owner = owner});
  out.Consume(1);
  out.Clear();
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(out.size(), 0U);
  EXPECT_EQ(owner.use_count(), 1);
  out.Append("d");
  EXPECT_EQ(Pieces(out), std::vector<std::string>{"d"});
}

}  // namespace
}  // namespace kinformer::internal::http
