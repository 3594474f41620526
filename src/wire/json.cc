#include "kinformer/json/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <utility>

#include "wire/json_text.h"

namespace kinformer::json {
namespace {

// Up to this number of members a linear search is faster than the index.
constexpr std::size_t kLinear = 24;
constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

const Value& NullValue() {
  static const Value null;
  return null;
}

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

// For a number that no double can hold: returns whether it is too small, rather than too large.
bool IsTiny(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  std::string_view digits = text.substr(std::min(e + 1, text.size()));
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int32_t exponent = 0;
  const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (done.ec == std::errc::result_out_of_range) return digits.front() == '-';
  const auto point = static_cast<std::ptrdiff_t>(std::min(text.find('.'), e));
  const auto first = static_cast<std::ptrdiff_t>(text.find_first_of("123456789"));
  return point + exponent < first;
}

std::string PointerTo(const Step* begin, const Step* end) {
  std::string pointer;
  for (const Step* step = begin; step != end; ++step) {
    pointer += '/';
    if (const std::string_view* name = step->name()) {
      pointer += EscapePointerToken(*name);
    } else {
      pointer += *step->position() == kAbsent ? "-1" : std::to_string(*step->position());
    }
  }
  return pointer;
}

// Ends the process. Step `absent` of `steps` is the index of an item that `value` does not have.
[[noreturn]] void DieOfAbsentItem(std::initializer_list<Step> steps, const Step* absent,
                                  const Value& value) {
  const std::string has = value.is_array() ? "an array of " + std::to_string(value.size())
                                           : "of type " + std::string(TypeName(value.type()));
  std::fprintf(stderr,
               "kinformer: json::Value::Ensure(%s): there is no such item, since %s is %s; "
               "Append() adds items\n",
               PointerTo(steps.begin(), absent + 1).c_str(),
               absent == steps.begin() ? "the value" : PointerTo(steps.begin(), absent).c_str(),
               has.c_str());
  std::abort();
}

}  // namespace

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kNull:
      return "null";
    case Type::kBool:
      return "bool";
    case Type::kNumber:
      return "number";
    case Type::kString:
      return "string";
    case Type::kArray:
      return "array";
    case Type::kObject:
      return "object";
  }
  return "unknown";
}

// ---- Object

Object::Object() = default;
Object::Object(const Object& other) = default;
Object::Object(Object&& other) noexcept = default;
Object::Object(std::vector<Member> members) : members_(std::move(members)) { RebuildIndex(); }
Object& Object::operator=(const Object& other) = default;
Object& Object::operator=(Object&& other) noexcept = default;
Object::~Object() = default;

std::size_t Object::size() const { return members_.size(); }

std::size_t Object::IndexOf(std::string_view name) const {
  if (members_.size() <= kLinear) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].first == name) return i;
    }
    return kAbsent;
  }
  const auto at = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [this](std::uint32_t i, std::string_view n) { return members_[i].first < n; });
  return at != by_name_.end() && members_[*at].first == name ? *at : kAbsent;
}

void Object::RebuildIndex() {
  by_name_.clear();
  if (members_.size() <= kLinear) return;
  by_name_.resize(members_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  std::sort(by_name_.begin(), by_name_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return members_[a].first < members_[b].first;
  });
}

Value& Object::Add(std::string name, Value value) {
  members_.emplace_back(std::move(name), std::move(value));
  if (members_.size() == kLinear + 1) RebuildIndex();
  if (members_.size() > kLinear + 1) {
    const auto at = std::lower_bound(
        by_name_.begin(), by_name_.end(), members_.back().first,
        [this](std::uint32_t i, const std::string& n) { return members_[i].first < n; });
    by_name_.insert(at, static_cast<std::uint32_t>(members_.size() - 1));
  }
  return members_.back().second;
}

void Object::Reserve(std::size_t count) { members_.reserve(count); }

std::vector<Object::Member> Object::Release() && {
  by_name_.clear();
  return std::exchange(members_, {});
}

const Value* Object::Find(std::string_view name) const {
  const std::size_t i = IndexOf(name);
  return i == kAbsent ? nullptr : &members_[i].second;
}

Value* Object::Find(std::string_view name) {
  const std::size_t i = IndexOf(name);
  return i == kAbsent ? nullptr : &members_[i].second;
}

Value& Object::Ensure(std::string_view name) {
  if (Value* found = Find(name)) return *found;
  return Add(std::string(name), Value());
}

void Object::Set(std::string_view name, Value value) {
  if (Value* found = Find(name)) {
    *found = std::move(value);
  } else {
    Add(std::string(name), std::move(value));
  }
}

void Object::Extend(std::vector<Member> more) {
  members_.reserve(members_.size() + more.size());
  std::move(more.begin(), more.end(), std::back_inserter(members_));
  RebuildIndex();
}

bool Object::Erase(std::string_view name) {
  const std::size_t i = IndexOf(name);
  if (i == kAbsent) return false;
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
  if (members_.size() <= kLinear) return true;  // Add rebuilds the index
  std::erase(by_name_, static_cast<std::uint32_t>(i));
  for (std::uint32_t& at : by_name_) at -= at > i ? 1 : 0;
  return true;
}

