// Quantity compared with results of apimachinery for the same texts; IntOrString; times; views over
// hostile bytes.

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <ranges>
#include <string>
#include <vector>

#include "kinformer/internal/fields_codec.h"
#include "kinformer/internal/view.h"
#include "kinformer/object/int_or_string.h"
#include "kinformer/object/object_meta.h"
#include "kinformer/object/quantity.h"
#include "kinformer/object/time.h"

#include "wire/protobuf_writer.h"

namespace kinformer {
namespace {

using resource::Quantity;

TEST(QuantityGolden, ParsesAndPrintsAsGo) {
  struct Case {
    const char* text;
    const char* canonical;  // null: not a quantity
    std::int64_t value;
    std::int64_t milli;
  };
  // Results of resource.ParseQuantity of apimachinery 0.37 (which reads some texts without digits,
  // such as "Ki", as 0), except for Value and MilliValue where those overflow in Go.
  constexpr std::int64_t kMax = INT64_MAX;
  for (const Case& c : {
           Case{"0", "0", 0, 0},
           Case{"1", "1", 1, 1000},
           Case{"-1", "-1", -1, -1000},
           Case{"1.5", "1500m", 2, 1500},
           Case{"1.5Gi", "1536Mi", 1610612736, 1610612736000},
           Case{"1024Mi", "1Gi", 1073741824, 1073741824000},
           Case{"1000M", "1G", 1000000000, 1000000000000},
           Case{"0.5", "500m", 1, 500},
           Case{"1e3", "1e3", 1000, 1000000},
           Case{"0Ki", "0", 0, 0},
           Case{"1025Ki", "1025Ki", 1049600, 1049600000},
           Case{".001e12", "1e9", 1000000000, 1000000000000},
           Case{"1001Gi", "1001Gi", 1074815565824, 1074815565824000},
           Case{"1023", "1023", 1023, 1023000},
           Case{"0.5Ki", "512", 512, 512000},
           Case{"1.1Ki", "1126400m", 1127, 1126400},
           Case{"500m", "500m", 1, 500},
           Case{"1500m", "1500m", 2, 1500},
           Case{"100n", "100n", 1, 1},
           Case{"0.1n", "1n", 1, 1},
           Case{"1.0000000001", "1000000001n", 2, 1001},
           Case{"-0.1n", "-1n", -1, -1},
           Case{"9Ei", "9223372036854775807", kMax, kMax},
           Case{"7Ei", "7Ei", 8070450532247928832, kMax},
           Case{"-9Ei", "-9223372036854775807", -kMax, INT64_MIN},
           Case{"1E", "1E", 1000000000000000000, kMax},
           Case{"10E", "10E", kMax, kMax},
           Case{"1e18", "1e18", 1000000000000000000, kMax},
           Case{"1e21", "1e21", kMax, kMax},
           Case{"3e-3", "3e-3", 1, 3},
           Case{"1.5e3", "1500", 1500, 1500000},
           Case{"12345e-2", "123450e-3", 124, 123450},
           Case{"+5", "5", 5, 5000},
           Case{"5.", "5", 5, 5000},
           Case{"1000u", "1m", 1, 1},
           Case{"1000000u", "1", 1, 1000},
           Case{"0.000001", "1u", 1, 1},
           Case{"1536Ki", "1536Ki", 1572864, 1572864000},
           Case{"0.00000000000000000001", "1n", 1, 1},
           Case{"0.00000000000000000000000000000000000000000000000001", "1n", 1, 1},
           Case{"1.5m", "1500u", 1, 2},
           Case{"0.25Gi", "256Mi", 268435456, 268435456000},
           Case{"1E1", "10", 10, 10000},
           Case{"1K", nullptr, 0, 0},
           Case{"1kk", nullptr, 0, 0},
           Case{"1e3m", nullptr, 0, 0},
           Case{"", nullptr, 0, 0},
           Case{"e", nullptr, 0, 0},
           Case{"--1", nullptr, 0, 0},
           Case{"1..2", nullptr, 0, 0},
           Case{"1 Gi", nullptr, 0, 0},
           Case{".", nullptr, 0, 0},
           Case{"Ki", nullptr, 0, 0},
       }) {
    const Result<Quantity> q = Quantity::Parse(c.text);
    ASSERT_EQ(q.ok(), c.canonical != nullptr) << c.text;
    if (!q) continue;
    EXPECT_EQ(q->ToString(), c.canonical) << c.text;
    EXPECT_EQ(q->Value(), c.value) << c.text;
    EXPECT_EQ(q->MilliValue(), c.milli) << c.text;
    EXPECT_EQ(Quantity::Parse(q->ToString())->ToString(), c.canonical) << c.text;
  }
}

TEST(QuantityGolden, Arithmetic) {
  Quantity sum;
  sum += *Quantity::Parse("1Gi");
  sum += *Quantity::Parse("512Mi");
  EXPECT_EQ(sum.ToString(), "1536Mi");
  sum -= *Quantity::Parse("2Gi");
  EXPECT_EQ(sum.ToString(), "-512Mi");
  EXPECT_EQ(sum.Sign(), -1);
  EXPECT_LT(sum, Quantity());
  EXPECT_EQ(*Quantity::Parse("1"), *Quantity::Parse("1000m"));
  EXPECT_LT(*Quantity::Parse("1G"), *Quantity::Parse("1Gi"));
  EXPECT_EQ(Quantity::FromMilli(250).ToString(), "250m");
  EXPECT_EQ(Quantity::FromInt(-2048, resource::Format::kBinarySI).ToString(), "-2Ki");
  EXPECT_DOUBLE_EQ(Quantity::Parse("2500m")->AsApproximateFloat64(), 2.5);
}

TEST(QuantityGolden, AmountsBeyond128Bits) {
  const auto parse = [](std::string_view text) { return *Quantity::Parse(text); };
  const Quantity large = parse("123456789012345678901234567890E");
  EXPECT_EQ(large.ToString(), "123456789012345678901234567890E");
  EXPECT_EQ((large + parse("1n")).ToString(),
            "123456789012345678901234567890000000000000000000000000001n");
  EXPECT_EQ(large + parse("1n") - large, parse("1n"));
  EXPECT_EQ((parse("-1e40") + parse("1e40")).ToString(), "0");
  EXPECT_EQ((-large).ToString(), "-123456789012345678901234567890E");
  EXPECT_EQ(large.Value(), INT64_MAX);
  EXPECT_EQ((-large).MilliValue(), INT64_MIN);
  EXPECT_EQ(large.Sign(), 1);
  EXPECT_EQ((-large).Sign(), -1);
  EXPECT_LT(-large, parse("-1"));
  EXPECT_LT(parse("1e38"), parse("1e39"));
  EXPECT_GT(parse("-1e38"), parse("-1e39"));
  EXPECT_GT(parse("1e38"), parse("-1e39"));
  EXPECT_EQ(parse("1e39"), parse("1000e36"));
  EXPECT_DOUBLE_EQ(parse("-1.5e40").AsApproximateFloat64(), -1.5e40);
  Quantity copy = large;
  copy += large;
  EXPECT_EQ(large.ToString(), "123456789012345678901234567890E") << "a copy is a copy";
  EXPECT_EQ(copy.ToString(), "246913578024691357802469135780E");
  // Sums of bytes have no upper bound, parsed texts do.
  EXPECT_EQ((parse("7Ei") + parse("7Ei")).ToString(), "14Ei");
  EXPECT_EQ(parse("8Ei").ToString(), "9223372036854775807");
  EXPECT_EQ(parse("-800000000000000000000000000000000000000000Ei").ToString(),
            "-9223372036854775807");
  // A short text must not use gigabytes of memory.
  EXPECT_EQ(parse("1e2000000000"), parse("1e4000"));
  EXPECT_EQ(parse("1e4000") + parse("1e4000"), parse("1e4000"));
  EXPECT_EQ(parse("-1e2000000000").ToString(), "-10e3999");
  EXPECT_EQ(parse("1e-2000000000").ToString(), "1e-9");
  EXPECT_EQ(parse("0e2000000000").ToString(), "0");
  EXPECT_EQ(parse("1" + std::string(5000, '0')), parse("1e4000"));
  EXPECT_EQ(parse("0." + std::string(5000, '0') + "1e5001").ToString(), "1");
}

// A decimal integer of any size, as digits, lowest first: a reference implementation that shares
// nothing with Quantity's arithmetic.
class Big {
 public:
  explicit Big(std::string_view digits) {
    for (std::size_t i = digits.size(); i-- > 0;) digits_.push_back(digits[i] - '0');
    Trim();
  }
  void Multiply(int factor) {
    int carry = 0;
    for (int& digit : digits_) {
      carry += digit * factor;
      digit = carry % 10;
      carry /= 10;
    }
    for (; carry != 0; carry /= 10) digits_.push_back(carry % 10);
    Trim();
  }
  // Divides by 10^count and rounds up.
  void DivideUp(std::size_t count) {
    bool rest = false;
    for (; count > 0 && !digits_.empty(); --count) {
      rest = rest || digits_.front() != 0;
      digits_.erase(digits_.begin());
    }
    if (rest) Add(Big("1"));
  }
  void Add(const Big& other) {
    int carry = 0;
    for (std::size_t i = 0; i < std::max(digits_.size(), other.digits_.size()) || carry != 0; ++i) {
      if (i == digits_.size()) digits_.push_back(0);
      carry += digits_[i] + (i < other.digits_.size() ? other.digits_[i] : 0);
      digits_[i] = carry % 10;
      carry /= 10;
    }
  }
  // REQUIRES: *this is not less than `other`.
  void Subtract(const Big& other) {
    int borrow = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      int digit = digits_[i] - borrow - (i < other.digits_.size() ? other.digits_[i] : 0);
      borrow = digit < 0 ? 1 : 0;
      digits_[i] = digit + borrow * 10;
    }
    Trim();
  }
  [[nodiscard]] int Compare(const Big& other) const {
    if (digits_.size() != other.digits_.size())
      return digits_.size() < other.digits_.size() ? -1 : 1;
    for (std::size_t i = digits_.size(); i-- > 0;) {
      if (digits_[i] != other.digits_[i]) return digits_[i] < other.digits_[i] ? -1 : 1;
    }
    return 0;
  }
  [[nodiscard]] bool IsZero() const { return digits_.empty(); }

