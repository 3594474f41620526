// Selectors: the canonical text means the same.

#include <string>

#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {

void FuzzLabelSelector(std::string_view input) {
  const Result<LabelSelector> parsed = LabelSelector::Parse(input);
  if (!parsed) {
    Require(!parsed.error().message().empty(), "an error says something");
    return;
  }
  const std::string canonical = parsed->ToString();
  const Result<LabelSelector> again = LabelSelector::Parse(canonical);
  Require(again.ok(), "the canonical text parses", input, canonical);
  Require(*again == *parsed, "the canonical text is the same selector", input, canonical);
  RequireEqual(again->ToString(), canonical, "the canonical text is stable");
  const Result<LabelSelector> of = LabelSelector::Of(parsed->requirements());
  Require(of.ok() && *of == *parsed, "the requirements are the same selector", input, canonical);
}

void FuzzFieldSelector(std::string_view input) {
  const Result<FieldSelector> parsed = FieldSelector::Parse(input);
  if (!parsed) {
    Require(!parsed.error().message().empty(), "an error says something");
    return;
  }
  const std::string canonical = parsed->ToString();
  const Result<FieldSelector> again = FieldSelector::Parse(canonical);
  Require(again.ok(), "the canonical text parses", input, canonical);
  Require(*again == *parsed, "the canonical text is the same selector", input, canonical);
  RequireEqual(again->ToString(), canonical, "the canonical text is stable");
}

}  // namespace kinformer::fuzz
