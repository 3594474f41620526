#include "kinformer/object/label_selector.h"

#include <algorithm>

#include "base/text/number_in.h"
#include "object/values/dns_name.h"

namespace kinformer {
namespace {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Whether the text has the form of a label value or a key's name part, and is not empty.
bool IsName(std::string_view text) {
  if (text.empty() || text.size() > 63 || !IsAlphanumeric(text.front()) ||
      !IsAlphanumeric(text.back())) {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool IsKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return IsName(key);
  return internal::IsDnsSubdomain(key.substr(0, slash)) && IsName(key.substr(slash + 1));
}

Error Bad(std::string message) {
  return {Reason::kInvalidArgument, "invalid label selector: " + std::move(message)};
}

Result<void> Check(Requirement& requirement) {
  if (!IsKey(requirement.key)) {
    return Bad(
        "key \"" + requirement.key +
        "\" must be [prefix/]name, the name of at most 63 letters, digits, '-', '_', '.' that "
        "begins and ends with a letter or digit");
  }
  std::sort(requirement.values.begin(), requirement.values.end());
  requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()),
                           requirement.values.end());
  const std::size_t count = requirement.values.size();
  // Values of '>' and '<' are checked too, so negative numbers are refused as in no label.
  for (const std::string& value : requirement.values) {
    if (!value.empty() && !IsName(value)) {
      return Bad("value \"" + value + "\" of key \"" + requirement.key +
                 "\" must be at most 63 letters, digits, '-', '_', '.' and begin and end with a "
                 "letter or digit");
    }
  }
  switch (requirement.operation) {
    case Operator::kIn:
    case Operator::kNotIn:
      if (count == 0)
        return Bad("'in' and 'notin' for key \"" + requirement.key + "\" need a value");
      return {};
    case Operator::kExists:
    case Operator::kDoesNotExist:
      if (count != 0)
        return Bad("a test for presence of key \"" + requirement.key + "\" takes no value");
      return {};
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      if (count != 1 || !internal::base::NumberIn(requirement.values[0])) {
        return Bad("'>' and '<' for key \"" + requirement.key + "\" need one integer");
      }
      return {};
  }
  return {};
}

struct Token {
  enum class Kind : std::uint8_t { kEnd, kWord, kSymbol } kind = Kind::kEnd;
  std::string_view text{};
  std::size_t position = 0;
};

// Recursive descent parser over words and the symbols = == != ! ( ) , > <.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { Advance(); }

  Result<std::vector<Requirement>> Parse() {
    std::vector<Requirement> requirements;
    if (token_.kind == Token::Kind::kEnd) return requirements;
    for (;;) {
      Result<Requirement> requirement = ParseRequirement();
      if (!requirement) return std::move(requirement).error();
      if (Result<void> checked = Check(*requirement); !checked) return std::move(checked).error();
      requirements.push_back(std::move(*requirement));
      if (token_.kind == Token::Kind::kEnd) return requirements;
      if (!Is(",")) return Unexpected("',' or the end");
      Advance();
    }
  }

 private:
  [[nodiscard]] bool Is(std::string_view symbol) const {
    return token_.kind == Token::Kind::kSymbol && token_.text == symbol;
  }

  Error Unexpected(std::string_view wanted) const {
    const std::string found =
        token_.kind == Token::Kind::kEnd ? "the end" : "'" + std::string(token_.text) + "'";
    return Bad("found " + found + " at position " + std::to_string(token_.position + 1) + " of \"" +
               std::string(text_) + "\", expected " + std::string(wanted));
  }

