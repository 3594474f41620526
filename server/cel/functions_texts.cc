// Functions of texts: searching, cutting, joining, and regular expressions.

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/text.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;
constexpr std::size_t kNone = std::string_view::npos;

Value OutOfRange(std::int64_t index) {
  return Value::Error("index out of range: " + std::to_string(index));
}

Value IntOf(std::size_t number) { return Value::Int(static_cast<std::int64_t>(number)); }

template <class Test>
Value Tested(Evaluation& evaluation, Arguments a, const Test& test) {
  if (!AreOf(a, {kString, kString})) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size() + a[1].text().size())) {
    return Evaluation::OverBudget();
  }
  return Value::Bool(test(a[0].text(), a[1].text()));
}

// Finds in linear time, so that a long text of the same sign costs what it is charged.
std::size_t FindText(std::string_view text, std::string_view part, std::size_t from = 0) {
  if (from > text.size()) return kNone;
  if (part.size() < 16) return text.find(part, from);
  // Knuth, Morris and Pratt: where to go on after a mismatch.
  std::vector<std::size_t> border(part.size(), 0);
  for (std::size_t i = 1, k = 0; i < part.size(); ++i) {
    while (k > 0 && part[i] != part[k]) k = border[k - 1];
    if (part[i] == part[k]) ++k;
    border[i] = k;
  }
  for (std::size_t i = from, k = 0; i < text.size(); ++i) {
    while (k > 0 && text[i] != part[k]) k = border[k - 1];
    if (text[i] == part[k]) ++k;
    if (k == part.size()) return i + 1 - k;
  }
  return kNone;
}

// Returns where `part` begins last, at `from` or before.
std::size_t FindLast(std::string_view text, std::string_view part, std::size_t from) {
  if (part.size() < 16) return text.rfind(part, from);
  if (part.size() > text.size()) return kNone;
  const std::string_view before =
      text.substr(0, std::min(text.size() - part.size(), from) + part.size());
  const std::size_t found = FindText(std::string(before.rbegin(), before.rend()),
                                     std::string(part.rbegin(), part.rend()));
  return found == kNone ? kNone : before.size() - found - part.size();
}

Value Contains(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Tested(evaluation, a, [](std::string_view text, std::string_view part) {
    return FindText(text, part) != kNone;
  });
}
Value StartsWith(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Tested(evaluation, a, [](std::string_view text, std::string_view part) {
    return text.starts_with(part);
  });
}
Value EndsWith(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Tested(evaluation, a,
                [](std::string_view text, std::string_view part) { return text.ends_with(part); });
}

// ---- Regular expressions

// Returns the pattern of a call, or an error value.
struct Pattern {
  std::shared_ptr<const RegularExpression> compiled{};
  Value error{};
};

Pattern PatternOf(Evaluation& evaluation, const Node& call, Arguments a) {
  Pattern pattern;
  if (call.pattern != nullptr) {
    pattern.compiled = call.pattern;
    return pattern;
  }
  auto compiled = RegularExpression::Compile(a[1].text());
  if (!compiled) {
    pattern.error = Value::Error(compiled.error().message());
    return pattern;
  }
  pattern.compiled = *std::move(compiled);
  // Compiling takes longer than an instruction of the pattern would take.
  if (!evaluation.Charge(a[1].text().size() + pattern.compiled->size() * 20 + 200)) {
    return {.error = Evaluation::OverBudget()};
  }
  return pattern;
}

// A search usually takes the time of the text, and at worst that of the text for each instruction.
bool ChargeSearch(Evaluation& evaluation, const RegularExpression& pattern, std::size_t bytes) {
  return evaluation.Charge(1 + bytes / 10 + bytes * pattern.size() / 40);
}

Value Matches(Evaluation& evaluation, const Node& call, Arguments a) {
  if (!AreOf(a, {kString, kString})) return NoSuchOverload();
  const Pattern pattern = PatternOf(evaluation, call, a);
  if (pattern.compiled == nullptr) return pattern.error;
  if (!ChargeSearch(evaluation, *pattern.compiled, a[0].text().size())) {
    return Evaluation::OverBudget();
  }
  return Value::Bool(pattern.compiled->Matches(a[0].text()));
}

