#include "cel/format_check.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/number_in.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::size_t kMaxPrecision = 1000;

// The types that a clause may be given, and the answer to all others.
struct Clause {
  char verb;
  std::initializer_list<TypeKind> kinds;
  std::string_view refusal;
};

constexpr std::string_view kText =
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
    "durations, and timestamps, was given ";

const Clause* FindClause(char verb) {
  static const Clause kClauses[] = {
      {'s',
       {TypeKind::kList, TypeKind::kMap, TypeKind::kInt, TypeKind::kUint, TypeKind::kDouble,
        TypeKind::kBool, TypeKind::kString, TypeKind::kTimestamp, TypeKind::kBytes,
        TypeKind::kDuration, TypeKind::kType, TypeKind::kNull},
       kText},
      {'d',
       {TypeKind::kInt, TypeKind::kUint},
       "decimal clause can only be used on integers, was given "},
      {'f',
       {TypeKind::kDouble, TypeKind::kString},
       "fixed-point clause can only be used on doubles, was given "},
      {'e',
       {TypeKind::kDouble, TypeKind::kString},
       "scientific clause can only be used on doubles, was given "},
      {'b',
       {TypeKind::kInt, TypeKind::kUint, TypeKind::kBool},
       "only integers and bools can be formatted as binary, was given "},
      {'x',
       {TypeKind::kInt, TypeKind::kUint, TypeKind::kString, TypeKind::kBytes},
       "only integers, byte buffers, and strings can be formatted as hex, was given "},
      {'X',
       {TypeKind::kInt, TypeKind::kUint, TypeKind::kString, TypeKind::kBytes},
       "only integers, byte buffers, and strings can be formatted as hex, was given "},
      {'o',
       {TypeKind::kInt, TypeKind::kUint},
       "octal clause can only be used on integers, was given "},
  };
  const auto* const found = std::ranges::find(kClauses, verb, &Clause::verb);
  return found == std::end(kClauses) ? nullptr : found;
}

std::string RuntimeName(const Type& type) {
  if (type.kind == TypeKind::kNull) return "null_type";
  if (type.kind == TypeKind::kTimestamp) return "google.protobuf.Timestamp";
  if (type.kind == TypeKind::kDuration) return "google.protobuf.Duration";
  const std::string text = TypeText(type);
  return text.substr(0, text.find('('));
}

// Returns the item that the clause cannot be given: this one or, in lists and maps that are written
// out, one of theirs.
const Node* Unfit(const Clause& clause, const Node& item) {
  const TypeKind kind = item.type->kind;
  if (kind != TypeKind::kDyn && std::ranges::find(clause.kinds, kind) == clause.kinds.end())
    return &item;
  if (clause.verb != 's' || (item.kind != NodeKind::kList && item.kind != NodeKind::kMap)) {
    return nullptr;
  }
  for (const auto& child : item.children) {
    if (const Node* const unfit = Unfit(clause, *child)) return unfit;
  }
  return nullptr;
}

// Reads ".3" at the beginning of the text; nullopt if it is wrong.
std::optional<std::string_view> AfterPrecision(std::string_view text) {
  if (!text.starts_with('.')) return text;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", 1), text.size());
  const auto digits = base::NumberIn<std::size_t>(text.substr(1, end - 1));
  if (!digits || *digits > kMaxPrecision || end == text.size()) return std::nullopt;
  return text.substr(end);
}

}  // namespace

void CheckFormat(const Node& call, std::vector<Problem>& problems) {
  if (call.children.size() != 2 || call.children[0]->kind != NodeKind::kLiteral ||
      call.children[1]->kind != NodeKind::kList) {
    return;
  }
  const auto& items = call.children[1]->children;
  std::string_view text = call.children[0]->literal.text();
  std::size_t next = 0;
  const auto note = [&](const Node& at, std::string message) {
    problems.push_back({.offset = at.offset, .message = std::move(message)});
  };
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%')) {
    text.remove_prefix(at + 1);
    if (text.starts_with('%')) {
      text.remove_prefix(1);
      continue;
    }
    if (text.empty()) return note(call, "unexpected end of string");
    if (next >= items.size()) return note(call, "index " + std::to_string(next) + " out of range");
    const auto rest = AfterPrecision(text);
    if (!rest) return;  // what is wrong is said when it is evaluated
    const Clause* const clause = FindClause(rest->front());
    if (clause == nullptr) {
      return note(call, "could not parse formatting clause: unrecognized formatting clause \"" +
                            std::string(1, rest->front()) + "\"");
    }
    if (const Node* const unfit = Unfit(*clause, *items[next])) {
      return note(*unfit, "error during formatting: " + std::string(clause->refusal) +
                              RuntimeName(*unfit->type));
    }
    text = rest->substr(1);
    ++next;
  }
  if (next < items.size()) {
    note(call, "too many arguments supplied to string.format (expected " + std::to_string(next) +
                   ", got " + std::to_string(items.size()) + ")");
  }
}

}  // namespace kinformer::internal::cel