  void Advance() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
    const std::size_t start = at_;
    if (at_ == text_.size()) {
      token_ = {Token::Kind::kEnd, {}, at_};
      return;
    }
    constexpr std::string_view kSymbols = "=!(),><";
    if (kSymbols.find(text_[at_]) != std::string_view::npos) {
      const bool two = (text_[at_] == '=' || text_[at_] == '!') && at_ + 1 < text_.size() &&
                       text_[at_ + 1] == '=';
      at_ += two ? 2 : 1;
      token_ = {Token::Kind::kSymbol, text_.substr(start, at_ - start), start};
      return;
    }
    at_ = text_.find_first_of("=!(),>< \t\r\n", at_);
    if (at_ == std::string_view::npos) at_ = text_.size();
    token_ = {Token::Kind::kWord, text_.substr(start, at_ - start), start};
  }

  Result<Requirement> ParseRequirement() {
    Requirement requirement;
    const bool negated = Is("!");
    if (negated) Advance();
    if (token_.kind != Token::Kind::kWord) return Unexpected("a label key");
    requirement.key = token_.text;
    Advance();
    if (negated) {
      requirement.operation = Operator::kDoesNotExist;
      return requirement;
    }
    if (token_.kind == Token::Kind::kEnd || Is(",")) {
      requirement.operation = Operator::kExists;
      return requirement;
    }
    if (token_.kind == Token::Kind::kWord && (token_.text == "in" || token_.text == "notin")) {
      requirement.operation = token_.text == "in" ? Operator::kIn : Operator::kNotIn;
      Advance();
      return ParseValues(std::move(requirement));
    }
    if (Is("=") || Is("==")) {
      requirement.operation = Operator::kIn;
    } else if (Is("!=")) {
      requirement.operation = Operator::kNotIn;
    } else if (Is(">")) {
      requirement.operation = Operator::kGreaterThan;
    } else if (Is("<")) {
      requirement.operation = Operator::kLessThan;
    } else {
      return Unexpected("one of '=', '==', '!=', 'in', 'notin', '>', '<'");
    }
    Advance();
    if (token_.kind == Token::Kind::kWord) {
      requirement.values.emplace_back(token_.text);
      Advance();
    } else if (token_.kind == Token::Kind::kEnd || Is(",")) {
      requirement.values.emplace_back();
    } else {
      return Unexpected("a value");
    }
    return requirement;
  }

  // Parses "(a, b)". An item without text is the empty value.
  Result<Requirement> ParseValues(Requirement requirement) {
    if (!Is("(")) return Unexpected("'('");
    Advance();
    for (;;) {
      if (token_.kind == Token::Kind::kWord) {
        requirement.values.emplace_back(token_.text);
        Advance();
      } else if (Is(",") || Is(")")) {
        requirement.values.emplace_back();
      } else {
        return Unexpected("a value or ')'");
      }
      if (Is(")")) {
        Advance();
        return requirement;
      }
      if (!Is(",")) return Unexpected("',' or ')'");
      Advance();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
};

}  // namespace

LabelSelector LabelSelector::Nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

Result<LabelSelector> LabelSelector::Of(std::vector<Requirement> requirements) {
  LabelSelector selector;
  for (Requirement& requirement : requirements) {
    if (Result<void> checked = Check(requirement); !checked) return std::move(checked).error();
  }
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
  selector.requirements_ = std::move(requirements);
  return selector;
}

Result<LabelSelector> LabelSelector::Parse(std::string_view text) {
  Result<std::vector<Requirement>> requirements = Parser(text).Parse();
  if (!requirements) return std::move(requirements).error();
  return Of(std::move(*requirements));
}

bool LabelSelector::Satisfies(const Requirement& requirement,
                              std::optional<std::string_view> value) {
  const auto listed = [&] {
    return std::binary_search(requirement.values.begin(), requirement.values.end(), *value);
  };
  switch (requirement.operation) {
    case Operator::kIn:
      return value && listed();
    case Operator::kNotIn:
      return !value || !listed();
    case Operator::kExists:
      return value.has_value();
    case Operator::kDoesNotExist:
      return !value.has_value();
    case Operator::kGreaterThan:
    case Operator::kLessThan: {
      const std::optional<std::int64_t> number =
          value ? internal::base::NumberIn(*value) : std::nullopt;
      const std::optional<std::int64_t> bound = internal::base::NumberIn(requirement.values[0]);
      if (!number || !bound) return false;
      return requirement.operation == Operator::kGreaterThan ? *number > *bound : *number < *bound;
    }
  }
  return false;
}

std::string LabelSelector::ToString() const {
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    const bool single = requirement.values.size() == 1;
    switch (requirement.operation) {
      case Operator::kExists:
        out += requirement.key;
        continue;
      case Operator::kDoesNotExist:
        out += '!' + requirement.key;
        continue;
      case Operator::kGreaterThan:
        out += requirement.key + '>' + requirement.values[0];
        continue;
      case Operator::kLessThan:
        out += requirement.key + '<' + requirement.values[0];
        continue;
      case Operator::kIn:
        out += requirement.key + (single ? "=" : " in (");
        break;
      case Operator::kNotIn:
        out += requirement.key + (single ? "!=" : " notin (");
        break;
    }
    for (std::size_t i = 0; i < requirement.values.size(); ++i) {
      if (i > 0) out += ',';
      out += requirement.values[i];
    }
    if (!single) out += ')';
  }
  return out;
}

}  // namespace kinformer