Value Find(Evaluation& evaluation, const Node& call, Arguments a) {
  if (!AreOf(a, {kString, kString})) return NoSuchOverload();
  const Pattern pattern = PatternOf(evaluation, call, a);
  if (pattern.compiled == nullptr) return pattern.error;
  if (!ChargeSearch(evaluation, *pattern.compiled, a[0].text().size())) {
    return Evaluation::OverBudget();
  }
  const auto found = pattern.compiled->Find(a[0].text(), 0);
  return Value::String(std::string(found.value_or(std::string_view())));
}

Value FindAll(Evaluation& evaluation, const Node& call, Arguments a) {
  if (!AreOf(a.first(2), {kString, kString})) return NoSuchOverload();
  if (a.size() == 3 && !a[2].is(kInt)) return NoSuchOverload();
  const Pattern pattern = PatternOf(evaluation, call, a);
  if (pattern.compiled == nullptr) return pattern.error;
  const std::int64_t limit = a.size() == 3 && a[2].integer() >= 0
                                 ? a[2].integer()
                                 : std::numeric_limits<std::int64_t>::max();
  const std::string_view text = a[0].text();
  std::vector<Value> found;
  std::size_t at = 0;
  std::size_t last_end = kNone;
  while (at <= text.size() && static_cast<std::int64_t>(found.size()) < limit) {
    const auto part = pattern.compiled->Find(text, at);
    const std::size_t left = text.size() - at;
    const std::size_t read =
        part ? static_cast<std::size_t>(part->data() - text.data()) + part->size() - at : left;
    // A search may have to look far beyond what it finds.
    if (!ChargeSearch(evaluation, *pattern.compiled, read) || !evaluation.Charge(5 + left / 100)) {
      return Evaluation::OverBudget();
    }
    if (!part) break;
    const auto start = static_cast<std::size_t>(part->data() - text.data());
    const std::size_t end = start + part->size();
    // An empty match directly behind another one does not count.
    if (!part->empty() || start != last_end) found.push_back(Value::String(std::string(*part)));
    last_end = end;
    at = !part->empty() ? end : end < text.size() ? end + RuneAt(text, end).size : end + 1;
  }
  return Value::List(std::move(found));
}

// ---- Positions

Value CharAt(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kString, kInt})) return NoSuchOverload();
  const std::string_view text = a[0].text();
  if (!evaluation.ChargeText(text.size())) return Evaluation::OverBudget();
  const std::int64_t index = a[1].integer();
  const std::size_t at = index < 0 ? kNone : RuneOffset(text, static_cast<std::size_t>(index));
  if (at == kNone) return OutOfRange(index);
  if (at == text.size()) return Value::Borrowed("");
  return Value::String(std::string(text.substr(at, RuneAt(text, at).size)));
}

Value ListPosition(Evaluation& evaluation, Arguments a, bool last) {
  const std::size_t size = a[0].size();
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = last ? size - 1 - i : i;
    std::uint64_t cost = 0;
    const bool found = Equal(a[0].item(at), a[1], cost);
    if (!evaluation.Charge(cost)) return Evaluation::OverBudget();
    if (found) return IntOf(at);
  }
  return Value::Int(-1);
}

Value PositionOf(Evaluation& evaluation, Arguments a, bool last) {
  if (a[0].is(kList) && a.size() == 2) return ListPosition(evaluation, a, last);
  if (!AreOf(a.first(2), {kString, kString})) return NoSuchOverload();
  if (a.size() == 3 && !a[2].is(kInt)) return NoSuchOverload();
  const std::string_view text = a[0].text();
  const std::string_view part = a[1].text();
  if (!evaluation.ChargeText(2 * text.size() + part.size())) return Evaluation::OverBudget();
  std::size_t from = last ? text.size() : 0;
  if (a.size() == 3) {
    const std::int64_t index = a[2].integer();
    if (index < 0) return OutOfRange(index);
    from = RuneOffset(text, static_cast<std::size_t>(index));
    if (part.empty()) return from == kNone ? IntOf(RuneCount(text)) : a[2];
    if (from == kNone || from == text.size()) return Value::Int(-1);
  }
  const std::size_t found = last ? FindLast(text, part, from) : FindText(text, part, from);
  return found == kNone ? Value::Int(-1) : IntOf(RuneCount(text.substr(0, found)));
}

