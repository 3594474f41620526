#include "cli/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::cli {
namespace {

using testing::ElementsAre;

class TraceTest : public testing::Test {
 protected:
  void List(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) Listed("reflector", "REPLACED", i);
    printer_.Note({"reflector", "REPLACED", "", "9", count, "", true});
    printer_.Note({"delta fifo", "REPLACED", "", "9", 1, "", true});
    for (std::size_t i = 0; i < count; ++i) Listed("store", "ADDED", i);
    printer_.Note({"store", "REPLACED", "", "9", count, "", true});
    for (std::size_t i = 0; i < count; ++i) Listed("listener", "ADDED", i);
  }
  void Listed(const char* stage, const char* type, std::size_t i) {
    const std::string key = "d/" + std::to_string(i);
    printer_.Note(
        {stage, type, key, "1", 0, stage == std::string("listener") ? "printer" : "", true});
  }

  std::vector<std::string> lines_;
  TracePrinter printer_{[this](const std::string& line) { lines_.push_back(line); }};
};

TEST_F(TraceTest, AnEventHasALineAtEachStage) {
  printer_.Note({"reflector", "MODIFIED", "d/a", "7"});
  printer_.Note({"delta fifo", "MODIFIED", "d/a", "7", 2});
  printer_.Note({"store", "MODIFIED", "d/a", "7", 5});
  printer_.Note({"listener", "MODIFIED", "d/a", "7", 3, "printer"});
  printer_.Note({"reflector", "BOOKMARK", "", "8"});
  EXPECT_THAT(
      lines_,
      ElementsAre("  reflector    MODIFIED  d/a  resourceVersion 7",
                  "  delta fifo   MODIFIED  d/a  resourceVersion 7  depth 2",
                  "  store        MODIFIED  d/a  resourceVersion 7",
                  "  listener     MODIFIED  d/a  resourceVersion 7  handler printer, 3 waiting",
                  "  reflector    BOOKMARK  resourceVersion 8"));
}

TEST_F(TraceTest, AShortListIsShownWhole) {
  List(1);
  EXPECT_THAT(
      lines_,
      ElementsAre("  reflector    REPLACED  d/0  resourceVersion 1",
                  "  reflector    REPLACED  1 object  resourceVersion 9",
                  "  delta fifo   REPLACED  resourceVersion 9  depth 1",
                  "  store        ADDED     d/0  resourceVersion 1",
                  "  store        REPLACED  resourceVersion 9  holds 1 object",
                  "  listener     ADDED     d/0  resourceVersion 1  handler printer, 0 waiting"));
}

TEST_F(TraceTest, LongList_ShowsFirstObjectsAndACount) {
  for (int round = 0; round < 2; ++round) {
    lines_.clear();
    List(TracePrinter::kShown + 5);
    std::size_t more = 0;
    for (const std::string& line : lines_) {
      if (line.find("... and 5 objects more") != std::string::npos) ++more;
    }
    // A listener gets the existing objects only once.
    EXPECT_EQ(more, round == 0 ? 3U : 2U);
    EXPECT_EQ(lines_.size(),
              round == 0 ? 3 * TracePrinter::kShown + 3 + 3 : 2 * TracePrinter::kShown + 2 + 3);
  }
}

}  // namespace
}  // namespace kinformer::cli
