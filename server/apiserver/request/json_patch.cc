// JSON patches (RFC 6902), as the API server applies them.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/request/patch.h"
#include "base/text/number_in.h"
#include "wire/json_depth.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxOperations = 10'000;
// Limit of what the copies of one patch may add together, since copies of copies grow without end.
// The same as on real servers.
constexpr std::size_t kMaxCopied = std::size_t{3} << 20;
// Limit of the values that one patch may visit or move besides its own, since each operation may
// traverse long lists and objects.
constexpr std::size_t kMaxTouched = 10'000'000;

Error Rejected(const std::string& why) {
  Error error(Reason::kInvalid,
              "the server rejected our request due to an error in our request: " + why);
  error.WithHttpStatus(422);
  return error;
}

// Returns the index at which an element is inserted into an array of `size` elements; "-": the end.
std::optional<std::size_t> InsertionIndex(const std::string& token, std::size_t size) {
  if (token == "-") return size;
  if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos ||
      token.size() > 9) {
    return std::nullopt;
  }
  return internal::base::NumberIn<std::size_t>(token);
}

// Cost of all operations of a patch so far.
struct Spent {
  std::size_t copied = 0;
  std::size_t touched = 0;
};

// One operation of a patch. Keeps references to its arguments.
class Operation {
 public:
  Operation(const json::Value& operation, json::Value& document, Spent& spent)
      : operation_(operation),
        op_(operation["op"].StringOrEmpty()),
        path_(operation["path"].StringOrEmpty()),
        document_(document),
        spent_(spent) {}

  Result<void> Apply() {
    if (op_ == "test") return Test();
    if (op_ == "add") return Insert(operation_["value"]);
    if (op_ == "replace") return Replace();
    if (op_ == "remove") return Remove();
    if (op_ == "move") return Move();
    if (op_ == "copy") return Copy();
    return Fail("unknown operation");
  }

  // The same, for an array whose elements were moved to a deque.
  Result<void> ApplyTo(std::deque<json::Value>& list) {
    const std::string token = LastToken();
    const auto index = InsertionIndex(token, list.size());
    if (!index) return Fail("not an index");
    const bool removes = op_ == "remove";
    const bool padded = token.size() > 1 && token.front() == '0';
    if (removes && (token == "-" || padded || *index >= list.size())) {
      return Fail("there is no such value");
    }
    if (*index > list.size()) return Fail("the index is past the end");
    if (Result<void> held = Touch(std::min(*index, list.size() - *index)); !held) return held;
    const auto at = list.begin() + static_cast<std::ptrdiff_t>(*index);
    if (removes) {
      list.erase(at);
      return {};
    }
    if (Result<void> fits = CheckDepth(operation_["value"]); !fits) return fits;
    list.insert(at, operation_["value"]);
    return {};
  }

  // The same, for removals from one object: records the members to remove in `gone`.
  Result<void> ApplyTo(const json::Object& object, std::set<std::string, std::less<>>& gone) {
    const std::optional<std::string> name = MemberName();
    if (!name || object.Find(*name) == nullptr || !gone.insert(*name).second) {
      return Fail("there is no such value");
    }
    return {};
  }

  [[nodiscard]] Error Fail(std::string_view why) const {
    return Rejected("json patch operation " + op_ + " at \"" + path_ + "\": " + std::string(why));
  }

  Result<void> Touch(std::size_t values) {
    spent_.touched += values;
    if (spent_.touched <= kMaxTouched) return {};
    return Fail("the patch moves about more than " + std::to_string(kMaxTouched) +
                " values of lists and objects; replace these as a whole");
  }

 private:
  [[nodiscard]] std::string LastToken() const { return path_.substr(path_.rfind('/') + 1); }

  // Returns LastToken without escapes; nullopt if the escapes are invalid.
  [[nodiscard]] std::optional<std::string> MemberName() const {
    std::string name;
    const std::string token = LastToken();
    for (std::size_t i = 0; i < token.size(); ++i) {
      if (token[i] != '~') {
        name += token[i];
        continue;
      }
      const char next = ++i < token.size() ? token[i] : '\0';
      if (next != '0' && next != '1') return std::nullopt;
      name += next == '0' ? '~' : '/';
    }
    return name;
  }

  // Checks that `value` at the path does not exceed the depth limit.
  Result<void> CheckDepth(const json::Value& value) {
    std::size_t looked_at = 0;
    const std::size_t depth = json::LevelsOf(path_) + json::DepthOf(value, looked_at);
    if (depth > json::kMaxDepth) {
      return Fail("it makes the object deeper than " + std::to_string(json::kMaxDepth) + " levels");
    }
    return Touch(looked_at);
  }