Value IndexOf(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return PositionOf(evaluation, a, /*last=*/false);
}
Value LastIndexOf(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return PositionOf(evaluation, a, /*last=*/true);
}

Value Substring(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString) || !a[1].is(kInt)) return NoSuchOverload();
  if (a.size() == 3 && !a[2].is(kInt)) return NoSuchOverload();
  const std::string_view text = a[0].text();
  if (!evaluation.ChargeText(2 * text.size())) return Evaluation::OverBudget();
  const std::int64_t start = a[1].integer();
  if (a.size() == 3 && start > a[2].integer()) {
    return Value::Error("invalid substring range. start: " + std::to_string(start) +
                        ", end: " + std::to_string(a[2].integer()));
  }
  const std::size_t from = start < 0 ? kNone : RuneOffset(text, static_cast<std::size_t>(start));
  if (from == kNone) return OutOfRange(start);
  std::size_t to = text.size();
  if (a.size() == 3) {
    to = RuneOffset(text, static_cast<std::size_t>(a[2].integer()));
    if (to == kNone) return OutOfRange(a[2].integer());
  }
  return Value::String(std::string(text.substr(from, to - from)));
}

// ---- Changes

Value Mapped(Evaluation& evaluation, Arguments a, char first, char last, int by) {
  if (!a[0].is(kString)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  std::string text(a[0].text());
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + by);
  }
  return Value::String(std::move(text));
}
Value LowerAscii(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Mapped(evaluation, a, 'A', 'Z', 'a' - 'A');
}
Value UpperAscii(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  return Mapped(evaluation, a, 'a', 'z', 'A' - 'a');
}

bool IsBlank(std::uint32_t code) {
  return code == ' ' || (code >= 9 && code <= 13) || code == 0x85 || code == 0xa0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
         code == 0x202f || code == 0x205f || code == 0x3000;
}

Value Trim(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  const std::string_view text = a[0].text();
  if (!evaluation.ChargeText(text.size())) return Evaluation::OverBudget();
  std::size_t start = text.size();
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Rune rune = RuneAt(text, at);
    if (!IsBlank(rune.code)) {
      start = std::min(start, at);
      end = at + rune.size;
    }
    at += rune.size;
  }
  return Value::String(end == 0 ? std::string() : std::string(text.substr(start, end - start)));
}

// Calls `visit` with the parts between separators; -1: all of them.
std::vector<std::string_view> Parts(std::string_view text, std::string_view separator,
                                    std::int64_t limit) {
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  while (limit < 0 || static_cast<std::int64_t>(parts.size()) + 1 < limit) {
    std::size_t end = kNone;
    if (!separator.empty()) {
      end = FindText(text, separator, at);
    } else if (at < text.size()) {
      // By signs; the last one has none behind it.
      end = at + RuneAt(text, at).size;
      if (end >= text.size()) end = kNone;
    }
    if (end == kNone) break;
    parts.push_back(text.substr(at, end - at));
    at = end + separator.size();
  }
  if (!separator.empty() || !text.empty()) parts.push_back(text.substr(at));
  return parts;
}

// A long separator is prepared again for each part.
std::size_t SplitCost(std::string_view text, std::string_view separator, std::size_t parts) {
  return text.size() + (separator.size() + 50) * parts;
}

