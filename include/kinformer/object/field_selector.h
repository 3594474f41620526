// kinformer/object/field_selector.h
//
// FieldSelector: a condition on named fields of an object, in the syntax of the API's fieldSelector
// parameter: equality and inequality of texts, joined by commas. The server defines for each kind
// which fields can be used.
//
//   auto selector = FieldSelector::Parse("spec.nodeName=node-7,status.phase!=Succeeded").OrExit();

#ifndef KINFORMER_OBJECT_FIELD_SELECTOR_H_
#define KINFORMER_OBJECT_FIELD_SELECTOR_H_

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/attributes.h"
#include "kinformer/internal/callable.h"

namespace kinformer {

// A value: copyable. Default-constructed, it selects everything. Thread-compatible. Counterpart:
// fields.Selector.
class FieldSelector {
 public:
  // One condition: the field has the value, or with `negated` another one.
  struct Requirement {
    std::string field{};
    bool negated = false;
    std::string value{};
    bool operator==(const Requirement&) const = default;
  };

  FieldSelector() = default;
  // Explains that text must be parsed, which may fail.
  template <std::convertible_to<std::string_view> Text>
  FieldSelector(const Text& /*text*/,  // NOLINT(google-explicit-constructor)
                std::nullptr_t /*explained*/ = Explain<Text>()) {}
  // Explains pairs, as in a Go map of fields and values.
  FieldSelector(std::initializer_list<std::pair<std::string_view, std::string_view>> fields)
      KINFORMER_UNAVAILABLE(
          "fields are given as text, which is read first: FieldSelector::Parse("
          "\"spec.nodeName=node-7\").OrExit()");
  // Parses a selector. kInvalidArgument, naming the wrong term.
  static Result<FieldSelector> Parse(std::string_view text);
  // Returns a selector of all `requirements`, whose values need no escaping. kInvalidArgument: a
  // field is empty, or contains one of `=`, `!`, `,` and `\`. Counterpart: fields.AndSelectors of
  // OneTermEqualSelector and OneTermNotEqualSelector.
  //
  //   auto mine = FieldSelector::Of({{.field = "spec.nodeName", .value = "node-7"}}).OrExit();
  static Result<FieldSelector> Of(std::vector<Requirement> requirements);

  [[nodiscard]] bool MatchesEverything() const { return requirements_.empty(); }
  [[nodiscard]] const std::vector<Requirement>& requirements() const { return requirements_; }
  // Returns the value that `field` must have, if there is such a term.
  [[nodiscard]] std::optional<std::string_view> RequiresExactMatch(std::string_view field) const;

  // Returns true if the fields match; `value_of(field)` gives a field's text, "" if it is absent.
  template <class ValueOf>
  [[nodiscard]] bool Matches(const ValueOf& value_of) const {
    for (const Requirement& requirement : requirements_) {
      if ((value_of(std::string_view(requirement.field)) == requirement.value) ==
          requirement.negated)
        return false;
    }
    return true;
  }

  // Returns the canonical text: terms in the given order, values escaped.
  [[nodiscard]] std::string ToString() const;
  bool operator==(const FieldSelector&) const = default;

 private:
  // Has a deduced result type, so that the compiler reads it at the call.
  template <class Text>
  static auto Explain() {
    static_assert(internal::kNeverHolds<Text>,
                  "text is no FieldSelector yet, and may have mistakes in it: "
                  "FieldSelector::Parse(\"spec.nodeName=node-7\").OrExit(), or look at the Result "
                  "that Parse gives");
    return nullptr;
  }
  std::vector<Requirement> requirements_;
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_FIELD_SELECTOR_H_
