#include "kinformer/json/json_diff.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/text/number_in.h"
#include "wire/json_depth.h"

namespace kinformer::json {
namespace {

class Differ {
 public:
  Value Run(const Value& from, const Value& to) {
    Compare(from, to);
    return Value(std::move(operations_));
  }

 private:
  void Emit(std::string_view op, const Value* value) {
    Value operation = Value::MakeObject({{"op", op}, {"path", path_}});
    if (value != nullptr) operation.Set("value", *value);
    operations_.push_back(std::move(operation));
  }

  // Calls `what` with the last token of the path.
  template <class F>
  void At(std::string_view token, const F& what) {
    const std::size_t before = path_.size();
    path_ += '/';
    path_ += token;
    what();
    path_.resize(before);
  }

  void Compare(const Value& from, const Value& to) {
    if (from == to) return;
    if (from.is_object() && to.is_object()) return Objects(from.members(), to.members());
    if (from.is_array() && to.is_array()) return Arrays(from.items(), to.items());
    Emit("replace", &to);
  }

  void Objects(const Object& from, const Object& to) {
    for (const auto& [name, value] : from) {
      const Value* const now = to.Find(name);
      At(EscapePointerToken(name), [&] {
        if (now == nullptr) {
          Emit("remove", nullptr);
        } else {
          Compare(value, *now);
        }
      });
    }
    for (const auto& [name, value] : to) {
      if (from.Find(name) != nullptr) continue;
      At(EscapePointerToken(name), [&] { Emit("add", &value); });
    }
  }

  void Arrays(const Array& from, const Array& to) {
    const std::size_t shorter = std::min(from.size(), to.size());
    std::size_t head = 0;
    while (head < shorter && from[head] == to[head]) ++head;
    std::size_t tail = 0;
    while (tail < shorter - head && from[from.size() - 1 - tail] == to[to.size() - 1 - tail])
      ++tail;
    const std::size_t old_end = from.size() - tail;
    const std::size_t new_end = to.size() - tail;
    const std::size_t both = std::min(old_end, new_end);
    for (std::size_t i = head; i < both; ++i) {
      At(std::to_string(i), [&] { Compare(from[i], to[i]); });
    }
    for (std::size_t i = old_end; i > both; --i) {
      At(std::to_string(i - 1), [&] { Emit("remove", nullptr); });
    }
    for (std::size_t i = both; i < new_end; ++i) {
      At(std::to_string(i), [&] { Emit("add", &to[i]); });
    }
  }

