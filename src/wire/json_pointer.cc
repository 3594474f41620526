// JSON pointers (RFC 6901) into json::Value, and merge patches (RFC 7386).

#include <optional>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "base/text/number_in.h"

namespace kinformer::json {
namespace {

// Reads one reference token of a pointer: a view into it, or unescaped in `scratch`. Returns false
// if a "~" escapes nothing.
bool NextToken(std::string_view& pointer, std::string& scratch, std::string_view& token) {
  pointer.remove_prefix(1);
  token = pointer.substr(0, pointer.find_first_of("/~"));
  if (token.size() == pointer.size() || pointer[token.size()] == '/') {
    pointer.remove_prefix(token.size());
    return true;
  }
  scratch.clear();
  while (!pointer.empty() && pointer.front() != '/') {
    char c = pointer.front();
    pointer.remove_prefix(1);
    if (c == '~') {
      if (pointer.empty()) return false;
      if (pointer.front() == '0') {
        c = '~';
      } else if (pointer.front() == '1') {
        c = '/';
      } else {
        return false;
      }
      pointer.remove_prefix(1);
    }
    scratch.push_back(c);
  }
  token = scratch;
  return true;
}

// An array index: digits without leading zeros.
std::optional<std::size_t> ArrayIndex(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return std::nullopt;
  return internal::base::NumberIn<std::size_t>(token);
}

Error BadPointer(std::string_view pointer, std::string_view why) {
  std::string message = "JSON pointer \"";
  message += pointer;
  message += "\": ";
  message += why;
  return Error(Reason::kInvalidArgument, std::move(message));
}

}  // namespace

std::string EscapePointerToken(std::string_view token) {
  std::string out;
  for (const char c : token) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

const Value* Value::FindPointer(std::string_view pointer) const {
  const Value* at = this;
  std::string scratch;
  std::string_view token;
  while (!pointer.empty()) {
    if (pointer.front() != '/' || !NextToken(pointer, scratch, token)) return nullptr;
    if (const Array* array = at->IfArray()) {
      const std::optional<std::size_t> index = ArrayIndex(token);
      if (!index || *index >= array->size()) return nullptr;
      at = &(*array)[*index];
    } else {
      at = at->Find(token);
      if (at == nullptr) return nullptr;
    }
  }
  return at;
}

Value* Value::FindPointer(std::string_view pointer) {
  return const_cast<Value*>(std::as_const(*this).FindPointer(pointer));
}

Result<void> Value::SetPointer(std::string_view pointer, Value value) {
  Value* at = this;
  std::string scratch;
  std::string_view token;
  std::string_view rest = pointer;
  while (!rest.empty()) {
    if (rest.front() != '/') return BadPointer(pointer, "must begin with '/'");
    if (!NextToken(rest, scratch, token))
      return BadPointer(pointer, "'~' must be written ~0, '/' ~1");
    if (Array* array = at->IfArray()) {
      const std::optional<std::size_t> index =
          token == "-" ? std::optional<std::size_t>(array->size()) : ArrayIndex(token);
      if (!index || *index > array->size()) {
        return BadPointer(pointer, "\"" + std::string(token) +
                                       "\" is no index of the array, which has " +
                                       std::to_string(array->size()) + " items");
      }
      if (*index == array->size()) array->emplace_back();
      at = &(*array)[*index];
    } else if (at->is_object() || at->is_null()) {
      at = &at->Ensure(token);
    } else {
      return BadPointer(pointer, "\"" + std::string(token) + "\" is looked for in a " +
                                     std::string(TypeName(at->type())));
    }
  }
  *at = std::move(value);
  return {};
}

Result<void> Value::ErasePointer(std::string_view pointer) {
  const std::size_t slash = pointer.rfind('/');
  if (slash == std::string_view::npos) {
    if (!pointer.empty()) return BadPointer(pointer, "must begin with '/'");
    *this = Value();
    return {};
  }
  Value* parent = FindPointer(pointer.substr(0, slash));
  std::string_view last = pointer.substr(slash);
  std::string scratch;
  std::string_view token;
  if (!NextToken(last, scratch, token))
    return BadPointer(pointer, "'~' must be written ~0, '/' ~1");
  if (parent != nullptr) {
    if (Array* array = parent->IfArray()) {
      const std::optional<std::size_t> index = ArrayIndex(token);
      if (index && *index < array->size()) {
        array->erase(array->begin() + static_cast<std::ptrdiff_t>(*index));
        return {};
      }
    } else if (parent->Erase(token)) {
      return {};
    }
  }
  return BadPointer(pointer, "there is nothing to remove");
}

void Value::MergePatch(const Value& patch) {
  const Object* changes = patch.IfObject();
  if (changes == nullptr) {
    *this = patch;
    return;
  }
  Object& object = EnsureObject();
  std::vector<Object::Member> fresh;
  bool nulls = false;
  for (const auto& [name, value] : *changes) {
    if (value.is_null()) {
      nulls = true;
    } else if (Value* found = object.Find(name)) {
      found->MergePatch(value);
    } else {
      fresh.emplace_back(name, Value()).second.MergePatch(value);
    }
  }
  if (nulls) {
    object.EraseIf([changes](const Object::Member& member) {
      const Value* change = changes->Find(member.first);
      return change != nullptr && change->is_null();
    });
  }
  if (!fresh.empty()) object.Extend(std::move(fresh));
}

}  // namespace kinformer::json