 private:
  void Trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }
  std::vector<int> digits_;
};

struct Signed {
  bool negative = false;
  Big nanos{""};
};
Signed Sum(const Signed& a, const Signed& b) {
  Signed sum = a;
  if (a.negative == b.negative) {
    sum.nanos.Add(b.nanos);
  } else if (a.nanos.Compare(b.nanos) >= 0) {
    sum.nanos.Subtract(b.nanos);
  } else {
    sum = b;
    sum.nanos.Subtract(a.nanos);
  }
  return sum;
}
int Order(const Signed& a, const Signed& b) {
  if (a.nanos.IsZero() && b.nanos.IsZero()) return 0;
  if (a.negative != b.negative) return a.negative ? -1 : 1;
  return a.negative ? b.nanos.Compare(a.nanos) : a.nanos.Compare(b.nanos);
}

// Value of a text by the definition: number × factor in units of 10^-9, rounded away from zero.
Signed Meaning(std::string_view text, bool sum = false) {
  Signed out;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::string digits;
  std::size_t places = 0;
  bool fraction = false;
  while (!text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'))) {
    if (text[0] == '.') {
      fraction = true;
    } else {
      digits += text[0];
      if (fraction) ++places;
    }
    text.remove_prefix(1);
  }
  out.nanos = Big(digits);
  int exponent = 9 - static_cast<int>(places);
  const std::string_view binary = "KMGTPE";
  const std::string_view decimal = "num kMGTPE";
  if (text.size() == 2 && text[1] == 'i') {
    for (std::size_t i = 0; i <= binary.find(text[0]); ++i) out.nanos.Multiply(1024);
  } else if (text.size() == 1) {
    exponent += 3 * (static_cast<int>(decimal.find(text[0])) - 3);
  } else if (!text.empty()) {
    exponent += std::stoi(std::string(text.substr(1)));
  }
  for (; exponent > 0; --exponent) out.nanos.Multiply(10);
  if (exponent < 0) out.nanos.DivideUp(static_cast<std::size_t>(-exponent));
  const Big most("9223372036854775807000000000");
  if (!sum && text.ends_with('i') && out.nanos.Compare(most) > 0) out.nanos = most;
  return out;
}

