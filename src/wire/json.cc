#include "kinformer/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <ostream>

namespace kinformer::json {
namespace {

// Up to this many members a linear search beats the index.
constexpr std::size_t kLinear = 24;
constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

const Value& NullValue() {
  static const Value null;
  return null;
}

constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;

std::string FormatDouble(double d) {
  if (!std::isfinite(d)) return "null";  // JSON has no such numbers
  std::array<char, 40> buffer{};
  // The ranges in which Go's encoder uses exponents.
  const double magnitude = std::fabs(d);
  const bool exponent = magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21);
  const auto done =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), d,
                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  std::string text(buffer.data(), done.ptr);
  // Go writes e-7, not e-07.
  const std::size_t e = text.find('e');
  if (e != std::string::npos && e + 3 < text.size() && text[e + 2] == '0' && text[e + 1] == '-') {
    text.erase(e + 2, 1);
  }
  return text;
}

// The length of the UTF-8 sequence at the front, 0 if it is not one.
std::size_t SequenceLength(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  std::uint32_t code = 0;
  std::uint32_t least = 0;
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2, code = lead & 0x1fU, least = 0x80;
  } else if ((lead & 0xf0U) == 0xe0) {
    length = 3, code = lead & 0x0fU, least = 0x800;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4, code = lead & 0x07U, least = 0x10000;
  } else {
    return 0;
  }
  if (s.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3fU);
  }
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return 0;
  return length;
}

// One reference token of a pointer, unescaped. False: "~" that escapes nothing.
bool NextToken(std::string_view& pointer, std::string& token) {
  pointer.remove_prefix(1);
  token.clear();
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
    token.push_back(c);
  }
  return true;
}

// An array index: digits without leading zeros.
std::optional<std::size_t> ArrayIndex(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return std::nullopt;
  std::size_t index = 0;
  const auto done = std::from_chars(token.data(), token.data() + token.size(), index);
  if (done.ec != std::errc() || done.ptr != token.data() + token.size()) return std::nullopt;
  return index;
}

Error BadPointer(std::string_view pointer, std::string_view why) {
  std::string message = "JSON pointer \"";
  message += pointer;
  message += "\": ";
  message += why;
  return Error(Reason::kInvalidArgument, std::move(message));
}

void NewLine(std::string& out, int indent, int level) {
  if (indent == 0) return;
  out.push_back('\n');
  out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(level), ' ');
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

void Object::Append(std::string_view name, Value value) {
  members_.emplace_back(std::string(name), std::move(value));
  if (members_.size() <= kLinear) return;
  if (members_.size() == kLinear + 1) {
    RebuildIndex();
    return;
  }
  const auto at = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [this](std::uint32_t i, std::string_view n) { return members_[i].first < n; });
  by_name_.insert(at, static_cast<std::uint32_t>(members_.size() - 1));
}

const Value* Object::Find(std::string_view name) const {
  const std::size_t i = IndexOf(name);
  return i == kAbsent ? nullptr : &members_[i].second;
}

Value* Object::Find(std::string_view name) {
  const std::size_t i = IndexOf(name);
  return i == kAbsent ? nullptr : &members_[i].second;
}

Value& Object::operator[](std::string_view name) {
  if (Value* found = Find(name)) return *found;
  Append(name, Value());
  return members_.back().second;
}

void Object::Set(std::string_view name, Value value) {
  if (Value* found = Find(name)) {
    *found = std::move(value);
  } else {
    Append(name, std::move(value));
  }
}

