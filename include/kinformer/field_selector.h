// kinformer/field_selector.h
//
// FieldSelector: a condition on named fields of an object, in the syntax of the API's fieldSelector
// parameter: equality and inequality of texts, joined by commas. Which fields can be selected by is
// the server's business, per kind.
//
//   auto selector = FieldSelector::Parse("spec.nodeName=node-7,status.phase!=Succeeded").OrExit();

#ifndef KINFORMER_FIELD_SELECTOR_H_
#define KINFORMER_FIELD_SELECTOR_H_

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/attributes.h"
#include "kinformer/internal/callable.h"
#include "kinformer/result.h"

namespace kinformer {

// A value: copyable. Default-constructed, it selects everything. Thread-compatible. Counterpart:
// fields.Selector.
class FieldSelector {
 public:
  // One condition: the field has, or with `negated` has not, the value.
  struct Requirement {
    std::string field{};
    bool negated = false;
    std::string value{};
    bool operator==(const Requirement&) const = default;
  };

  FieldSelector() = default;
  // Text has to be read first, which may fail.
  template <std::convertible_to<std::string_view> Text>
  FieldSelector(const Text& /*text*/,  // NOLINT(google-explicit-constructor)
                std::nullptr_t /*explained*/ = Explain<Text>()) {}
  // Pairs as in a Go map would be fields and their values.
  FieldSelector(std::initializer_list<std::pair<std::string_view, std::string_view>> fields)
      KINFORMER_UNAVAILABLE(
          "fields are given as text, which is read first: FieldSelector::Parse("
          "\"spec.nodeName=node-7\").OrExit()");
  // kInvalidArgument, naming the term that is wrong.
  static Result<FieldSelector> Parse(std::string_view text);
  // All of `requirements`, whose values are taken as they are: nothing in them need be escaped.
  // kInvalidArgument: a field is empty, or has one of `=`, `!`, `,` and `\` in it. Counterpart:
  // fields.AndSelectors of OneTermEqualSelector and OneTermNotEqualSelector.
  //
  //   auto mine = FieldSelector::Of({{.field = "spec.nodeName", .value = "node-7"}}).OrExit();
  static Result<FieldSelector> Of(std::vector<Requirement> requirements);

  [[nodiscard]] bool MatchesEverything() const { return requirements_.empty(); }
  [[nodiscard]] const std::vector<Requirement>& requirements() const { return requirements_; }
  // The value that `field` must have, where there is such a term.
  [[nodiscard]] std::optional<std::string_view> RequiresExactMatch(std::string_view field) const;

  // `value_of(field)` gives the field's text; an absent field is "".
  template <class ValueOf>
  [[nodiscard]] bool Matches(const ValueOf& value_of) const {
    for (const Requirement& requirement : requirements_) {
      if ((value_of(std::string_view(requirement.field)) == requirement.value) ==
          requirement.negated)
        return false;
    }
    return true;
  }

  // Canonical: terms in the order given, values escaped.
  [[nodiscard]] std::string ToString() const;
  bool operator==(const FieldSelector&) const = default;

 private:
  // The compiler reads it at the call, since its result type is deduced.
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

#endif  // KINFORMER_FIELD_SELECTOR_H_
