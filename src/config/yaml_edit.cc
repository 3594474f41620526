#include "config/yaml_edit.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "kinformer/json/yaml.h"

#include "config/kubeconfig_value.h"

namespace kinformer::internal::config {

namespace {

using json::Value;
using Lines = std::vector<std::string>;

Lines LinesOf(std::string_view text) {
  Lines out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string Joined(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

void Add(Lines& out, const Lines& more) { out.insert(out.end(), more.begin(), more.end()); }

std::size_t IndentOf(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Whether the line is blank or a comment.
bool IsSilent(const std::string& line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string::npos || line[at] == '#';
}

bool IsItem(const std::string& line, std::size_t indent) {
  return IndentOf(line) == indent && line.size() > indent && line[indent] == '-' &&
         (line.size() == indent + 1 || line[indent + 1] == ' ');
}

// Returns the value as lines in block style, indented.
Lines Rendered(const Value& value, std::size_t indent) {
  Lines out = LinesOf(yaml::Dump(value));
  for (std::string& line : out) {
    if (!line.empty()) line.insert(0, indent, ' ');
  }
  return out;
}

Lines RenderedMember(const std::string& name, const Value& value, std::size_t indent) {
  return Rendered(Value::MakeObject({{name, value}}), indent);
}

// The key at the begin of a line, and where its value begins: behind the colon.
struct Key {
  std::string name{};
  std::size_t value_at = 0;
};

std::optional<Key> KeyOf(const std::string& line, std::size_t indent) {
  const char quote = line[indent];
  std::size_t colon = 0;
  Key out;
  if (quote == '"' || quote == '\'') {
    const std::size_t end = line.find(quote, indent + 1);
    if (end == std::string::npos) return std::nullopt;
    out.name = line.substr(indent + 1, end - indent - 1);
    colon = end + 1;
    if (colon >= line.size() || line[colon] != ':') return std::nullopt;
  } else {
    colon = line.find(": ", indent);
    if (colon == std::string::npos && line.ends_with(':')) colon = line.size() - 1;
    if (colon == std::string::npos) return std::nullopt;
    out.name = line.substr(indent, colon - indent);
  }
  out.value_at = colon + 1;
  return out;
}

// A member of a map or an item of a list: its lines, and the blank lines and comments behind it,
// which belong to what follows.
struct Part {
  std::string name{};
  Lines body{};
  Lines behind{};
};

// Moves blank lines and comments from the end of the body, unless they are inside of it.
void SplitBehind(Part& part, std::size_t indent) {
  std::size_t keep = part.body.size();
  while (keep > 1 && IsSilent(part.body[keep - 1]) &&
         (IndentOf(part.body[keep - 1]) <= indent ||
          part.body[keep - 1].find_first_not_of(" \t") == std::string::npos)) {
    --keep;
  }
  const auto at = part.body.begin() + static_cast<std::ptrdiff_t>(keep);
  part.behind.assign(at, part.body.end());
  part.body.erase(at, part.body.end());
}

// Lines of a map or list: what stands before its first part, and the parts.
struct Parts {
  Lines head{};
  std::vector<Part> parts{};
};

// `begins(line)`: whether a part begins there.
template <class Begins>
Parts PartsOf(const Lines& lines, std::size_t indent, const Begins& begins) {
  Parts out;
  for (const std::string& line : lines) {
    if (begins(line)) {
      out.parts.push_back({.body = {line}});
    } else {
      (out.parts.empty() ? out.head : out.parts.back().body).push_back(line);
    }
  }
  for (Part& part : out.parts) SplitBehind(part, indent);
  return out;
}

// Returns where the content of the first line that has one begins.
std::optional<std::size_t> FirstIndent(const Lines& lines) {
  for (const std::string& line : lines) {
    if (!IsSilent(line)) return IndentOf(line);
  }
  return std::nullopt;
}

std::optional<Lines> EditMap(const Lines& lines, std::size_t indent, const Value& before,
                             const Value& after);
std::optional<Lines> EditList(const Lines& lines, std::size_t indent, const Value& before,
                              const Value& after);

// Returns the end of the quoted text that begins at `first`.
std::size_t EndOfQuotes(const std::string& text, std::size_t first) {
  const char quote = text[first];
  for (std::size_t i = first + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return i;
      ++i;  // two of them stand for one
    }
  }
  return text.size();
}

// Returns what follows the value in its line: blanks and a comment.
std::string CommentBehind(const std::string& rest) {
  const std::size_t first = rest.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  std::size_t from = first;
  if (rest[first] == '#') return " " + rest.substr(first);
  if (rest[first] == '"' || rest[first] == '\'') from = EndOfQuotes(rest, first);
  const std::size_t hash = rest.find(" #", from);
  if (hash == std::string::npos) return {};
  const std::size_t blanks = rest.find_last_not_of(' ', hash);
  return rest.substr(blanks + 1);
}

// Returns the lines of a member whose value changes.
Lines EditMember(const Part& part, const Key& key, std::size_t indent, const Value& before,
                 const Value& after) {
  const std::string& first = part.body.front();
  if (part.body.size() == 1 && after.size() == 0) {
    const Lines text = LinesOf(yaml::Dump(after));
    if (text.size() == 1) {
      return {first.substr(0, key.value_at) + " " + text.front() +
              CommentBehind(first.substr(key.value_at))};
    }
  }
  const Lines inside(part.body.begin() + 1, part.body.end());
  const bool alone = IsSilent(first.substr(key.value_at));
  const std::optional<std::size_t> inner = FirstIndent(inside);
  std::optional<Lines> edited;
  if (alone && inner && after.size() > 0) {
    if (before.is_object() && after.is_object() && *inner > indent) {
      edited = EditMap(inside, *inner, before, after);
    } else if (before.is_array() && after.is_array() && *inner >= indent) {
      edited = EditList(inside, *inner, before, after);
    }
  }
  if (!edited) return RenderedMember(part.name, after, indent);
  Lines out{first};
  Add(out, *edited);
  return out;
}

std::optional<Lines> EditMap(const Lines& lines, std::size_t indent, const Value& before,
                             const Value& after) {
  Parts map = PartsOf(lines, indent, [&](const std::string& line) {
    return !IsSilent(line) && IndentOf(line) == indent && !IsItem(line, indent) &&
           !(indent == 0 && (line.starts_with("---") || line.starts_with('%')));
  });
  Lines out = map.head;
  std::size_t kept = 0;
  const auto add_new = [&] {
    for (const auto& [name, value] : after.members()) {
      if (!before.contains(name)) Add(out, RenderedMember(name, value, indent));
    }
  };
  for (Part& part : map.parts) {
    const std::optional<Key> key = KeyOf(part.body.front(), indent);
    if (!key || !before.contains(key->name)) return std::nullopt;
    part.name = key->name;
    if (const Value* value = after.Find(part.name); value != nullptr) {
      ++kept;
      Add(out, before[part.name] == *value
                   ? part.body
                   : EditMember(part, *key, indent, before[part.name], *value));
    }
    if (&part == &map.parts.back()) add_new();
    Add(out, part.behind);
  }
  if (kept == 0) return std::nullopt;
  return out;
}

// Returns the lines of an item whose value changes.
Lines EditItem(const Part& part, std::size_t indent, const Value& before, const Value& after) {
  Lines anew = Rendered(Value::MakeArray({after}), indent);
  Lines lines = part.body;
  lines.front()[indent] = ' ';
  if (IsSilent(lines.front()) || !before.is_object() || !after.is_object()) return anew;
  const std::size_t inner = IndentOf(lines.front());
  std::optional<Lines> edited = EditMap(lines, inner, before, after);
  if (!edited || IsSilent(edited->front()) || IndentOf(edited->front()) != inner) return anew;
  edited->front()[indent] = '-';
  return *edited;
}

// Returns the item of `list` that `item`, at `index` of another list, became; null if none.
const Value* Successor(const Value& list, bool named, const Value& item, std::size_t index) {
  if (!named) return index < list.size() ? &list[index] : nullptr;
  for (const Value& other : list.items()) {
    if (other["name"] == item["name"]) return &other;
  }
  return nullptr;
}

std::optional<Lines> EditList(const Lines& lines, std::size_t indent, const Value& before,
                              const Value& after) {
  Parts list =
      PartsOf(lines, indent, [&](const std::string& line) { return IsItem(line, indent); });
  if (list.parts.size() != before.size()) return std::nullopt;
  const bool named = IsListOfNamed(before) && IsListOfNamed(after);
  Lines out = list.head;
  for (std::size_t i = 0; i < list.parts.size(); ++i) {
    const Part& part = list.parts[i];
    const Value* const value = Successor(after, named, before[i], i);
    if (value != nullptr) {
      Add(out, before[i] == *value ? part.body : EditItem(part, indent, before[i], *value));
    }
    if (i + 1 == list.parts.size()) {
      for (std::size_t k = 0; k < after.size(); ++k) {
        if (Successor(before, named, after[k], k) == nullptr) {
          Add(out, Rendered(Value::MakeArray({after[k]}), indent));
        }
      }
    }
    Add(out, part.behind);
  }
  return out;
}

bool Reads(const std::string& text, const Value& as) {
  const Result<Value> parsed = yaml::Parse(text);
  return parsed.ok() && *parsed == as;
}

}  // namespace

std::string EditYaml(std::string_view text, const Value& before, const Value& after) {
  if (before == after) return std::string(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return after.DumpPretty() + "\n";
  // A file from Windows stays one.
  const bool returns = text.find("\r\n") != std::string_view::npos;
  Lines lines = LinesOf(text);
  if (returns) {
    for (std::string& line : lines) {
      if (line.ends_with('\r')) line.pop_back();
    }
  }
  std::optional<Lines> edited;
  if (before.is_null()) {
    edited = lines;  // at most comments
    Add(*edited, Rendered(after, 0));
  } else if (before.is_object() && after.is_object()) {
    edited = EditMap(lines, FirstIndent(lines).value_or(0), before, after);
  }
  // The result is read again, so that no form of YAML that is not thought of here can do harm.
  if (!edited || !Reads(Joined(*edited), after)) edited = Rendered(after, 0);
  if (returns) {
    for (std::string& line : *edited) line += '\r';
  }
  return Joined(*edited);
}

}  // namespace kinformer::internal::config
