#include "base/text/bool_in.h"

#include <gtest/gtest.h>
#include <optional>
#include <string_view>

namespace kinformer::internal::base {
namespace {

TEST(BoolIn, Texts_AreThoseOfGo) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    EXPECT_EQ(BoolIn(yes), true) << yes;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    EXPECT_EQ(BoolIn(no), false) << no;
  }
  for (const std::string_view other : {"", "2", "yes", "tRUE", "fALSE", " true", "true "}) {
    EXPECT_EQ(BoolIn(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace kinformer::internal::base