TEST(QuantityProperty, AgreesWithBigIntegers) {
  std::mt19937 random(11);
  static constexpr const char* kSuffixes[] = {
      "",   "n",  "u",  "m",  "k",   "M",  "G",  "T",    "P",   "E",   "Ki",   "Mi",  "Gi",
      "Ti", "Pi", "Ei", "e3", "e-3", "E2", "e9", "e-12", "E-9", "e30", "e100", "e-40"};
  const auto draw = [&] {
    std::string text = random() % 3 == 0 ? "-" : "";
    for (auto n = 1 + (random() % 8 == 0 ? random() % 60 : random() % 6); n > 0; --n)
      text += static_cast<char>('0' + random() % 10);
    if (random() % 2 == 0) {
      text += '.';
      for (auto n = random() % 14; n > 0; --n) {
        text += static_cast<char>('0' + (random() % 3 == 0 ? 0 : random() % 10));
      }
    }
    return text + kSuffixes[random() % std::size(kSuffixes)];
  };
  for (int round = 0; round < 20000; ++round) {
    const std::string a = draw();
    const std::string b = draw();
    const Result<Quantity> qa = Quantity::Parse(a);
    const Result<Quantity> qb = Quantity::Parse(b);
    ASSERT_TRUE(qa && qb) << a << " " << b;
    const Signed wa = Meaning(a);
    const Signed wb = Meaning(b);
    // The canonical text must have the same value, parse to it, and be its own canonical text.
    ASSERT_EQ(Order(Meaning(qa->ToString()), wa), 0) << a << " " << *qa;
    ASSERT_EQ(*Quantity::Parse(qa->ToString()), *qa) << a;
    ASSERT_EQ(Quantity::Parse(qa->ToString())->ToString(), qa->ToString()) << a;
    // A canonical text has no fraction and uses the largest possible suffix of its family.
    ASSERT_EQ(qa->ToString().find('.'), std::string::npos);
    if (!qa->IsZero() && qa->format() == resource::Format::kDecimalSI) {
      const std::string text = qa->ToString();
      const std::size_t end = text.find_last_of("0123456789") + 1;
      ASSERT_FALSE(text.substr(0, end).ends_with("000") && text.substr(end) != "E") << a << text;
    }
    ASSERT_EQ(*qa <=> *qb, Order(wa, wb) <=> 0) << a << " " << b;
    ASSERT_EQ(*qa == *qb, Order(wa, wb) == 0) << a << " " << b;
    ASSERT_EQ(qa->Sign(), wa.nanos.IsZero() ? 0 : wa.negative ? -1 : 1) << a;
    ASSERT_EQ(Order(Meaning((*qa + *qb).ToString(), true), Sum(wa, wb)), 0) << a << " + " << b;
    Signed minus = wb;
    minus.negative = !minus.negative;
    ASSERT_EQ(Order(Meaning((*qa - *qb).ToString(), true), Sum(wa, minus)), 0) << a << " - " << b;
    ASSERT_EQ(*qa + *qb - *qb, *qa) << a << " " << b;
    // Value and MilliValue return the smallest integers that are not below the amount.
    for (const std::int64_t unit : {std::int64_t{1}, std::int64_t{1000}}) {
      const std::int64_t value = unit == 1 ? qa->Value() : qa->MilliValue();
      if (value == INT64_MAX || value == INT64_MIN) continue;
      const auto scaled = [&](std::int64_t v) {
        Signed s{v < 0, Big(std::to_string(v < 0 ? -v : v))};
        for (int i = unit == 1 ? 9 : 6; i > 0; --i) s.nanos.Multiply(10);
        return s;
      };
      if (wa.negative) {
        ASSERT_LE(Order(scaled(value), wa), 0) << a;
        ASSERT_GT(Order(scaled(value + 1), wa), 0) << a;
      } else {
        ASSERT_GE(Order(scaled(value), wa), 0) << a;
        ASSERT_LT(Order(scaled(value - 1), wa), 0) << a;
      }
    }
  }
}

