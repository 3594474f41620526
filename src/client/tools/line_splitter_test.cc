#include "client/tools/line_splitter.h"

#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::client {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Split(std::string_view text, std::size_t piece) {
  std::vector<std::string> lines;
  LineSplitter splitter([&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    EXPECT_TRUE(splitter.Feed(text.substr(0, piece)));
  }
  EXPECT_TRUE(splitter.Finish());
  return lines;
}

TEST(LineSplitterTest, LinesAreTheSameHoweverTheirBytesCome) {
  for (std::size_t piece = 1; piece < 12; ++piece) {
    EXPECT_THAT(Split("one\n\ntwo\r\nthree", piece), ElementsAre("one", "", "two", "three"));
    EXPECT_THAT(Split("a\rb\n", piece), ElementsAre("a\rb"));
    EXPECT_THAT(Split("\n", piece), ElementsAre(""));
  }
  EXPECT_THAT(Split("", 1), ElementsAre());
}

TEST(LineSplitterTest, ALineWithoutEndComesInPieces) {
  const std::size_t most = LineSplitter::kLongest;
  const std::string text = std::string(most, 'a') + std::string(most, 'b') + "c\nd";
  for (const std::size_t piece : {std::size_t{4096}, most - 1, most, most + 1, text.size()}) {
    EXPECT_THAT(Split(text, piece),
                ElementsAre(std::string(most, 'a'), std::string(most, 'b'), "c", "d"))
        << piece;
    EXPECT_THAT(Split(std::string(most, 'a') + "\nb", piece),
                ElementsAre(std::string(most, 'a'), "b"))
        << piece;
  }
}

TEST(LineSplitterTest, NothingFollowsOnceTheFunctionEnds) {
  int lines = 0;
  LineSplitter splitter([&](std::string_view) { return ++lines < 2; });
  EXPECT_FALSE(splitter.Feed("a\nb\nc\n"));
  EXPECT_EQ(lines, 2);
}

}  // namespace
}  // namespace kinformer::internal::client
