// kinformer/object/quantity.h
//
// resource::Quantity: an amount of CPU, memory or another resource: "500m", "1536Mi", "2e3". Exact
// decimal arithmetic, no floats.
//
//   resource::Quantity sum;
//   for (const auto& c : pod.spec().containers()) sum += c.resources().requests()["cpu"];
//   std::cout << sum << " = " << sum.MilliValue() << " millicores\n";

#ifndef KINFORMER_OBJECT_QUANTITY_H_
#define KINFORMER_OBJECT_QUANTITY_H_

#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/view.h"
#include "kinformer/object/box.h"

namespace kinformer::resource {

// Family of suffixes in a quantity's text.
enum class Format : std::uint8_t {
  kDecimalSI,        // n u m k M G T P E
  kBinarySI,         // Ki Mi Gi Ti Pi Ei
  kDecimalExponent,  // e3
};

// An amount, of 32 bytes; zero by default. Exact: stored in units of 10^-9; smaller parts
// are rounded away from zero. From 10^29 on it allocates memory, in proportion to its
// digits. As in Go, a text with a binary suffix is at most 2^63-1; unlike in Go, which has
// no limit, amounts are at most 10^4000. Compares by amount: "1" equals "1000m". A
// malformed text in an object reads as zero. Counterpart: apimachinery's
// resource.Quantity.
class Quantity {
 public:
  constexpr Quantity() = default;
  // Explains that text must be parsed, which may fail.
  template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
  Quantity(const Text& /*text*/) {  // NOLINT(google-explicit-constructor)
    static_assert(kinformer::internal::kNeverHolds<Text>,
                  "text is no quantity yet, and may be none: resource::Quantity::Parse(\"128Mi\")"
                  ".OrExit()");
  }
  explicit Quantity(const internal::MessageView& message);
  // Parses a text. kInvalidArgument, with the text, if it is no quantity.
  static Result<Quantity> Parse(std::string_view text);
  // Return an amount of whole units, or of thousandths.
  static Quantity FromInt(std::int64_t value, Format format = Format::kDecimalSI);
  static Quantity FromMilli(std::int64_t milli, Format format = Format::kDecimalSI);

  static Quantity FromRaw(const internal::MessageView& parent, const internal::RawValue& value);

  // Return whole units or thousandths, rounded up (away from zero), as in Go. Amounts that do not
  // fit become the largest int64.
  [[nodiscard]] std::int64_t Value() const;
  [[nodiscard]] std::int64_t MilliValue() const;
  [[nodiscard]] double AsApproximateFloat64() const;
  [[nodiscard]] bool IsZero() const { return high_ == 0 && low_ == 0; }
  [[nodiscard]] int Sign() const { return high_ < 0 ? -1 : IsZero() ? 0 : 1; }
  [[nodiscard]] Format format() const { return format_; }

  // Add or subtract. The result has the other's format if this one is zero.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  [[nodiscard]] Quantity operator-() const;
  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) {
    if (a.large_.has_value() || b.large_.has_value()) return a.CompareLarge(b);
    if (a.high_ != b.high_) return a.high_ <=> b.high_;
    return a.low_ <=> b.low_;
  }

  // Returns the canonical text, with the largest suffix that needs no fraction: "1500m", "1Gi".
  [[nodiscard]] std::string ToString() const;
  friend std::ostream& operator<<(std::ostream& out, const Quantity& quantity);

 private:
  friend struct QuantityMath;
  [[nodiscard]] std::strong_ordering CompareLarge(const Quantity& other) const;

  // A 128-bit count of 10^-9, two's complement. If that is too small, 1 or -1 in high_, and the
  // count in large_.
  std::int64_t high_ = 0;
  std::uint64_t low_ = 0;
  Box<std::vector<std::uint32_t>> large_{};
  Format format_ = Format::kDecimalSI;
};

}  // namespace kinformer::resource

#endif  // KINFORMER_OBJECT_QUANTITY_H_