TEST(IntOrStringValue, ScalesAsGo) {
  using intstr::IntOrString;
  EXPECT_EQ(*IntOrString(7).ScaledValue(100, true), 7);
  EXPECT_EQ(*IntOrString(std::string_view("25%")).ScaledValue(10, true), 3);
  EXPECT_EQ(*IntOrString(std::string_view("25%")).ScaledValue(10, false), 2);
  EXPECT_EQ(*IntOrString(std::string_view("100%")).ScaledValue(10, false), 10);
  EXPECT_FALSE(IntOrString(std::string_view("25")).ScaledValue(10, false).ok());
  EXPECT_FALSE(IntOrString(std::string_view("%")).ScaledValue(10, false).ok());
  EXPECT_EQ(IntOrString(std::string_view("80")).IntValue(), 80);
  EXPECT_EQ(IntOrString(std::string_view("http")).IntValue(), 0);
}

TEST(TimeValue, Forms) {
  using metav1::MicroTime;
  using metav1::Time;
  EXPECT_TRUE(Time().IsZero());
  // The offset moves the time outside of the years that can be written.
  EXPECT_FALSE(Time::Parse("9999-12-31T23:59:59-01:00"));
  EXPECT_FALSE(Time::Parse("0000-01-01T00:00:00+01:00"));
  EXPECT_TRUE(Time::Parse("9999-12-31T23:59:59Z"));
  EXPECT_EQ(Time().ToString(), "");
  EXPECT_EQ(Time(0).ToString(), "1970-01-01T00:00:00Z");
  EXPECT_EQ(Time::Parse("2024-01-02T05:04:05+02:00")->ToString(), "2024-01-02T03:04:05Z");
  EXPECT_FALSE(Time::Parse("yesterday").ok());
  EXPECT_EQ(MicroTime(Time(1, 5000)).ToString(), "1970-01-01T00:00:01.000005Z");
  EXPECT_EQ(Time(std::chrono::system_clock::time_point(std::chrono::seconds(5))).seconds(), 5);
  EXPECT_EQ(Time(7).ToTimePoint(), std::chrono::system_clock::time_point(std::chrono::seconds(7)));
  EXPECT_EQ(Time().ToTimePoint(), std::chrono::system_clock::time_point::min());
  EXPECT_EQ(metav1::Duration(std::chrono::minutes(90)).ToString(), "1h30m0s");
}