  Result<void> Insert(json::Value value) {
    if (Result<void> fits = CheckDepth(value); !fits) return fits;
    const std::size_t slash = path_.rfind('/');
    if (slash == std::string::npos) {
      document_ = std::move(value);
      return {};
    }
    json::Value* parent = document_.FindPointer(path_.substr(0, slash));
    if (parent == nullptr) return Fail("its parent does not exist");
    if (json::Array* array = parent->IfArray()) {
      const auto index = InsertionIndex(path_.substr(slash + 1), array->size());
      if (!index) return Fail("not an index");
      if (*index > array->size()) return Fail("the index is past the end");
      if (Result<void> held = Touch(array->size() - *index); !held) return held;
      array->insert(array->begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
      return {};
    }
    if (!parent->is_object()) return Fail("its parent is neither an object nor an array");
    return document_.SetPointer(path_, std::move(value));
  }

  Result<void> Test() const {
    const json::Value* found = document_.FindPointer(path_);
    if (found == nullptr || !(*found == operation_["value"])) return Fail("the value is another");
    return {};
  }

  Result<void> Replace() {
    if (json::Value* found = document_.FindPointer(path_)) {
      if (Result<void> fits = CheckDepth(operation_["value"]); !fits) return fits;
      *found = operation_["value"];
      return {};
    }
    if (path_.find('/') != std::string::npos) {
      // As on a real server, and against RFC 6902, replacing an absent member adds it.
      const json::Value* parent = document_.FindPointer(path_.substr(0, path_.rfind('/')));
      if (parent != nullptr && parent->is_object()) return Insert(operation_["value"]);
    }
    return Fail("there is no such value");
  }

  Result<void> Erase(const std::string& path) {
    const json::Value* parent = document_.FindPointer(path.substr(0, path.rfind('/')));
    if (parent != nullptr && !path.empty()) {
      if (Result<void> held = Touch(parent->size()); !held) return held;
    }
    return document_.ErasePointer(path);
  }

  Result<void> Remove() {
    if (document_.FindPointer(path_) == nullptr) return Fail("there is no such value");
    return Erase(path_);
  }

  Result<void> Move() {
    const std::string& from = operation_["from"].StringOrEmpty();
    json::Value* found = document_.FindPointer(from);
    if (found == nullptr) return NothingAt(from);
    json::Value value = std::move(*found);
    if (Result<void> erased = Erase(from); !erased) return erased;
    return Insert(std::move(value));
  }

  Result<void> Copy() {
    const std::string& from = operation_["from"].StringOrEmpty();
    const json::Value* found = document_.FindPointer(from);
    if (found == nullptr) return NothingAt(from);
    spent_.copied += found->Dump().size();
    if (spent_.copied > kMaxCopied) {
      return Fail("the copies in this patch add more than " + std::to_string(kMaxCopied) +
                  " bytes");
    }
    return Insert(*found);
  }

  [[nodiscard]] Error NothingAt(const std::string& from) const {
    return Fail("there is nothing at \"" + from + "\"");
  }

  const json::Value& operation_;
  const std::string& op_;
  const std::string& path_;
  json::Value& document_;
  Spent& spent_;
};

// The operations of a patch in order. Consecutive ones that add to and remove from the same array,
// or remove from the same object, are applied in one pass.
class JsonPatch {
 public:
  JsonPatch(const json::Array& operations, json::Value& document)
      : operations_(operations), document_(document) {}

  Result<void> Apply() {
    for (std::size_t i = 0; i < operations_.size();) {
      const std::size_t end = EndOfRun(i);
      Result<void> applied = end - i > 1 ? ApplyRun(i, end) : At(i).Apply();
      if (!applied && applied.error().reason() == Reason::kInvalid) return applied;
      if (!applied) return Rejected(applied.error().message());
      i = end;
    }
    return {};
  }

 private:
  Operation At(std::size_t i) { return {operations_[i], document_, spent_}; }

  // Returns the parent path that a run's operations share; nullopt if this one is in no run.
  [[nodiscard]] std::optional<std::string_view> ParentOf(std::size_t i) const {
    const std::string& op = operations_[i]["op"].StringOrEmpty();
    const std::string& path = operations_[i]["path"].StringOrEmpty();
    const std::size_t slash = path.rfind('/');
    if ((op != "add" && op != "remove") || slash == std::string::npos) return std::nullopt;
    return std::string_view(path).substr(0, slash);
  }

  [[nodiscard]] std::size_t EndOfRun(std::size_t begin) const {
    const auto parent = ParentOf(begin);
    const json::Value* value = parent ? document_.FindPointer(*parent) : nullptr;
    std::size_t end = begin + 1;
    if (value == nullptr || (!value->is_array() && !Removes(begin))) return end;
    while (end < operations_.size() && ParentOf(end) == parent &&
           (value->is_array() || Removes(end))) {
      ++end;
    }
    return end;
  }

  [[nodiscard]] bool Removes(std::size_t i) const {
    return operations_[i]["op"].StringOrEmpty() == "remove";
  }

  Result<void> ApplyRun(std::size_t begin, std::size_t end) {
    json::Value& parent = *document_.FindPointer(*ParentOf(begin));
    if (Result<void> held = At(begin).Touch(parent.size()); !held) return held;
    if (json::Array* array = parent.IfArray()) {
      std::deque<json::Value> list(std::make_move_iterator(array->begin()),
                                   std::make_move_iterator(array->end()));
      for (std::size_t i = begin; i < end; ++i) {
        if (Result<void> applied = At(i).ApplyTo(list); !applied) return applied;
      }
      array->assign(std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
      return {};
    }
    json::Object* const object = parent.IfObject();
    if (object == nullptr) return At(begin).Fail("there is no such value");
    std::set<std::string, std::less<>> gone;
    for (std::size_t i = begin; i < end; ++i) {
      if (Result<void> applied = At(i).ApplyTo(*object, gone); !applied) return applied;
    }
    object->EraseIf(
        [&](const json::Object::Member& member) { return gone.contains(member.first); });
    return {};
  }

  const json::Array& operations_;
  json::Value& document_;
  Spent spent_{};
};

}  // namespace

Result<void> ApplyJsonPatch(const json::Value& patch, json::Value& document) {
  if (!patch.is_array()) return BadRequestError("a JSON patch must be an array of operations");
  if (patch.size() > kMaxOperations) {
    Error error(
        Reason::kRequestEntityTooLarge,
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000");
    error.WithHttpStatus(413);
    return error;
  }
  return JsonPatch(patch.items(), document).Apply();
}

}  // namespace kinformer::apiserver
