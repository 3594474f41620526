// Tests JsonBitmap with every kernel usable here against a reader that reads single bytes.

#include "wire/json_bitmap.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace kinformer::wire {
namespace {

// Reference implementation that reads one byte at a time.
struct Plain {
  std::vector<std::size_t> quotes;
  std::vector<std::pair<std::size_t, int>> brackets;  // +1 opens, -1 closes
  unsigned notes = 0;

  void Read(std::string_view text, bool& inside, bool& escaped) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x80) notes |= kJsonNotAscii;
      if (byte < 0x20 && inside) notes |= kJsonBad;
      if (c == '\\') {
        notes |= kJsonBackslash;
        if (!inside) notes |= kJsonBad;
        escaped = !escaped;
        continue;
      }
      if (c == '"' && !escaped) {
        quotes.push_back(i);
        inside = !inside;
      }
      escaped = false;
      if (inside) continue;
      if (c == '{' || c == '[') brackets.emplace_back(i, 1);
      if (c == '}' || c == ']') brackets.emplace_back(i, -1);
    }
  }
};

class JsonBitmapTest : public ::testing::TestWithParam<JsonKernel> {
 protected:
  void SetUp() override { UseJsonKernel(kernel_); }
  void TearDown() override { UseJsonKernel(usual_); }

  const JsonKernel kernel_ = GetParam();
  const JsonKernel& usual_ = CurrentJsonKernel();
};

void Check(const JsonBitmap& bitmap, const Plain& plain, std::size_t from) {
  const std::string_view text = bitmap.text();
  const auto place = [&](const char* at) {
    return at == nullptr ? text.size() : static_cast<std::size_t>(at - text.data());
  };
  std::size_t next = text.size();
  std::size_t previous = text.size();
  for (const std::size_t quote : plain.quotes) {
    if (quote >= from && next == text.size()) next = quote;
    if (quote <= from) previous = quote;
  }
  EXPECT_EQ(place(bitmap.NextQuote(text.data() + from)), next) << text;
  bool unescaped = true;
  EXPECT_EQ(place(bitmap.NextQuote(text.data() + from, unescaped)), next) << text;
  if (next < text.size()) {
    EXPECT_EQ(unescaped, text.substr(from, next - from).find('\\') == std::string_view::npos)
        << text;
  }
  if (from < text.size()) {
    EXPECT_EQ(place(bitmap.PreviousQuote(text.data() + from)), previous) << text;
  }
  for (const int depth : {1, 3}) {
    int left = depth;
    std::size_t close = text.size();
    for (const auto& [at, change] : plain.brackets) {
      if (at < from || left == 0) continue;
      left += change;
      if (left == 0) close = at + 1;
    }
    auto open = static_cast<std::uint32_t>(depth);
    const char* const found = bitmap.Close(text.data() + from, open);
    EXPECT_EQ(found != nullptr, left == 0) << text;
    EXPECT_EQ(open, static_cast<std::uint32_t>(left)) << text;
    if (found != nullptr) {
      EXPECT_EQ(place(found), close) << text;
    }
  }
  for (const std::size_t size : {from % 90, from % 300}) {
    const std::string_view part = text.substr(from, size);
    const std::size_t backslash = part.find('\\');
    EXPECT_EQ(bitmap.HasBackslash(part), backslash != std::string_view::npos) << text;
    const char* const next_one = bitmap.NextBackslash(part.data(), part.data() + part.size());
    EXPECT_EQ(next_one != nullptr, backslash != std::string_view::npos) << text;
    if (next_one != nullptr) {
      EXPECT_EQ(place(next_one), from + backslash) << text;
    }
  }
}

