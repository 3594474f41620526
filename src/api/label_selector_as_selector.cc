#include "kinformer/object/label_selector_as_selector.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/metav1_mutable.h"

namespace kinformer::metav1 {
namespace {

using Requirement = kinformer::LabelSelector::Requirement;
using Operator = kinformer::LabelSelector::Operator;

Result<Operator> OperatorOf(std::string_view name) {
  if (name == "In") return Operator::kIn;
  if (name == "NotIn") return Operator::kNotIn;
  if (name == "Exists") return Operator::kExists;
  if (name == "DoesNotExist") return Operator::kDoesNotExist;
  return Error(Reason::kInvalidArgument,
               "\"" + std::string(name) +
                   "\" is not a valid label selector operator: In, NotIn, Exists, DoesNotExist");
}

// Adds the requirement of one expression, given by the parts of a view or of a struct.
template <class Values>
Result<void> AddExpression(std::string_view key, std::string_view name, const Values& values,
                           std::vector<Requirement>& out) {
  const Result<Operator> operation = OperatorOf(name);
  if (!operation) return operation.error();
  Requirement requirement{.key = std::string(key), .operation = *operation};
  for (const std::string_view value : values) requirement.values.emplace_back(value);
  out.push_back(std::move(requirement));
  return {};
}

template <class Labels>
std::vector<Requirement> OfLabels(const Labels& labels) {
  std::vector<Requirement> out;
  for (const auto& [key, value] : labels) {
    out.push_back({.key = std::string(key), .operation = Operator::kIn});
    out.back().values.emplace_back(value);
  }
  return out;
}

}  // namespace

Result<kinformer::LabelSelector> LabelSelectorAsSelector(const LabelSelector& selector) {
  std::vector<Requirement> all = OfLabels(selector.matchLabels());
  for (const LabelSelectorRequirement e : selector.matchExpressions()) {
    if (auto added = AddExpression(e.key(), e.operator_(), e.values(), all); !added) {
      return std::move(added).error();
    }
  }
  return kinformer::LabelSelector::Of(std::move(all));
}

Result<kinformer::LabelSelector> LabelSelectorAsSelector(
    const std::optional<LabelSelector>& selector) {
  if (!selector) return kinformer::LabelSelector::Nothing();
  return LabelSelectorAsSelector(*selector);
}

Result<kinformer::LabelSelector> LabelSelectorAsSelector(const LabelSelectorMutable& selector) {
  std::vector<Requirement> all = OfLabels(selector.matchLabels);
  for (const LabelSelectorRequirementMutable& e : selector.matchExpressions) {
    if (auto added = AddExpression(e.key, e.operator_, e.values, all); !added) {
      return std::move(added).error();
    }
  }
  return kinformer::LabelSelector::Of(std::move(all));
}

}  // namespace kinformer::metav1
