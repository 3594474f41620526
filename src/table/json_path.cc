#include "table/json_path.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>

namespace kinformer::internal::table {
namespace {

using json::Value;
using Found = std::vector<const Value*>;

void Members(Found& found, std::string_view name) {
  Found next;
  for (const Value* value : found) {
    if (const Value* const member = value->Find(name)) next.push_back(member);
  }
  found = std::move(next);
}

void All(Found& found) {
  Found next;
  for (const Value* value : found) {
    for (const Value& item : value->items()) next.push_back(&item);
    for (const auto& [name, member] : value->members()) next.push_back(&member);
  }
  found = std::move(next);
}

void Item(Found& found, std::int64_t index) {
  Found next;
  for (const Value* value : found) {
    const json::Array& items = value->items();
    const std::int64_t at = index < 0 ? index + static_cast<std::int64_t>(items.size()) : index;
    if (at >= 0 && at < static_cast<std::int64_t>(items.size())) {
      next.push_back(&items[static_cast<std::size_t>(at)]);
    }
  }
  found = std::move(next);
}

// Reads a name up to the next '.' or '['; "\." is a dot in the name.
std::string TakeName(std::string_view& path) {
  std::string name;
  while (!path.empty() && path.front() != '.' && path.front() != '[') {
    if (path.front() == '\\' && path.size() > 1) path.remove_prefix(1);
    name += path.front();
    path.remove_prefix(1);
  }
  return name;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Returns the text between single or double quotes.
std::optional<std::string_view> Unquoted(std::string_view text) {
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"')) return std::nullopt;
  if (text.back() != text.front()) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

// Handles "[?( @.type == 'Ready' )]": keeps the items for which the comparison is true.
bool Filter(Found& found, std::string_view condition) {
  const bool equal = condition.find("==") != std::string_view::npos;
  const std::size_t at = condition.find(equal ? "==" : "!=");
  const std::string_view left = Trimmed(condition.substr(0, std::min(at, condition.size())));
  if (at == std::string_view::npos || left.substr(0, 1) != "@") return false;
  const std::string_view right = Trimmed(condition.substr(at + 2));
  const auto text = Unquoted(right);
  const auto literal = text ? Result<Value>(Value(*text)) : json::Parse(right);
  if (!literal) return false;
  All(found);
  std::erase_if(found, [&](const Value* item) {
    const Found members = FindByPath(*item, left.substr(1));
    return members.empty() || (*members.front() == *literal) != equal;
  });
  return true;
}

// Handles the text between a pair of brackets.
bool Bracket(Found& found, std::string_view inside) {
  if (inside == "*") {
    All(found);
    return true;
  }
  if (inside.size() > 3 && inside.substr(0, 2) == "?(" && inside.back() == ')') {
    return Filter(found, inside.substr(2, inside.size() - 3));
  }
  if (const auto name = Unquoted(inside)) {
    Members(found, *name);
    return true;
  }
  std::int64_t index = 0;
  const auto [end, failure] = std::from_chars(inside.data(), inside.data() + inside.size(), index);
  if (failure != std::errc() || end != inside.data() + inside.size()) return false;
  Item(found, index);
  return true;
}

// Returns the position of the bracket that closes the first one. Ignores brackets in quotes.
std::size_t ClosingBracket(std::string_view path) {
  char quote = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (quote != 0) {
      if (path[i] == quote) quote = 0;
    } else if (path[i] == '\'' || path[i] == '"') {
      quote = path[i];
    } else if (path[i] == ']') {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<const Value*> FindByPath(const Value& root, std::string_view path) {
  Found found{&root};
  if (path.size() > 1 && path.front() == '{' && path.back() == '}') {
    path = path.substr(1, path.size() - 2);
  }
  if (!path.empty() && path.front() == '$') path.remove_prefix(1);
  while (!path.empty() && !found.empty()) {
    if (path.front() == '[') {
      const std::size_t close = ClosingBracket(path);
      if (close == std::string_view::npos || !Bracket(found, Trimmed(path.substr(1, close - 1)))) {
        return {};
      }
      path.remove_prefix(close + 1);
      continue;
    }
    if (path.front() == '.') path.remove_prefix(1);
    const std::string name = TakeName(path);
    if (name == "*") {
      All(found);
    } else if (!name.empty()) {
      Members(found, name);
    } else if (!path.empty() && path.front() == '.') {
      return {};  // "..": any depth, which no column needs
    }
  }
  return found;
}

}  // namespace kinformer::internal::table