Value Split(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a.first(2), {kString, kString})) return NoSuchOverload();
  if (a.size() == 3 && !a[2].is(kInt)) return NoSuchOverload();
  const std::int64_t limit = a.size() == 3 ? a[2].integer() : -1;
  if (limit == 0) return Value::List({});
  if (!evaluation.ChargeText(a[0].text().size() * 5)) return Evaluation::OverBudget();
  const std::vector<std::string_view> parts = Parts(a[0].text(), a[1].text(), limit);
  if (!evaluation.ChargeText(SplitCost(a[0].text(), a[1].text(), parts.size()))) {
    return Evaluation::OverBudget();
  }
  std::vector<Value> items;
  items.reserve(parts.size());
  for (const std::string_view part : parts) items.push_back(Value::String(std::string(part)));
  return Value::List(std::move(items));
}

Value Join(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kList) || (a.size() == 2 && !a[1].is(kString))) return NoSuchOverload();
  const std::string_view separator = a.size() == 2 ? a[1].text() : std::string_view();
  std::string out;
  for (std::size_t i = 0; i < a[0].size(); ++i) {
    Value item = a[0].item(i);
    if (item.is_error()) return item;
    if (!item.is(kString)) return NoSuchOverload();
    if (!evaluation.ChargeText(separator.size() + item.text().size())) {
      return Evaluation::OverBudget();
    }
    if (i > 0) out += separator;
    out += item.text();
  }
  return Value::String(std::move(out));
}

Value Replace(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a.first(3), {kString, kString, kString})) return NoSuchOverload();
  if (a.size() == 4 && !a[3].is(kInt)) return NoSuchOverload();
  std::int64_t limit = a.size() == 4 ? a[3].integer() : -1;
  const std::string_view text = a[0].text();
  const std::string_view old = a[1].text();
  const std::string_view with = a[2].text();
  if (!evaluation.ChargeText(text.size())) return Evaluation::OverBudget();
  std::string out;
  std::size_t at = 0;
  for (std::size_t from = 0; limit != 0; --limit) {
    // An empty text stands before each sign, and at the end.
    const std::size_t found = FindText(text, old, from);
    if (found == kNone) break;
    if (!evaluation.ChargeText(with.size() + old.size() + 20)) return Evaluation::OverBudget();
    out.append(text.substr(at, found - at)).append(with);
    at = found + old.size();
    from = at;
    if (!old.empty()) continue;
    if (at >= text.size()) break;
    from = at + RuneAt(text, at).size;
  }
  return Value::String(std::move(out.append(text.substr(at))));
}

Value Quote(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  const std::string_view text = a[0].text();
  if (!evaluation.ChargeText(8 * text.size())) return Evaluation::OverBudget();
  constexpr std::string_view kPlain = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kEscapes = "abfnrtv\\\"";
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const Rune rune = RuneAt(text, at);
    const std::size_t escape = rune.size == 1 ? kPlain.find(text[at]) : kNone;
    if (escape != kNone) {
      out.append("\\").append(1, kEscapes[escape]);
    } else {
      AppendRune(rune.code, out);
    }
    at += rune.size;
  }
  return Value::String(out + '"');
}

Value Format(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!AreOf(a, {kString, kList})) return NoSuchOverload();
  return Formatted(evaluation, a[0].text(), a[1]);
}

// Returns a member's name as a part of a path of a JSON patch.
Value EscapeKey(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  std::string out;
  for (const char c : a[0].text()) {
    if (c == '/') {
      out += "~1";
    } else if (c == '~') {
      out += "~0";
    } else {
      out += c;
    }
  }
  return Value::String(std::move(out));
}

}  // namespace

std::span<const FunctionEntry> TextFunctions() {
  static constexpr FunctionEntry kEntries[] = {
      {"contains", Contains},     {"jsonpatch.escapeKey", EscapeKey},
      {"startsWith", StartsWith}, {"endsWith", EndsWith},
      {"matches", Matches},       {"find", Find},
      {"findAll", FindAll},       {"charAt", CharAt},
      {"indexOf", IndexOf},       {"lastIndexOf", LastIndexOf},
      {"substring", Substring},   {"lowerAscii", LowerAscii},
      {"upperAscii", UpperAscii}, {"trim", Trim},
      {"split", Split},           {"join", Join},
      {"replace", Replace},       {"strings.quote", Quote},
      {"format", Format},
  };
  return kEntries;
}

}  // namespace kinformer::internal::cel