void Object::Clear() {
  members_.clear();
  by_name_.clear();
}

void Object::SortByName() {
  std::sort(members_.begin(), members_.end(),
            [](const Member& a, const Member& b) { return a.first < b.first; });
  RebuildIndex();
}

const std::string& Object::name(std::size_t i) const { return members_[i].first; }
Value& Object::value(std::size_t i) { return members_[i].second; }

// ---- Value

Value::Value(double d) : Value(Real{.value = d}) {}
Value::Value(Real real) noexcept : real_(std::move(real)), rep_(Rep::kReal) {}
Value::Value(std::string s) : string_(std::move(s)), rep_(Rep::kString) {}
Value::Value(std::string_view s) : Value(std::string(s)) {}
Value::Value(const char* s) : Value(std::string(s)) {}
Value::Value(Array a) : array_(std::move(a)), rep_(Rep::kArray) {}
Value::Value(Object o) : object_(std::move(o)), rep_(Rep::kObject) {}

Value::Value(const Value& other) : none_() {
  switch (other.rep_) {
    case Rep::kNull:
      break;
    case Rep::kBool:
      bool_ = other.bool_;
      break;
    case Rep::kInt:
      int_ = other.int_;
      break;
    case Rep::kUint:
      uint_ = other.uint_;
      break;
    case Rep::kReal:
      std::construct_at(&real_, other.real_);
      break;
    case Rep::kString:
      std::construct_at(&string_, other.string_);
      break;
    case Rep::kArray:
      std::construct_at(&array_, other.array_);
      break;
    case Rep::kObject:
      std::construct_at(&object_, other.object_);
  }
  rep_ = other.rep_;
}

Value::Value(Value&& other) noexcept : none_() { Take(std::move(other)); }

Value& Value::operator=(const Value& other) {
  Value copy(other);  // `other` may be a part of this value
  return *this = std::move(copy);
}

Value& Value::operator=(Value&& other) noexcept {
  Value taken(std::move(other));  // as above
  if (rep_ >= Rep::kReal) Destroy();
  Take(std::move(taken));
  return *this;
}

// NOLINTNEXTLINE(cppcoreguidelines-rvalue-reference-param-not-moved): its parts are moved
void Value::Take(Value&& other) noexcept {
  switch (other.rep_) {
    case Rep::kNull:
      break;
    case Rep::kBool:
      bool_ = other.bool_;
      break;
    case Rep::kInt:
      int_ = other.int_;
      break;
    case Rep::kUint:
      uint_ = other.uint_;
      break;
    case Rep::kReal:
      std::construct_at(&real_, std::move(other.real_));
      break;
    case Rep::kString:
      std::construct_at(&string_, std::move(other.string_));
      break;
    case Rep::kArray:
      std::construct_at(&array_, std::move(other.array_));
      break;
    case Rep::kObject:
      std::construct_at(&object_, std::move(other.object_));
  }
  rep_ = other.rep_;
}

void Value::Destroy() noexcept {
  switch (rep_) {
    case Rep::kReal:
      std::destroy_at(&real_);
      break;
    case Rep::kString:
      std::destroy_at(&string_);
      break;
    case Rep::kArray:
      std::destroy_at(&array_);
      break;
    case Rep::kObject:
      std::destroy_at(&object_);
      break;
    default:
      break;
  }
}

Value Value::MakeObject() { return Value(Object()); }
Value Value::MakeArray() { return Value(Array()); }
Value Value::MakeArray(std::initializer_list<Value> items) { return Value(Array(items)); }

Value Value::MakeObject(std::initializer_list<std::pair<std::string_view, Value>> members) {
  Object object;
  for (const auto& [name, value] : members) object.Set(name, value);
  return Value(std::move(object));
}

Value Value::MakeNumber(std::string_view text) {
  const char* const end = text.data() + text.size();
  if (text.find_first_of(".eE") == std::string_view::npos) {
    std::int64_t i = 0;
    auto done = std::from_chars(text.data(), end, i);
    if (done.ec == std::errc() && done.ptr == end) return Value(i);
    std::uint64_t u = 0;
    done = std::from_chars(text.data(), end, u);
    if (done.ec == std::errc() && done.ptr == end) return Value(u);
  }
  Real real;
  real.text = std::string(text);
  const auto done = std::from_chars(text.data(), end, real.value);
  if (done.ec == std::errc::result_out_of_range) {
    // from_chars does not change the value: a tiny number becomes zero, a huge one stays infinite.
    real.value = IsTiny(text) ? 0.0 : HUGE_VAL;
    if (text.front() == '-') real.value = -real.value;
  }
  return Value(std::move(real));
}

Type Value::type() const {
  switch (rep_) {
    case Rep::kNull:
      return Type::kNull;
    case Rep::kBool:
      return Type::kBool;
    case Rep::kInt:
    case Rep::kUint:
    case Rep::kReal:
      return Type::kNumber;
    case Rep::kString:
      return Type::kString;
    case Rep::kArray:
      return Type::kArray;
    default:
      return Type::kObject;
  }
}

