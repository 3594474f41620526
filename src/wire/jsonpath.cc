#include "kinformer/json/jsonpath.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text/go_text.h"
#include "wire/jsonpath_parser.h"

namespace kinformer::json {
namespace {

using wire::PathItem;
using wire::PathStep;
using wire::PathSteps;
using Found = std::vector<const Value*>;
using Kind = PathStep::Kind;

Error Failed(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

// Returns the members in the order of their names.
std::vector<const Object::Member*> Sorted(const Object& object) {
  std::vector<const Object::Member*> members;
  for (const Object::Member& member : object) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  return members;
}

void AppendChildren(const Value& value, Found& out) {
  for (const Value& item : value.items()) out.push_back(&item);
  for (const auto* member : Sorted(value.members())) out.push_back(&member->second);
}

// Empty if the values have no order.
std::optional<std::partial_ordering> Compare(const Value& a, const Value& b) {
  const auto text_a = a.AsString();
  const auto text_b = b.AsString();
  if (text_a && text_b) return *text_a <=> *text_b;
  if (!a.is_number() || !b.is_number()) return std::nullopt;
  if (a.AsInt64() && b.AsInt64()) return *a.AsInt64() <=> *b.AsInt64();
  return a.AsDouble().value_or(0) <=> b.AsDouble().value_or(0);
}

Result<bool> Holds(const Value& a, const std::string& comparison, const Value& b) {
  if (a.type() != b.type()) {
    return Failed("a filter compares a " + std::string(TypeName(a.type())) + " with a " +
                  std::string(TypeName(b.type())));
  }
  if (a.is_array() || a.is_object() || a.is_null()) {
    return Failed("a filter cannot compare values of type " + std::string(TypeName(a.type())));
  }
  if (comparison == "==") return a == b;
  if (comparison == "!=") return !(a == b);
  const std::optional<std::partial_ordering> order = Compare(a, b);
  if (!order) return Failed("a filter cannot order values of type bool");
  if (comparison == "<") return *order < 0;
  if (comparison == ">") return *order > 0;
  return comparison == "<=" ? *order <= 0 : *order >= 0;
}

// One execution.
class Run {
 public:
  explicit Run(const JSONPathOptions& options) : options_(options), left_(options.max_values) {}

  // Appends the values of each item to `out`. `at` may be null: a range over nothing.
  Result<void> Items(const std::vector<PathItem>& items, const Value& at, std::vector<Found>& out) {
    for (const PathItem& item : items) {
      Found found{&at};
      if (Result<void> walked = Steps(item.steps, found); !walked) return walked;
      if (!item.is_range) {
        out.push_back(std::move(found));
        continue;
      }
      for (const Value* value : found) {
        if (Result<void> spent = Spend(item.body.size()); !spent) return spent;
        if (Result<void> ran = Items(item.body, *value, out); !ran) return ran;
      }
    }
    return {};
  }

 private:
  Result<void> Spend(std::size_t values) {
    if (values > left_) {
      is_exhausted_ = true;
      return Failed("the template looks at more than " + std::to_string(options_.max_values) +
                    " values");
    }
    left_ -= values;
    return {};
  }

  Result<void> Steps(const PathSteps& steps, Found& found) {
    for (const PathStep& step : steps) {
      if (Result<void> spent = Spend(found.size() + 1); !spent) return spent;
      if (Result<void> walked = Step(step, found); !walked) return walked;
    }
    return Spend(found.size());
  }

  Result<void> Step(const PathStep& step, Found& found) {
    switch (step.kind) {
      case Kind::kMember:
        return Member(step, found);
      case Kind::kEvery: {
        Found next;
        for (const Value* value : found) {
          if (Result<void> spent = Spend(value->size()); !spent) return spent;
          AppendChildren(*value, next);
        }
        found = std::move(next);
        return {};
      }
      case Kind::kRecursive: {
        Found next;
        for (const Value* value : found) {
          if (Result<void> gone = Recurse(*value, next); !gone) return gone;
        }
        found = std::move(next);
        return {};
      }
      case Kind::kSlice:
        return Slice(step, found);
      case Kind::kUnion: {
        Found next;
        for (const PathSteps& part : step.unions) {
          Found some = found;
          if (Result<void> walked = Steps(part, some); !walked) return walked;
          next.insert(next.end(), some.begin(), some.end());
        }
        found = std::move(next);
        return {};
      }
      case Kind::kFilter:
        return Filter(step, found);
      case Kind::kLiteral:
        found = {&step.literal};
        return {};
    }
    return {};
  }

  Result<void> Member(const PathStep& step, Found& found) const {
    Found next;
    for (const Value* value : found) {
      if (const Value* const member = value->Find(step.name)) next.push_back(member);
    }
    if (next.empty() && !options_.allow_missing_keys) return Failed(step.name + " is not found");
    found = std::move(next);
    return {};
  }

  // Appends the value if it has children, and those below it that have some.
  Result<void> Recurse(const Value& value, Found& out) {
    if (value.size() == 0) return {};
    if (Result<void> spent = Spend(value.size()); !spent) return spent;
    out.push_back(&value);
    Found children;
    AppendChildren(value, children);
    for (const Value* child : children) {
      if (Result<void> gone = Recurse(*child, out); !gone) return gone;
    }
    return {};
  }

  Result<void> Slice(const PathStep& step, Found& found) {
    Found next;
    for (const Value* value : found) {
      if (value->is_null()) continue;
      const Array* const items = value->IfArray();
      if (items == nullptr) {
        return Failed("a value of type " + std::string(TypeName(value->type())) + " has no items");
      }
      const auto size = static_cast<std::int64_t>(items->size());
      // Positions far outside of any array are as wrong as near ones, and do not overflow.
      const auto counted = [&](std::int64_t position) {
        return position < 0 ? std::max(position, -size - 1) + size : position;
      };
      const std::int64_t from = counted(step.from.value_or(0));
      std::int64_t to = step.to ? counted(*step.to) : size;
      if (step.is_index && step.from) {
        if (from < 0 || from >= size) return OutOfBounds(*step.from, size);
        to = from + 1;
      }
      if (from == to) continue;
      if (from < 0 || from >= size) return OutOfBounds(step.from.value_or(0), size);
      if (to < 0 || to > size) return OutOfBounds(step.to.value_or(0), size);
      if (from > to) {
        return Failed("a slice from " + std::to_string(from) + " to " + std::to_string(to) +
                      " ends before it begins");
      }
      if (Result<void> spent = Spend(static_cast<std::size_t>(to - from)); !spent) return spent;
      const std::int64_t by = std::min(step.by.value_or(1), size);
      for (std::int64_t i = from; i < to; i += by) {
        next.push_back(&(*items)[static_cast<std::size_t>(i)]);
      }
    }
    found = std::move(next);
    return {};
  }

  static Error OutOfBounds(std::int64_t index, std::int64_t size) {
    return Failed("array index out of bounds: index " + std::to_string(index) + ", length " +
                  std::to_string(size));
  }

  Result<void> Filter(const PathStep& step, Found& found) {
    Found next;
    for (const Value* value : found) {
      if (value->is_null()) continue;
      const Array* const items = value->IfArray();
      if (items == nullptr) {
        return Failed("a value of type " + std::string(TypeName(value->type())) +
                      " has no items to filter");
      }
      for (const Value& item : *items) {
        const Result<bool> kept = Keeps(step, item);
        if (!kept.ok()) return kept.error();
        if (*kept) next.push_back(&item);
      }
    }
    found = std::move(next);
    return {};
  }

  Result<bool> Keeps(const PathStep& step, const Value& item) {
    Found left{&item};
    const Result<void> walked = Steps(step.left, left);
    if (step.comparison.empty()) {
      if (!walked && is_exhausted_) return walked.error();
      return walked.ok() && !left.empty();
    }
    if (!walked) return walked.error();
    Found right{&item};
    if (Result<void> also = Steps(step.right, right); !also) return also.error();
    if (left.empty() || right.empty()) return false;
    if (left.size() > 1 || right.size() > 1) {
      return Failed("a filter compares one value with one other, not " +
                    std::to_string(std::max(left.size(), right.size())));
    }
    return Holds(*left.front(), step.comparison, *right.front());
  }

  const JSONPathOptions& options_;
  std::size_t left_;
  bool is_exhausted_ = false;
};

}  // namespace

JSONPath::JSONPath(std::shared_ptr<const wire::PathTemplate> parsed, const JSONPathOptions& options)
    : parsed_(std::move(parsed)), options_(options) {}

Result<JSONPath> JSONPath::Parse(std::string_view text, const JSONPathOptions& options) {
  Result<wire::PathTemplate> parsed = wire::ParsePathTemplate(text);
  if (!parsed) return std::move(parsed).error();
  return JSONPath(std::make_shared<const wire::PathTemplate>(*std::move(parsed)), options);
}

Result<std::vector<std::vector<const Value*>>> JSONPath::FindResults(const Value& data) const {
  std::vector<Found> results;
  if (Result<void> ran = Run(options_).Items(parsed_->items, data, results); !ran) {
    return std::move(ran).error();
  }
  return results;
}

Result<std::string> JSONPath::Execute(const Value& data) const {
  const Result<std::vector<Found>> results = FindResults(data);
  if (!results) return results.error();
  std::string out;
  for (const Found& found : *results) {
    if (options_.json_output) {
      Value all = Value::MakeArray();
      for (const Value* value : found) all.Append(*value);
      all.AppendTo(out, {.indent = 4, .sort_keys = true});
      out += '\n';
      continue;
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i > 0) out += ' ';
      out += EvalToText(*found[i]);
    }
  }
  return out;
}

Result<std::string> RelaxedJSONPathExpression(std::string_view path) {
  const std::string given(path);
  if (path.empty()) return Failed("a path is empty");
  const bool opened = path.starts_with('{');
  if (opened != path.ends_with('}')) return Failed("\"" + given + "\" has one brace of a pair");
  if (opened) path = path.substr(1, path.size() < 2 ? 0 : path.size() - 2);
  if (path.find_first_of("{}") != std::string_view::npos) {
    return Failed("\"" + given + "\" is not one path: name2, .name2, {name2} or {.name2}");
  }
  if (path.starts_with('$')) path.remove_prefix(1);
  const bool steps = path.starts_with('.') || path.starts_with('[');
  return std::string(steps ? "{" : "{.") + std::string(path) + "}";
}

std::string EvalToText(const Value& value) {
  if (value.is_string()) return value.StringOrEmpty();
  if (value.is_number()) {
    std::string text = value.NumberText();
    if (text.find_first_of(".eE") == std::string::npos) return text;
    return internal::base::GoFloat(value.AsDouble().value_or(0));
  }
  return value.Dump({.sort_keys = true});
}

}  // namespace kinformer::json