bool Object::Erase(std::string_view name) {
  const std::size_t i = IndexOf(name);
  if (i == kAbsent) return false;
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
  RebuildIndex();
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

Value Value::MakeObject(std::initializer_list<std::pair<std::string_view, Value>> members) {
  Object object;
  for (const auto& [name, value] : members) object.Set(name, value);
  return Value(std::move(object));
}

Value Value::MakeNumber(std::string_view text) {
  Value value;
  const char* const end = text.data() + text.size();
  if (text.find_first_of(".eE") == std::string_view::npos) {
    std::int64_t i = 0;
    auto done = std::from_chars(text.data(), end, i);
    if (done.ec == std::errc() && done.ptr == end) {
      value.rep_ = i;
      return value;
    }
    std::uint64_t u = 0;
    done = std::from_chars(text.data(), end, u);
    if (done.ec == std::errc() && done.ptr == end) {
      value.rep_ = u;
      return value;
    }
  }
  Real real;
  real.text = std::string(text);
  const auto done = std::from_chars(text.data(), end, real.value);
  if (done.ec == std::errc::result_out_of_range) {
    // from_chars leaves the value alone; a tiny number rounds to zero, a huge one stays infinite.
    const bool tiny =
        text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    real.value = tiny ? 0.0 : HUGE_VAL;
    if (text.front() == '-') real.value = -real.value;
  }
  value.rep_ = std::move(real);
  return value;
}

Type Value::type() const {
  switch (rep_.index()) {
    case 0:
      return Type::kNull;
    case 1:
      return Type::kBool;
    case 2:
    case 3:
    case 4:
      return Type::kNumber;
    case 5:
      return Type::kString;
    case 6:
      return Type::kArray;
    default:
      return Type::kObject;
  }
}

bool Value::is_integer() const { return rep_.index() == 2 || rep_.index() == 3; }

std::optional<bool> Value::AsBool() const {
  const bool* b = std::get_if<bool>(&rep_);
  return b != nullptr ? std::optional<bool>(*b) : std::nullopt;
}

std::optional<std::int64_t> Value::AsInt64() const {
  if (const auto* i = std::get_if<std::int64_t>(&rep_)) return *i;
  if (const auto* real = std::get_if<Real>(&rep_)) {
    const double d = real->value;
    if (d >= -kTwo63 && d < kTwo63 && d == std::floor(d)) return static_cast<std::int64_t>(d);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Value::AsUint64() const {
  if (const auto* i = std::get_if<std::int64_t>(&rep_)) {
    return *i >= 0 ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(*i)) : std::nullopt;
  }
  if (const auto* u = std::get_if<std::uint64_t>(&rep_)) return *u;
  if (const auto* real = std::get_if<Real>(&rep_)) {
    const double d = real->value;
    if (d >= 0 && d < kTwo64 && d == std::floor(d)) return static_cast<std::uint64_t>(d);
  }
  return std::nullopt;
}

std::optional<double> Value::AsDouble() const {
  if (const auto* i = std::get_if<std::int64_t>(&rep_)) return static_cast<double>(*i);
  if (const auto* u = std::get_if<std::uint64_t>(&rep_)) return static_cast<double>(*u);
  if (const auto* real = std::get_if<Real>(&rep_)) return real->value;
  return std::nullopt;
}

std::optional<std::string_view> Value::AsString() const {
  const auto* s = std::get_if<std::string>(&rep_);
  return s != nullptr ? std::optional<std::string_view>(*s) : std::nullopt;
}

const std::string& Value::StringOrEmpty() const {
  static const std::string empty;
  const auto* s = std::get_if<std::string>(&rep_);
  return s != nullptr ? *s : empty;
}

std::string Value::NumberText() const {
  if (const auto* i = std::get_if<std::int64_t>(&rep_)) return std::to_string(*i);
  if (const auto* u = std::get_if<std::uint64_t>(&rep_)) return std::to_string(*u);
  if (const auto* real = std::get_if<Real>(&rep_)) {
    return real->text.empty() ? FormatDouble(real->value) : real->text;
  }
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
  if (!is_object()) rep_ = Object();
  return std::get<Object>(rep_);
}

Array& Value::EnsureArray() {
  if (!is_array()) rep_ = Array();
  return std::get<Array>(rep_);
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

Value& Value::operator[](std::string_view name) { return EnsureObject()[name]; }

const Value& Value::Item(std::size_t index) const {
  const Array* array = IfArray();
  return array != nullptr && index < array->size() ? (*array)[index] : NullValue();
}

bool Value::Erase(std::string_view name) {
  Object* object = IfObject();
  return object != nullptr && object->Erase(name);
}

const Value* Value::FindPointer(std::string_view pointer) const {
  const Value* at = this;
  std::string token;
  while (!pointer.empty()) {
    if (pointer.front() != '/' || !NextToken(pointer, token)) return nullptr;
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

const Value& Value::At(std::string_view pointer) const {
  const Value* found = FindPointer(pointer);
  return found != nullptr ? *found : NullValue();
}

Result<void> Value::SetPointer(std::string_view pointer, Value value) {
  Value* at = this;
  std::string token;
  std::string_view rest = pointer;
  while (!rest.empty()) {
    if (rest.front() != '/') return BadPointer(pointer, "must begin with '/'");
    if (!NextToken(rest, token)) return BadPointer(pointer, "'~' must be written ~0, '/' ~1");
    if (Array* array = at->IfArray()) {
      const std::optional<std::size_t> index =
          token == "-" ? std::optional<std::size_t>(array->size()) : ArrayIndex(token);
      if (!index || *index > array->size()) {
        return BadPointer(pointer, "\"" + token + "\" is no index of the array, which has " +
                                       std::to_string(array->size()) + " items");
      }
      if (*index == array->size()) array->emplace_back();
      at = &(*array)[*index];
    } else if (at->is_object() || at->is_null()) {
      at = &(*at)[token];
    } else {
      return BadPointer(
          pointer, "\"" + token + "\" is looked for in a " + std::string(TypeName(at->type())));
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
  std::string token;
  if (!NextToken(last, token)) return BadPointer(pointer, "'~' must be written ~0, '/' ~1");
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
  for (const auto& [name, value] : *changes) {
    if (value.is_null()) {
      object.Erase(name);
    } else {
      object[name].MergePatch(value);
    }
  }
}

bool operator==(const Value& a, const Value& b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::kNull:
      return true;
    case Type::kBool:
      return std::get<bool>(a.rep_) == std::get<bool>(b.rep_);
    case Type::kNumber: {
      if (a.is_integer() && b.is_integer()) {
        return a.rep_.index() == b.rep_.index() &&
               (a.rep_.index() == 2
                    ? std::get<std::int64_t>(a.rep_) == std::get<std::int64_t>(b.rep_)
                    : std::get<std::uint64_t>(a.rep_) == std::get<std::uint64_t>(b.rep_));
      }
      return a.AsDouble() == b.AsDouble();
    }
    case Type::kString:
      return std::get<std::string>(a.rep_) == std::get<std::string>(b.rep_);
    case Type::kArray:
      return std::get<Array>(a.rep_) == std::get<Array>(b.rep_);
    case Type::kObject: {
      const Object& left = std::get<Object>(a.rep_);
      const Object& right = std::get<Object>(b.rep_);
      if (left.size() != right.size()) return false;
      return std::all_of(left.begin(), left.end(), [&](const Object::Member& member) {
        const Value* other = right.Find(member.first);
        return other != nullptr && member.second == *other;
      });
    }
  }
  return false;
}

// ---- Text

void AppendQuoted(std::string& out, std::string_view text, bool escape_html) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto escape = [&out](unsigned code) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out.push_back(kHex[(code >> shift) & 0xfU]);
  };
  out.push_back('"');
  std::size_t plain = 0;  // start of the run that needs no escape
  std::size_t i = 0;
  const auto flush = [&] { out.append(text.substr(plain, i - plain)); };
  while (i < text.size()) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      if (c >= 0x20 && c != '"' && c != '\\' &&
          !(escape_html && (c == '<' || c == '>' || c == '&'))) {
        ++i;
        continue;
      }
      flush();
      switch (c) {
        case '"':
          out += "\\\"";
          break;
        case '\\':
          out += "\\\\";
          break;
        case '\n':
          out += "\\n";
          break;
        case '\r':
          out += "\\r";
          break;
        case '\t':
          out += "\\t";
          break;
        case '\b':
          out += "\\b";
          break;
        case '\f':
          out += "\\f";
          break;
        default:
          escape(c);
      }
      plain = ++i;
      continue;
    }
    const std::string_view rest = text.substr(i);
    const std::size_t length = SequenceLength(rest);
    const bool separator =
        escape_html && length == 3 &&
        (rest.substr(0, 3) == "\xe2\x80\xa8" || rest.substr(0, 3) == "\xe2\x80\xa9");
    if (length != 0 && !separator) {
      i += length;
      continue;
    }
    flush();
    if (separator) {
      escape(rest[2] == '\xa8' ? 0x2028 : 0x2029);
      i += 3;
    } else {
      out += "\\ufffd";
      ++i;
    }
    plain = i;
  }
  flush();
  out.push_back('"');
}

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

void Value::Write(std::string& out, const DumpOptions& options, int level) const {
  switch (type()) {
    case Type::kNull:
      out += "null";
      return;
    case Type::kBool:
      out += std::get<bool>(rep_) ? "true" : "false";
      return;
    case Type::kNumber:
      out += NumberText();
      return;
    case Type::kString:
      AppendQuoted(out, std::get<std::string>(rep_), options.escape_html);
      return;
    case Type::kArray: {
      const Array& array = std::get<Array>(rep_);
      if (array.empty()) {
        out += "[]";
        return;
      }
      out.push_back('[');
      bool first = true;
      for (const Value& item : array) {
        if (!std::exchange(first, false)) out.push_back(',');
        NewLine(out, options.indent, level + 1);
        item.Write(out, options, level + 1);
      }
      NewLine(out, options.indent, level);
      out.push_back(']');
      return;
    }
    case Type::kObject: {
      const Object& object = std::get<Object>(rep_);
      if (object.empty()) {
        out += "{}";
        return;
      }
      std::vector<const Object::Member*> order;
      if (options.sort_keys) {
        order.reserve(object.size());
        for (const Object::Member& member : object) order.push_back(&member);
        std::sort(order.begin(), order.end(),
                  [](const auto* a, const auto* b) { return a->first < b->first; });
      }
      bool first = true;
      const auto append = [&](const Object::Member& member) {
        out.push_back(std::exchange(first, false) ? '{' : ',');
        NewLine(out, options.indent, level + 1);
        AppendQuoted(out, member.first, options.escape_html);
        out += options.indent == 0 ? ":" : ": ";
        member.second.Write(out, options, level + 1);
      };
      if (options.sort_keys) {
        for (const Object::Member* member : order) append(*member);
      } else {
        for (const Object::Member& member : object) append(member);
      }
      NewLine(out, options.indent, level);
      out.push_back('}');
      return;
    }
  }
}

void Value::AppendTo(std::string& out, const DumpOptions& options) const { Write(out, options, 0); }

std::string Value::Dump(const DumpOptions& options) const {
  std::string out;
  Write(out, options, 0);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Value& value) { return out << value.Dump(); }

}  // namespace kinformer::json