bool Value::is_integer() const { return rep_ == Rep::kInt || rep_ == Rep::kUint; }

std::optional<bool> Value::AsBool() const {
  return rep_ == Rep::kBool ? std::optional<bool>(bool_) : std::nullopt;
}

std::optional<std::int64_t> Value::AsInt64() const {
  if (rep_ == Rep::kInt) return int_;
  if (rep_ == Rep::kReal) {
    const double d = real_.value;
    if (d >= -kTwo63 && d < kTwo63 && d == std::floor(d)) return static_cast<std::int64_t>(d);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Value::AsUint64() const {
  if (rep_ == Rep::kInt) {
    return int_ >= 0 ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(int_))
                     : std::nullopt;
  }
  if (rep_ == Rep::kUint) return uint_;
  if (rep_ == Rep::kReal) {
    const double d = real_.value;
    if (d >= 0 && d < kTwo64 && d == std::floor(d)) return static_cast<std::uint64_t>(d);
  }
  return std::nullopt;
}

std::optional<double> Value::AsDouble() const {
  if (rep_ == Rep::kInt) return static_cast<double>(int_);
  if (rep_ == Rep::kUint) return static_cast<double>(uint_);
  if (rep_ == Rep::kReal) return real_.value;
  return std::nullopt;
}

std::optional<std::string_view> Value::AsString() const {
  return rep_ == Rep::kString ? std::optional<std::string_view>(string_) : std::nullopt;
}

const std::string& Value::StringOrEmpty() const {
  static const std::string empty;
  return rep_ == Rep::kString ? string_ : empty;
}

std::string Value::NumberText() const {
  if (rep_ == Rep::kInt) return std::to_string(int_);
  if (rep_ == Rep::kUint) return std::to_string(uint_);
  if (rep_ == Rep::kReal) return real_.text.empty() ? DoubleText(real_.value) : real_.text;
  return {};
}

const Array& Value::items() const {
  static const Array empty;
  const Array* array = IfArray();
  return array != nullptr ? *array : empty;
}

const Object& Value::members() const {
  static const Object empty;
  const Object* object = IfObject();
  return object != nullptr ? *object : empty;
}

Object& Value::EnsureObject() {
  if (rep_ != Rep::kObject) *this = Value(Object());
  return object_;
}

Array& Value::EnsureArray() {
  if (rep_ != Rep::kArray) *this = Value(Array());
  return array_;
}

std::string& Value::EnsureString() {
  if (rep_ != Rep::kString) *this = Value(std::string());
  return string_;
}

std::size_t Value::size() const {
  if (const Array* array = IfArray()) return array->size();
  if (const Object* object = IfObject()) return object->size();
  return 0;
}

const Value* Value::Find(std::string_view name) const {
  const Object* object = IfObject();
  return object != nullptr ? object->Find(name) : nullptr;
}

Value* Value::Find(std::string_view name) {
  Object* object = IfObject();
  return object != nullptr ? object->Find(name) : nullptr;
}

const Value& Value::operator[](std::string_view name) const {
  const Value* found = Find(name);
  return found != nullptr ? *found : NullValue();
}

Value& Value::EnsureAt(std::initializer_list<Step> steps) {
  Value* at = this;
  for (const Step* step = steps.begin(); step != steps.end(); ++step) {
    if (const std::string_view* name = step->name()) {
      at = &at->EnsureObject().Ensure(*name);
      continue;
    }
    Array* array = at->IfArray();
    if (array == nullptr || *step->position() >= array->size()) DieOfAbsentItem(steps, step, *at);
    at = &(*array)[*step->position()];
  }
  return *at;
}

const Value& Value::Item(std::size_t index) const {
  const Array* array = IfArray();
  return array != nullptr && index < array->size() ? (*array)[index] : NullValue();
}

void Value::Set(std::string_view name, Value value) { EnsureObject().Set(name, std::move(value)); }

void Value::Append(Value value) { EnsureArray().push_back(std::move(value)); }

bool Value::Erase(std::string_view name) {
  Object* object = IfObject();
  return object != nullptr && object->Erase(name);
}

const Value& Value::At(std::string_view pointer) const {
  const Value* found = FindPointer(pointer);
  return found != nullptr ? *found : NullValue();
}

bool operator==(const Value& a, const Value& b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::kNull:
      return true;
    case Type::kBool:
      return a.bool_ == b.bool_;
    case Type::kNumber: {
      if (a.is_integer() && b.is_integer()) {
        if (a.rep_ != b.rep_) return false;
        return a.rep_ == Value::Rep::kInt ? a.int_ == b.int_ : a.uint_ == b.uint_;
      }
      return a.AsDouble() == b.AsDouble();
    }
    case Type::kString:
      return a.string_ == b.string_;
    case Type::kArray:
      return a.array_ == b.array_;
    case Type::kObject: {
      const Object& left = a.object_;
      const Object& right = b.object_;
      if (left.size() != right.size()) return false;
      return std::all_of(left.begin(), left.end(), [&](const Object::Member& member) {
        const Value* other = right.Find(member.first);
        return other != nullptr && member.second == *other;
      });
    }
  }
  return false;
}

}  // namespace kinformer::json
