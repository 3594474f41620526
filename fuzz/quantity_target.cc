// Quantities: the canonical text means the same amount, and arithmetic is exact.

#include <string>

#include "kinformer/object/quantity.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "object/values/text_forms.h"

namespace kinformer::fuzz {

void FuzzQuantity(std::string_view input) {
  using resource::Quantity;
  const std::size_t cut = input.find('\n');
  const std::string_view text = input.substr(0, cut);
  const std::string_view other_text =
      cut == std::string_view::npos ? std::string_view("1") : input.substr(cut + 1);
  const Result<Quantity> a = Quantity::Parse(text);
  Require(a.ok() == internal::IsQuantityText(text), "both judges of the form agree", text);
  if (!a) return;
  const std::string canonical = a->ToString();
  const Result<Quantity> again = Quantity::Parse(canonical);
  Require(again.ok(), "the canonical text parses", canonical);
  Require(*again == *a, "the canonical text is the same amount", text, canonical);
  // An amount with a binary unit that is not a whole number in any unit is printed without a unit,
  // and is decimal when it is read again: 2937.5Ki, 3008000, 3008k. The same in Go.
  if (!text.ends_with('i') || canonical.ends_with('i')) {
    RequireEqual(again->ToString(), canonical, "the canonical text is stable");
  }
  Require(a->Sign() == (*a > Quantity() ? 1 : *a < Quantity() ? -1 : 0), "sign", text);
  Require((-(-*a)) == *a, "minus minus", text);

  const Result<Quantity> b = Quantity::Parse(other_text);
  if (!b) return;
  Require((*a < *b) == (*b > *a), "order", text, other_text);
  Require(*a + *b == *b + *a, "sums commute", text, other_text);
  // Amounts are cut to the largest: exact only where neither is near it.
  const Quantity large = *Quantity::Parse("1e3999");
  if (*a < large && *b < large && -*a < large && -*b < large)
    Require((*a + *b) - *b == *a, "what is added is taken away", text, other_text);
}

}  // namespace kinformer::fuzz
