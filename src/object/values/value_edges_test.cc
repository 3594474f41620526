// Edge cases of values, selectors and names: the last accepted and the first refused value, and the
// exact position of errors.

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/object/field_selector.h"
#include "kinformer/object/int_or_string.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/quantity.h"
#include "kinformer/object/raw_extension.h"
#include "kinformer/object/time.h"

#include "object/values/api_version.h"
#include "object/values/decimal_limbs.h"
#include "wire/protobuf_writer.h"

namespace kinformer {
namespace {

using internal::Encoding;
using internal::MessageView;
using intstr::IntOrString;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

MessageView Json(std::string_view json) {
  return {json.data(), static_cast<std::uint32_t>(json.size()), nullptr, Encoding::kJson};
}

// Times beyond the clock's range become its minimum or maximum, and only those.
TEST(TimeEdges, TimesBeyondClock_Saturate) {
  using Clock = std::chrono::system_clock;
  const auto nanos = [](const metav1::Time& time) {
    return std::chrono::nanoseconds(time.ToTimePoint().time_since_epoch()).count();
  };
  EXPECT_EQ(nanos(metav1::Time(9223372035, 999999999)), 9223372035999999999);
  EXPECT_EQ(metav1::Time(9223372036).ToTimePoint(), Clock::time_point::max());
  EXPECT_EQ(nanos(metav1::Time(-9223372036, 1)), -9223372035999999999);
  EXPECT_EQ(metav1::Time(-9223372037, 999999999).ToTimePoint(), Clock::time_point::min());
  for (const std::int64_t at :
       std::vector<std::int64_t>{-1500000000, -1000000000, -1, 0, 1, 1500000000}) {
    const metav1::Time time(Clock::time_point(
        std::chrono::duration_cast<Clock::duration>(std::chrono::nanoseconds(at))));
    EXPECT_EQ(time.seconds() * 1000000000 + time.nanos(), at);
    EXPECT_GE(time.nanos(), 0);
    EXPECT_LT(time.nanos(), 1000000000);
  }
}

TEST(ValueViews, JsonViews_ReadTheirTexts) {
  const metav1::Time time(Json(R"("2024-01-02T03:04:05.5Z")"));
  EXPECT_EQ(time.seconds(), 1704164645);
  EXPECT_EQ(time.nanos(), 500000000);
  EXPECT_EQ(metav1::Duration(Json(R"("1h30m")")).ToString(), "1h30m0s");
  for (const char* none : {"", "\"", "\"\"", "7", "null", "\"2024-01-02T03:04:05Z", "\"1h",
                           "2024-01-02T03:04:05Z\"", "1h\"", "x1h30mx"}) {
    EXPECT_TRUE(metav1::Time(Json(none)).IsZero()) << none;
    EXPECT_EQ(metav1::Duration(Json(none)).value().count(), 0) << none;
  }
  EXPECT_EQ(IntOrString(Json("80")).ToString(), "80");
  EXPECT_EQ(IntOrString(Json("-2147483648")).IntValue(), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(IntOrString(Json("\"http\"")).ToString(), "http");
  EXPECT_EQ(IntOrString(Json("\"80\"")).IntValue(), 80);
  EXPECT_EQ(IntOrString(Json("\"\"")).ToString(), "");
  EXPECT_EQ(IntOrString(Json("")).ToString(), "0");
  EXPECT_EQ(runtime::RawExtension(Json(R"({"a": 1})")).json(), R"({"a": 1})");
}

TEST(ValueViews, MessageViews_ReadTheirFields) {
  const auto message = [](std::int64_t first, std::int64_t second, std::string_view third) {
    std::string bytes;
    wire::ProtobufWriter writer(bytes);
    writer.Int64Field(1, first);
    writer.Int64Field(2, second);
    writer.BytesField(3, third);
    return bytes;
  };
  const std::string number = message(0, 80, "http");
  const std::string text = message(1, 80, "http");
  EXPECT_EQ(IntOrString(MessageView(number)).ToString(), "80");
  EXPECT_EQ(IntOrString(MessageView(text)).ToString(), "http");
  EXPECT_EQ(metav1::Time(MessageView(number)).nanos(), 80);
  EXPECT_EQ(metav1::Time(MessageView(number)).seconds(), 0);
  EXPECT_TRUE(metav1::Time(MessageView(std::string_view())).IsZero());
  EXPECT_EQ(metav1::Duration(MessageView(text)).value().count(), 1);
}

TEST(IntOrStringEdges, PercentagesAreRoundedAndBounded) {
  const auto scaled = [](const char* text, std::int32_t total, bool up) {
    return *IntOrString(std::string_view(text)).ScaledValue(total, up);
  };
  EXPECT_EQ(scaled("20%", 10, true), 2);
  EXPECT_EQ(scaled("20%", 10, false), 2);
  EXPECT_EQ(scaled("21%", 10, true), 3);
  EXPECT_EQ(scaled("29%", 10, false), 2);
  EXPECT_EQ(scaled("1%", 101, true), 2);
  EXPECT_EQ(scaled("-1%", 101, false), -2);
  EXPECT_EQ(scaled("-25%", 10, true), -2);
  EXPECT_EQ(scaled("-25%", 10, false), -3);
  EXPECT_EQ(scaled("-20%", 10, false), -2);
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(scaled("100%", kMost, true), kMost);
  EXPECT_EQ(scaled("100%", kLeast, false), kLeast);
  EXPECT_EQ(IntOrString(std::string_view("-100%")).ScaledValue(kLeast, true).error().message(),
            "-100% of -2147483648 is out of range");
  EXPECT_EQ(IntOrString(std::string_view("101%")).ScaledValue(kLeast, true).error().message(),
            "101% of -2147483648 is out of range");
  for (const char* bad : {"", "%", "25", "25 %", "25%%", "%25", "x%", "99999999999%"}) {
    EXPECT_EQ(IntOrString(std::string_view(bad)).ScaledValue(10, true).error().message(),
              "\"" + std::string(bad) + "\" is neither a number nor a percentage, such as 25%");
  }
  for (const char* none : {"", "80x", "x80", "99999999999", "8 0"}) {
    EXPECT_EQ(IntOrString(std::string_view(none)).IntValue(), 0) << none;
  }
  EXPECT_EQ(IntOrString(std::string_view("-5")).IntValue(), -5);
}

std::string LabelError(std::string_view selector) {
  const auto parsed = LabelSelector::Parse(selector);
  EXPECT_FALSE(parsed.ok()) << selector;
  return parsed.ok() ? std::string() : parsed.error().message();
}

TEST(LabelSelectorEdges, ErrorsNameThePlaceAndWhatIsExpected) {
  const std::string operators = "one of '=', '==', '!=', 'in', 'notin', '>', '<'";
  const std::pair<const char*, std::string> cases[] = {
      {"!", "found the end at position 2 of \"!\", expected a label key"},
      {"!!a", "found '!' at position 2 of \"!!a\", expected a label key"},
      {"a!b", "found '!' at position 2 of \"a!b\", expected " + operators},
      {"a(b", "found '(' at position 2 of \"a(b\", expected " + operators},
      {"a inn (b)", "found 'inn' at position 3 of \"a inn (b)\", expected " + operators},
      {"a=!b", "found '!' at position 3 of \"a=!b\", expected a value"},
      {"a<=1", "found '=' at position 3 of \"a<=1\", expected a value"},
      {"a===b", "found '=' at position 4 of \"a===b\", expected a value"},
      {"a in", "found the end at position 5 of \"a in\", expected '('"},
      {"a in (", "found the end at position 7 of \"a in (\", expected a value or ')'"},
      {"a in (=)", "found '=' at position 7 of \"a in (=)\", expected a value or ')'"},
      {"a in (x y)", "found 'y' at position 9 of \"a in (x y)\", expected ',' or ')'"},
      {"a in (x)b", "found 'b' at position 9 of \"a in (x)b\", expected ',' or the end"},
      {"a notin x", "found 'x' at position 9 of \"a notin x\", expected '('"},
      {" a = b c", "found 'c' at position 8 of \" a = b c\", expected ',' or the end"},
      {",", "found ',' at position 1 of \",\", expected a label key"},
      {"a>", "'>' and '<' for key \"a\" need one integer"},
      {"a<1.5", "'>' and '<' for key \"a\" need one integer"},
      {"a>9223372036854775808", "'>' and '<' for key \"a\" need one integer"},
  };
  for (const auto& [selector, message] : cases) {
    EXPECT_EQ(LabelError(selector), "invalid label selector: " + message);
  }
  const std::string most(63, 'x');
  EXPECT_TRUE(LabelSelector::Parse(most + "=" + most).ok());
  EXPECT_THAT(LabelError(most + "x=y"), HasSubstr("the name of at most 63 letters"));
  EXPECT_THAT(LabelError("y=" + most + "x"), HasSubstr("must be at most 63 letters"));
  for (const char* name : {"a_b.c-D", "0", "Z", "a.b", "A-9"}) {
    EXPECT_TRUE(LabelSelector::Parse(std::string(name) + "=" + name).ok()) << name;
  }
  for (const char* name : {"_a", "a_", ".a", "a.", "a-", "a@b", "a[", "a`b", "{a", "a:"}) {
    EXPECT_THAT(LabelError(name), HasSubstr("key \"" + std::string(name) + "\" must be")) << name;
    EXPECT_THAT(LabelError(std::string("k=") + name),
                HasSubstr("value \"" + std::string(name) + "\" of key \"k\" must be"))
        << name;
  }
}

TEST(LabelSelectorEdges, TextsInOtherForms) {
  const std::pair<const char*, const char*> cases[] = {{"\ta\r\n==\tb ", "a=b"},
                                                       {"a==", "a="},
                                                       {"a!=", "a!="},
                                                       {"a=,b", "a=,b"},
                                                       {"a notin (b,a,b)", "a notin (a,b)"},
                                                       {"a<5", "a<5"},
                                                       {"! a", "!a"},
                                                       {"in notin (in)", "in!=in"},
                                                       {"b,a!=2,a!=1,a", "a!=2,a!=1,a,b"}};
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(LabelSelector::Parse(text).OrExit().ToString(), canonical) << text;
  }
}

TEST(LabelSelectorEdges, RequirementsAreChecked) {
  using Operator = LabelSelector::Operator;
  const auto error = [](Operator operation, std::vector<std::string> values) {
    LabelSelector::Requirement requirement;
    requirement.key = "k";
    requirement.operation = operation;
    requirement.values = std::move(values);
    const auto made = LabelSelector::Of({requirement});
    return made.ok() ? made->ToString() : made.error().message();
  };
  EXPECT_EQ(error(Operator::kIn, {}),
            "invalid label selector: 'in' and 'notin' for key \"k\" need a value");
  EXPECT_EQ(error(Operator::kNotIn, {}),
            "invalid label selector: 'in' and 'notin' for key \"k\" need a value");
  EXPECT_EQ(error(Operator::kExists, {"x"}),
            "invalid label selector: a test for presence of key \"k\" takes no value");
  EXPECT_EQ(error(Operator::kDoesNotExist, {"x"}),
            "invalid label selector: a test for presence of key \"k\" takes no value");
  EXPECT_THAT(error(Operator::kGreaterThan, {"1", "2"}), HasSubstr("need one integer"));
  EXPECT_THAT(error(Operator::kLessThan, {}), HasSubstr("need one integer"));
  EXPECT_EQ(error(Operator::kLessThan, {"9223372036854775807"}), "k<9223372036854775807");
  EXPECT_EQ(error(Operator::kExists, {}), "k");
}

TEST(FieldSelectorEdges, TermsInAllForms) {
  const auto parts = [](std::string_view text) {
    std::vector<std::string> all;
    const FieldSelector selector = FieldSelector::Parse(text).OrExit();
    for (const auto& one : selector.requirements()) {
      all.push_back(one.field + (one.negated ? " is not " : " is ") + one.value);
    }
    return all;
  };
  EXPECT_THAT(parts("a==b,c=d,e!=f"), ElementsAre("a is b", "c is d", "e is not f"));
  EXPECT_THAT(parts(",a=,,=b,"), ElementsAre("a is ", " is b"));
  EXPECT_THAT(parts("a!b=c"), ElementsAre("a!b is c"));
  EXPECT_THAT(parts(R"(a=b\\,c=\,\=d,e=\\\,)"),
              ElementsAre(R"(a is b\)", "c is ,=d", R"(e is \,)"));
  const FieldSelector escaped = FieldSelector::Parse(R"(a=b\\,c!=\,\=d)").OrExit();
  EXPECT_EQ(escaped.ToString(), R"(a=b\\,c!=\,\=d)");
  EXPECT_EQ(escaped.RequiresExactMatch("a"), R"(b\)");
  EXPECT_EQ(escaped.RequiresExactMatch("c"), std::nullopt);
  const auto error = [](std::string_view text) {
    return FieldSelector::Parse(text).error().message();
  };
  EXPECT_EQ(error("a=b,x"),
            "invalid selector: 'x'; can't understand 'x'; write field=value or field!=value");
  EXPECT_EQ(error("a!b"),
            "invalid selector: 'a!b'; can't understand 'a!b'; write field=value or field!=value");
  EXPECT_EQ(error("a!=b=c"), R"(invalid field selector: 'a!=b=c': write '=' in a value as '\=')");
  const std::string backslash = ": a backslash must be followed by '\\', ',' or '='";
  EXPECT_EQ(error(R"(a=b\)"), R"(invalid field selector: 'a=b\')" + backslash);
  EXPECT_EQ(error(R"(a=b\x)"), R"(invalid field selector: 'a=b\x')" + backslash);
}

TEST(NameEdges, GroupsAndKeys) {
  EXPECT_EQ(internal::GroupOfApiVersion("v1"), "");
  EXPECT_EQ(internal::GroupOfApiVersion("apps/v1"), "apps");
  EXPECT_EQ(internal::GroupOfApiVersion("/v1"), "");
  EXPECT_EQ(internal::GroupOfApiVersion("a/"), "a");
  EXPECT_EQ(internal::GroupOfApiVersion("a/b/c"), std::nullopt);
  EXPECT_EQ(internal::GroupOfApiVersion("a//"), std::nullopt);
  EXPECT_EQ(SplitMetaNamespaceKey("ns/").value(), (ObjectName{"ns", ""}));
  EXPECT_EQ(SplitMetaNamespaceKey("/n").value(), (ObjectName{"", "n"}));
  EXPECT_EQ(SplitMetaNamespaceKey("a//").error().message(),
            "unexpected key format: \"a//\" has more than one '/'");
}

TEST(QuantityEdges, ExponentsAndTheFirstSuffix) {
  using resource::Format;
  using resource::Quantity;
  for (const char* bad : {"1e", "1e+", "1E-", "1e1x", "1e--1", "1e 1", "e1", "1ee1"}) {
    EXPECT_FALSE(Quantity::Parse(bad).ok()) << bad;
  }
  EXPECT_EQ(*Quantity::Parse("1e+3"), *Quantity::Parse("1k"));
  EXPECT_EQ(*Quantity::Parse("1E-3"), *Quantity::Parse("1m"));
  const std::pair<std::int64_t, const char*> cases[] = {
      {1023, "1023"},   {1024, "1Ki"},    {1025, "1025"},       {-1023, "-1023"}, {-1024, "-1Ki"},
      {-1025, "-1025"}, {1048576, "1Mi"}, {1048575, "1048575"}, {0, "0"}};
  for (const auto& [value, text] : cases) {
    EXPECT_EQ(Quantity::FromInt(value, Format::kBinarySI).ToString(), text);
  }
}

// Limbs have nine digits: tests every number of digits and the carry between limbs.
TEST(Limbs, NumbersOfEachLength) {
  using internal::Limbs;
  for (std::size_t length = 1; length <= 30; ++length) {
    for (const char digit : {'1', '9'}) {
      const std::string digits = digit + std::string(length - 1, digit == '9' ? '9' : '0');
      EXPECT_EQ(internal::LimbDigits(internal::LimbsOf(digits)), digits);
      EXPECT_EQ(internal::LimbDigits(internal::LimbsOf("000" + digits)), digits);
      for (std::size_t shift = 0; shift < 20; ++shift) {
        Limbs limbs = internal::LimbsOf(digits);
        internal::ShiftUp(limbs, shift);
        EXPECT_EQ(internal::LimbDigits(limbs), digits + std::string(shift, '0'));
        Limbs one_more = limbs;
        internal::AddLimbs(one_more, internal::LimbsOf("1"));
        EXPECT_TRUE(internal::CompareLimbs(one_more, limbs) > 0);
        internal::ShiftDown(limbs, shift);
        EXPECT_EQ(internal::LimbDigits(limbs), digits);
        // Any remainder rounds up.
        if (shift > 0) {
          internal::ShiftDown(one_more, shift);
          Limbs next = internal::LimbsOf(digits);
          internal::AddLimbs(next, internal::LimbsOf("1"));
          EXPECT_EQ(one_more, next) << digits << ' ' << shift;
          internal::SubtractLimbs(next, internal::LimbsOf("1"));
          EXPECT_EQ(internal::LimbDigits(next), digits);
        }
      }
    }
  }
  Limbs zero = internal::LimbsOf("0");
  EXPECT_TRUE(zero.empty());
  internal::ShiftUp(zero, 12);
  EXPECT_EQ(internal::LimbDigits(zero), "0");
  internal::ShiftDown(zero, 12);
  EXPECT_EQ(internal::LimbDigits(zero), "0");
  Limbs some = internal::LimbsOf("1000000000000000000");
  EXPECT_EQ(internal::DivideLimbs(some, 1000000000), 0U);
  EXPECT_EQ(internal::LimbDigits(some), "1000000000");
  EXPECT_EQ(internal::DivideLimbs(some, 7), 6U);
  EXPECT_EQ(internal::LimbDigits(some), "142857142");
  internal::MultiplyLimbs(some, 4000000000U);
  EXPECT_EQ(internal::LimbDigits(some), "571428568000000000");
  internal::SubtractLimbs(some, internal::LimbsOf("571428568000000000"));
  EXPECT_TRUE(some.empty());
  internal::ShiftDown(some = internal::LimbsOf("5"), 40);
  EXPECT_EQ(internal::LimbDigits(some), "1");
}

}  // namespace
}  // namespace kinformer
