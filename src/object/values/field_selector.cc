#include "kinformer/object/field_selector.h"

#include <utility>

namespace kinformer {
namespace {

// Splits at commas without a backslash in front.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

Result<std::string> Unescape(std::string_view value, std::string_view term) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '\\') {
      ++i;
      if (i == value.size() || (value[i] != '\\' && value[i] != ',' && value[i] != '=')) {
        return Error(Reason::kInvalidArgument,
                     "invalid field selector: '" + std::string(term) +
                         "': a backslash must be followed by '\\', ',' or '='");
      }
      out += value[i];
    } else if (c == '=' || c == ',') {
      return Error(Reason::kInvalidArgument, "invalid field selector: '" + std::string(term) +
                                                 "': write '" + c + "' in a value as '\\" + c +
                                                 "'");
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  FieldSelector selector;
  for (const std::string_view term : SplitTerms(text)) {
    if (term.empty()) continue;
    const std::size_t at = term.find_first_of("!=");
    std::size_t length = 0;
    for (std::size_t i = at; i != std::string_view::npos && i < term.size() && length == 0; ++i) {
      if (term.substr(i).starts_with("!=") || term.substr(i).starts_with("==")) {
        length = 2;
      } else if (term[i] == '=') {
        length = 1;
      }
      if (length == 0) continue;
      Result<std::string> value = Unescape(term.substr(i + length), term);
      if (!value) return std::move(value).error();
      selector.requirements_.push_back(
          {std::string(term.substr(0, i)), term[i] == '!', std::move(*value)});
    }
    if (length == 0) {
      return Error(Reason::kInvalidArgument, "invalid selector: '" + std::string(term) +
                                                 "'; can't understand '" + std::string(term) +
                                                 "'; write field=value or field!=value");
    }
  }
  return selector;
}

Result<FieldSelector> FieldSelector::Of(std::vector<Requirement> requirements) {
  for (const Requirement& requirement : requirements) {
    if (requirement.field.empty() ||
        requirement.field.find_first_of("=!,\\") != std::string::npos) {
      return Error(Reason::kInvalidArgument,
                   "invalid field selector: a field is named by its path, such as spec.nodeName, "
                   "and not '" +
                       requirement.field + "'");
    }
  }
  FieldSelector selector;
  selector.requirements_ = std::move(requirements);
  return selector;
}

std::optional<std::string_view> FieldSelector::RequiresExactMatch(std::string_view field) const {
  for (const Requirement& requirement : requirements_) {
    if (requirement.field == field && !requirement.negated) return requirement.value;
  }
  return std::nullopt;
}

std::string FieldSelector::ToString() const {
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    out += requirement.field;
    out += requirement.negated ? "!=" : "=";
    for (const char c : requirement.value) {
      if (c == '\\' || c == ',' || c == '=') out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace kinformer