TEST(TimeValue, TextsOfMembersAreReadOrSayWhy) {
  internal::FieldsReading reading;
  metav1::Time time;
  metav1::MicroTime micro;
  metav1::Duration duration;
  EXPECT_TRUE(internal::ReadText("2024-01-02T03:04:05Z", time, reading));
  EXPECT_TRUE(internal::ReadText("2024-01-02T03:04:05.000006Z", micro, reading));
  EXPECT_TRUE(internal::ReadText("1h30m", duration, reading));
  EXPECT_EQ(time.ToString(), "2024-01-02T03:04:05Z");
  EXPECT_EQ(micro.ToString(), "2024-01-02T03:04:05.000006Z");
  EXPECT_EQ(duration.ToString(), "1h30m0s");
  // An empty text is an unset time.
  metav1::Time none;
  metav1::MicroTime no_micro;
  EXPECT_TRUE(internal::ReadText("", none, reading));
  EXPECT_TRUE(internal::ReadText("", no_micro, reading));
  EXPECT_TRUE(none.IsZero());
  EXPECT_TRUE(no_micro.IsZero());
  EXPECT_EQ(reading.what, "");
  for (const bool of_time : {true, false}) {
    internal::FieldsReading bad;
    EXPECT_FALSE(of_time ? internal::ReadText("yesterday", time, bad)
                         : internal::ReadText("yesterday", micro, bad));
    EXPECT_NE(bad.what, "");
  }
  EXPECT_EQ(micro.ToString(), "2024-01-02T03:04:05.000006Z") << "left as it was";
  internal::FieldsReading bad;
  EXPECT_FALSE(internal::ReadText("soon", duration, bad));
  resource::Quantity quantity;
  EXPECT_FALSE(internal::ReadText("many", quantity, bad));
}

