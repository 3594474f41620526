#include "base/text/go_text.h"

#include <gtest/gtest.h>
#include <limits>

namespace kinformer::internal::base {
namespace {

TEST(GoText, Numbers_HaveAnExponentWhereGoWritesOne) {
  EXPECT_EQ(GoFloat(1.5), "1.5");
  EXPECT_EQ(GoFloat(-2.0), "-2");
  EXPECT_EQ(GoFloat(100000.5), "100000.5");
  EXPECT_EQ(GoFloat(1000000.0), "1e+06");
  EXPECT_EQ(GoFloat(1234567.5), "1.2345675e+06");
  EXPECT_EQ(GoFloat(0.0001), "0.0001");
  EXPECT_EQ(GoFloat(0.00001), "1e-05");
  EXPECT_EQ(GoFloat(0.1F), "0.1");
  EXPECT_EQ(GoFloat(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(GoFloat(-std::numeric_limits<double>::infinity()), "-Inf");
  EXPECT_EQ(GoFloat(std::numeric_limits<double>::quiet_NaN()), "NaN");
}

TEST(GoText, Escapes_AreReplacedAsInGo) {
  EXPECT_EQ(GoUnquoted(R"(a\tb\n\\\"')", '"'), "a\tb\n\\\"'");
  EXPECT_EQ(GoUnquoted(R"(it\'s "x")", '\''), "it's \"x\"");
  EXPECT_EQ(GoUnquoted(R"(\x41\101\u00e9\u20ac\U0001f600)", '"'), "AA\u00e9\u20ac\U0001f600");
  for (const char* text : {R"(\q)", R"(\')", R"(a\)", R"(\x4)", R"(\u00g0)", R"(\400)", R"(\ud800)",
                           R"(\U00110000)", "a\nb", R"(a"b)"}) {
    EXPECT_EQ(GoUnquoted(text, '"'), std::nullopt) << text;
  }
}

TEST(GoText, QuotedText_HasEscapesForWhatIsNotPrinted) {
  EXPECT_EQ(GoQuoted("a\t\"b\"\\\x01\x7f\xff\u20ac\u202e"), R"("a\t\"b\"\\\x01\x7f\xff)"
                                                            "\u20ac"
                                                            R"(\u202e")");
}

}  // namespace
}  // namespace kinformer::internal::base
