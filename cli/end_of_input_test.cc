#include "cli/end_of_input.h"

#include <array>
#include <gtest/gtest.h>
#include <string_view>
#include <unistd.h>

#include "kinformer/base/stop.h"

namespace kinformer::cli {
namespace {

TEST(StopAtEndOfInput, InputEnds_StopIsRequested) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const StopSource stop;
  const StopAtEndOfInput input(ends[0], stop);
  constexpr std::string_view kText = "discarded";
  ASSERT_EQ(::write(ends[1], kText.data(), kText.size()), static_cast<ssize_t>(kText.size()));
  EXPECT_FALSE(stop.stop_requested());
  ::close(ends[1]);
  stop.Wait();
  EXPECT_TRUE(stop.stop_requested());
  ::close(ends[0]);
}

TEST(StopAtEndOfInput, InputStaysOpen_DestructorReturns) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const StopSource stop;
  {
    const StopAtEndOfInput input(ends[0], stop);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(StopAtEndOfInput, InputCannotBeRead_StopIsRequested) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const StopSource stop;
  const StopAtEndOfInput input(ends[1], stop);
  ::close(ends[0]);
  stop.Wait();
  EXPECT_TRUE(stop.stop_requested());
  ::close(ends[1]);
}

}  // namespace
}  // namespace kinformer::cli