// Every accessor over random bytes and over truncated and changed metadata must not read out of
// bounds (ASan checks that).
TEST(Views, HostileBytesReadAsSomething) {
  std::string good;
  wire::ProtobufWriter writer(good);
  writer.BytesField(1, "web-0");
  writer.BytesField(3, "default");
  writer.VarintField(7, 3);
  writer.Nested(8, [](wire::ProtobufWriter& w) { w.VarintField(1, 1700000000); });
  for (const char* key : {"a", "b"}) {
    writer.Nested(11, [&](wire::ProtobufWriter& w) {
      w.BytesField(1, key);
      w.BytesField(2, "value");
    });
  }
  writer.Nested(13, [](wire::ProtobufWriter& w) {
    w.BytesField(1, "ReplicaSet");
    w.BytesField(3, "web");
    w.BoolField(6, true);
  });
  writer.BytesField(14, "finalizer");

  const auto read_all = [](std::string_view bytes) {
    const std::vector<char> exact(bytes.begin(), bytes.end());
    const metav1::ObjectMeta m{internal::MessageView(std::string_view(exact.data(), exact.size()))};
    std::size_t n = m.name().size() + m.namespace_().size() + m.uid().size();
    n += static_cast<std::size_t>(m.generation() & 1);
    n += m.creationTimestamp().ToString().size();
    for (const auto& [key, value] : m.labels()) n += key.size() + value.size();
    n += m.labels().Find("b").value_or("").size();
    for (const metav1::OwnerReference owner : m.ownerReferences()) n += owner.name().size();
    for (const std::string_view f : m.finalizers()) n += f.size();
    for (const metav1::ManagedFieldsEntry e : m.managedFields()) n += e.fieldsV1().json().size();
    if (const auto owner = GetControllerOf(m)) n += owner->kind().size();
    return n;
  };
  const metav1::ObjectMeta meta{internal::MessageView(good)};
  EXPECT_EQ(meta.name(), "web-0");
  EXPECT_EQ(meta.generation(), 3);
  EXPECT_EQ(meta.creationTimestamp().seconds(), 1700000000);
  EXPECT_EQ(meta.labels()["b"], "value");
  EXPECT_EQ(meta.labels().size(), 2U);
  EXPECT_FALSE(meta.labels().contains("c"));
  EXPECT_EQ(GetControllerOf(meta)->name(), "web");
  EXPECT_EQ(meta.finalizers()[0], "finalizer");
  EXPECT_EQ(meta.finalizers()[1], "");
  // Lists and maps are ranges and views that borrow from the object.
  EXPECT_TRUE(meta.finalizers().contains("finalizer"));
  EXPECT_FALSE(meta.finalizers().contains("other"));
  const auto found = std::ranges::find(meta.finalizers(), "finalizer");
  EXPECT_EQ(*found, "finalizer");
  const auto keys = meta.labels() | std::views::keys;
  EXPECT_EQ(*std::ranges::next(keys.begin()), "b");
  static_assert(std::ranges::borrowed_range<internal::StringMap>);
  static_assert(std::ranges::view<internal::Repeated<metav1::OwnerReference>>);
  const std::uint64_t before = internal::MalformedReads();
  EXPECT_EQ(meta.deletionTimestamp(), std::nullopt);
  EXPECT_EQ(meta.uid(), "");
  EXPECT_EQ(internal::MalformedReads(), before) << "what is absent is not malformed";
  for (std::size_t size = 0; size < good.size(); ++size) {
    read_all(std::string_view(good).substr(0, size));
  }
  EXPECT_GT(internal::MalformedReads(), before);
  std::mt19937 random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 3; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    read_all(bad);
  }
}

}  // namespace
}  // namespace kinformer