  std::string path_;
  Array operations_;
};

// Returns the pointer of the first null inside objects that a merge patch would have to write.
std::optional<std::string> FindNull(const Value& value) {
  if (value.is_null()) return std::string();
  for (const auto& [name, member] : value.members()) {
    if (std::optional<std::string> below = FindNull(member)) {
      return "/" + EscapePointerToken(name) + *below;
    }
  }
  return std::nullopt;
}

Error CannotBeNull(const std::string& pointer) {
  return Error(Reason::kInvalidArgument,
               "a merge patch cannot set " + pointer +
                   " to null, which means removal there: send a JSON patch (json::Diff)");
}

Result<Value> MergeObjects(const Object& from, const Object& to, const std::string& path) {
  Value patch = Value::MakeObject();
  for (const auto& [name, value] : from) {
    if (to.Find(name) == nullptr) patch.Set(name, nullptr);
  }
  for (const auto& [name, value] : to) {
    const std::string at = path + "/" + EscapePointerToken(name);
    const Value* const before = from.Find(name);
    if (before != nullptr && *before == value) continue;
    if (before != nullptr && before->is_object() && value.is_object()) {
      Result<Value> below = MergeObjects(before->members(), value.members(), at);
      if (!below) return below;
      patch.Set(name, *std::move(below));
      continue;
    }
    if (const std::optional<std::string> null = FindNull(value)) return CannotBeNull(at + *null);
    patch.Set(name, value);
  }
  return patch;
}

Error Refuse(const std::string& why) { return Error(Reason::kInvalidArgument, why); }

// "/a/b" must not be moved into "/a/b/c".
bool IsWithin(std::string_view path, std::string_view of) {
  return path.size() > of.size() && path.substr(0, of.size()) == of && path[of.size()] == '/';
}

Result<void> CheckDepth(std::string_view path, const Value& value) {
  std::size_t looked_at = 0;
  if (LevelsOf(path) + DepthOf(value, looked_at) <= kMaxDepth) return {};
  return Refuse("it makes the document deeper than " + std::to_string(kMaxDepth) + " levels");
}

Result<void> Add(std::string_view path, const Value& value, Value& document) {
  if (Result<void> fits = CheckDepth(path, value); !fits) return fits;
  if (path.empty()) {
    document = value;
    return {};
  }
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return Refuse("the path does not begin with a slash");
  Value* const parent = document.FindPointer(path.substr(0, slash));
  if (parent == nullptr) return Refuse("its parent does not exist");
  const std::string token(path.substr(slash + 1));
  Array* const items = parent->IfArray();
  if (items == nullptr) {
    if (!parent->is_object()) return Refuse("its parent is neither an object nor an array");
    return document.SetPointer(path, value);
  }
  std::size_t index = items->size();
  if (token != "-") {
    const bool digits = !token.empty() && token.size() < 10 &&
                        token.find_first_not_of("0123456789") == std::string::npos &&
                        (token == "0" || token.front() != '0');
    if (!digits) return Refuse("\"" + token + "\" is no index of an array");
    index = internal::base::NumberIn<std::size_t>(token).value_or(0);
    if (index > items->size()) return Refuse("the index is beyond the array's end");
  }
  // A copy first, because the value may be inside the array, whose items move.
  Value copy = value;
  items->insert(items->begin() + static_cast<std::ptrdiff_t>(index), std::move(copy));
  return {};
}

Result<void> Remove(std::string_view path, Value& document) {
  if (path.empty()) {
    document = Value();
    return {};
  }
  if (document.FindPointer(path) == nullptr) return Refuse("there is no such value");
  return document.ErasePointer(path);
}

// `copied`: total size of the copies so far, which can double with each copy.
Result<void> CheckCopy(const Value& source, std::size_t& copied) {
  constexpr std::size_t kMaxCopied = std::size_t{64} << 20;
  std::size_t values = 0;
  (void)DepthOf(source, values);
  copied += values * sizeof(Value) + source.Dump().size();
  if (copied <= kMaxCopied) return {};
  return Refuse("the copies in this patch take more than " + std::to_string(kMaxCopied >> 20) +
                " MiB");
}

Result<void> Apply(const Value& operation, Value& document, std::size_t& copied) {
  if (!operation.is_object()) return Refuse("it is no object");
  const std::string& op = operation["op"].StringOrEmpty();
  if (!operation["path"].is_string()) return Refuse("it has no path");
  const std::string& path = operation["path"].StringOrEmpty();
  const bool has_value = operation.contains("value");
  if (op == "remove") return Remove(path, document);
  if (op == "add" || op == "replace" || op == "test") {
    if (!has_value) return Refuse("it has no value");
    const Value& value = operation["value"];
    if (op == "add") return Add(path, value, document);
    Value* const there = document.FindPointer(path);
    if (there == nullptr) return Refuse("there is no such value");
    if (op == "replace") {
      if (Result<void> fits = CheckDepth(path, value); !fits) return fits;
      *there = value;
    } else if (!(*there == value)) {
      return Refuse("the value is another");
    }
    return {};
  }
  if (op != "move" && op != "copy") {
    return Refuse("\"" + op + "\" is none of add, remove, replace, move, copy, test");
  }
  if (!operation["from"].is_string()) return Refuse("it has no from");
  const std::string& from = operation["from"].StringOrEmpty();
  const Value* const source = document.FindPointer(from);
  if (source == nullptr) return Refuse("there is nothing at " + from);
  if (op == "move" && IsWithin(path, from)) return Refuse("a value cannot be moved into itself");
  if (Result<void> fits = op == "copy" ? CheckCopy(*source, copied) : Result<void>(); !fits) {
    return fits;
  }
  const Value value = *source;
  if (op == "move") {
    if (Result<void> removed = Remove(from, document); !removed) return removed;
  }
  return Add(path, value, document);
}

}  // namespace

Value Diff(const Value& from, const Value& to) { return Differ().Run(from, to); }

Result<Value> MergeDiff(const Value& from, const Value& to) {
  if (from.is_object() && to.is_object()) return MergeObjects(from.members(), to.members(), "");
  if (const std::optional<std::string> null = to.is_object() ? FindNull(to) : std::nullopt) {
    return CannotBeNull(*null);
  }
  return to;
}

Result<void> ApplyPatch(const Value& patch, Value& document) {
  if (!patch.is_array()) return Refuse("a JSON patch must be an array of operations");
  Value changed = document;
  std::size_t number = 0;
  std::size_t copied = 0;
  for (const Value& operation : patch.items()) {
    ++number;
    if (Result<void> done = Apply(operation, changed, copied); !done) {
      std::string where = "JSON patch, operation " + std::to_string(number);
      if (operation.is_object()) {
        where +=
            " (" + operation["op"].StringOrEmpty() + " " + operation["path"].StringOrEmpty() + ")";
      }
      Error error = std::move(done).error();
      error.WithContext(where);
      return error;
    }
  }
  document = std::move(changed);
  return {};
}

}  // namespace kinformer::json
