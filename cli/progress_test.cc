#include "cli/progress.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer::cli {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

class ProgressTest : public testing::Test {
 protected:
  ProgressTest() {
    progress_.emplace(sim_.env(), "the p\x1bods",
                      [this](std::string_view text) { written_.emplace_back(text); });
  }
  Simulation sim_;
  std::vector<std::string> written_;
  std::optional<Progress> progress_;
};

TEST_F(ProgressTest, ShortWaitPrintsNothing) {
  sim_.RunFor(milliseconds(999));
  progress_->Done();
  progress_.reset();
  sim_.RunFor(milliseconds(5000));
  EXPECT_THAT(written_, IsEmpty());
}

TEST_F(ProgressTest, LongWaitIsCountedAndErasedAtItsEnd) {
  sim_.RunFor(milliseconds(2500));
  EXPECT_THAT(written_, ElementsAre("\r\x1b[Kwaiting for the p\\x1bods ... 1s",
                                    "\r\x1b[Kwaiting for the p\\x1bods ... 2s"));
  written_.clear();
  progress_.reset();
  sim_.RunFor(milliseconds(5000));
  EXPECT_THAT(written_, ElementsAre("\r\x1b[K"));
}

TEST_F(ProgressTest, DoneErasesTheLineOnce) {
  sim_.RunFor(milliseconds(1500));
  written_.clear();
  progress_->Done();
  progress_->Done();
  progress_.reset();
  EXPECT_THAT(written_, ElementsAre("\r\x1b[K"));
}

}  // namespace
}  // namespace kinformer::cli