TEST_P(JsonBitmapTest, FindsWhatAPlainReaderFinds) {
  std::mt19937 random(5);
  constexpr std::string_view kBytes = "{}[]\"\"\\\\\\\\,: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa[{";
  JsonBitmap bitmap;
  for (int round = 0; round < 3000; ++round) {
    JsonCarry carry;
    bool inside = false;
    bool escaped = false;
    // Consecutive pieces, each a continuation of the last; some consist only of backslashes.
    for (int piece = 0; piece < 4; ++piece) {
      std::string text(random() % 300, '\\');
      if (random() % 8 != 0) {
        for (char& c : text) c = kBytes[random() % kBytes.size()];
        // Blocks without a backslash, between others.
        if (random() % 2 == 0) std::replace(text.begin(), text.end(), '\\', 'a');
        if (random() % 2 == 0 && !text.empty()) text[random() % text.size()] = '\\';
      }
      if (random() % 4 == 0 && !text.empty()) {
        text[random() % text.size()] = "\n\x1f\x7f\x80\xff"[random() % 5];
      }
      // A separate allocation, so that a sanitizer detects a read past the end.
      const std::vector<char> exact(text.begin(), text.end());
      Plain plain;
      plain.Read(text, inside, escaped);
      bitmap.Read({exact.data(), exact.size()}, carry);
      ASSERT_EQ(carry.inside != 0, inside) << text;
      ASSERT_EQ(carry.escaped != 0, escaped) << text;
      ASSERT_EQ(bitmap.notes(), plain.notes) << text;
      if (text.empty()) continue;
      for (int i = 0; i < 8; ++i) Check(bitmap, plain, random() % (text.size() + 1));
      ASSERT_FALSE(HasFailure());
    }
  }
}

// A bitmap that takes over the end of another's text and continues in steps must give the same
// answers as one that read the whole text at once.
TEST_P(JsonBitmapTest, GoesOnWhereAnotherEnded) {
  std::mt19937 random(7);
  constexpr std::string_view kBytes = "{}[]\"\"\\\\,: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa[{\n";
  for (int round = 0; round < 2000; ++round) {
    std::string text(64 + random() % 900, '\\');
    if (random() % 8 != 0) {
      for (char& c : text) c = kBytes[random() % kBytes.size()];
    }
    const std::size_t read = 1 + random() % (text.size() - 1);
    JsonBitmap first;
    first.Read(std::string_view(text).substr(0, read));
    const std::string_view tail = first.TailFrom(text.data() + random() % read);
    const auto from = static_cast<std::size_t>(tail.data() - text.data());
    ASSERT_EQ(from % 64, 0U);

    JsonBitmap bitmap;
    std::vector<char> copy(tail.begin(), tail.end());
    bitmap.TakeTail(first, tail.data(), {copy.data(), copy.size()});
    // Checks the part that was taken over, before anything is added.
    bool in_string = false;
    bool after_backslash = false;
    Plain().Read(std::string_view(text).substr(0, from), in_string, after_backslash);
    Plain taken;
    taken.Read(tail, in_string, after_backslash);
    for (int i = 0; i < 4; ++i) Check(bitmap, taken, random() % (tail.size() + 1));
    for (std::size_t size = copy.size(); from + size < text.size();) {
      size = std::min(size + 1 + random() % 200, text.size() - from);
      // A new allocation each time, so that a sanitizer detects reads of the old text.
      std::vector<char> more(text.begin() + static_cast<std::ptrdiff_t>(from),
                             text.begin() + static_cast<std::ptrdiff_t>(from + size));
      bitmap.Extend({more.data(), more.size()});
      copy.swap(more);
    }
    ASSERT_EQ(bitmap.text(), std::string_view(text).substr(from));

    // Checks the whole text, starting in the state behind the text before it.
    bool inside = false;
    bool escaped = false;
    Plain().Read(std::string_view(text).substr(0, from), inside, escaped);
    Plain plain;
    plain.Read(std::string_view(text).substr(from), inside, escaped);
    EXPECT_EQ(bitmap.notes() & plain.notes, plain.notes) << text;
    for (int i = 0; i < 8; ++i) Check(bitmap, plain, random() % (bitmap.text().size() + 1));
    ASSERT_FALSE(HasFailure());
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, JsonBitmapTest,
                         ::testing::ValuesIn(JsonKernels().begin(), JsonKernels().end()),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(JsonKernels, PortableKernel_IsAlwaysThere) {
  EXPECT_EQ(JsonKernels().back().name, "portable");
  EXPECT_EQ(CurrentJsonKernel().name, JsonKernels().front().name);
}

}  // namespace
}  // namespace kinformer::wire
