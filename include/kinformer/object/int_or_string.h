// kinformer/object/int_or_string.h
//
// intstr::IntOrString: a port by number or name, a count or a percentage.

#ifndef KINFORMER_OBJECT_INT_OR_STRING_H_
#define KINFORMER_OBJECT_INT_OR_STRING_H_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/view.h"

namespace kinformer::intstr {

// A view of a number or a text, which lives as long as the object. By default the number 0.
// Counterpart: util/intstr.IntOrString.
class IntOrString {
 public:
  constexpr IntOrString() = default;
  constexpr explicit IntOrString(std::int32_t number) : number_(number) {}
  constexpr explicit IntOrString(std::string_view text) : text_(text), is_string_(true) {}
  explicit IntOrString(const internal::MessageView& message);
  static IntOrString FromRaw(const internal::MessageView& parent, const internal::RawValue& value);

  [[nodiscard]] bool is_string() const { return is_string_; }
  [[nodiscard]] const std::string_view StrVal() const { return text_; }
  [[nodiscard]] std::int32_t IntVal() const { return number_; }
  // Returns the number, or the number in the text; else 0.
  [[nodiscard]] std::int32_t IntValue() const;
  // Returns "80" or "80%".
  [[nodiscard]] std::string ToString() const;
  // Returns a number unchanged; "n%" as n percent of `total`, rounded up or down. Counterpart:
  // GetScaledValueFromIntOrPercent.
  [[nodiscard]] Result<std::int32_t> ScaledValue(std::int32_t total, bool round_up) const;

  friend bool operator==(const IntOrString&, const IntOrString&) = default;
  friend std::ostream& operator<<(std::ostream& out, const IntOrString& value);

 private:
  std::string_view text_{};
  std::int32_t number_ = 0;
  bool is_string_ = false;
};

}  // namespace kinformer::intstr

#endif  // KINFORMER_OBJECT_INT_OR_STRING_H_
