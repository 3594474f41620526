#include "cel/value.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_set>

#include "object/values/text_forms.h"

namespace kinformer::internal::cel {

// Maps that are larger than this have an index.
constexpr std::size_t kLinear = 8;

struct MapData {
  std::vector<std::pair<Value, Value>> entries{};
  std::unordered_map<std::string, std::size_t> index{};
  TypePtr type{};  // of a message
};

namespace {

const std::vector<Value>& ItemsOf(const std::shared_ptr<const void>& payload) {
  return *static_cast<const std::vector<Value>*>(payload.get());
}

const MapData& EntriesOf(const std::shared_ptr<const void>& payload) {
  return *static_cast<const MapData*>(payload.get());
}

// Returns the type of a member of an object, by its name in JSON.
const Type& TypeOfMember(const Type& object, std::string_view name) {
  const Field* const field = object.FindField(EscapedName(name));
  return field == nullptr ? *Plain(TypeKind::kDyn) : *field->type;
}

// Returns the type as Go names it.
std::string Shown(const json::Value& json) {
  if (json.is_object()) return "map[string]interface {}";
  if (json.is_array()) return "[]interface {}";
  if (json.is_bool()) return "bool";
  if (json.is_string()) return "string";
  return json.is_integer() ? "int64" : "float64";
}

Value Dynamic(const json::Value& json) {
  if (json.is_bool()) return Value::Bool(*json.AsBool());
  if (const auto text = json.AsString()) return Value::Borrowed(*text);
  if (const auto integer = json.AsInt64(); integer && json.is_integer()) {
    return Value::Int(*integer);
  }
  if (json.is_number()) return Value::Double(json.AsDouble().value_or(0));
  return {};
}

Value FromText(const json::Value& json, const Type& type) {
  const auto text = json.AsString();
  if (!text) return Value::Error("invalid data, expected string, got " + Shown(json));
  switch (type.kind) {
    case TypeKind::kBytes: {
      // In the alphabet of URLs, as a real server does.
      std::string standard(*text);
      const std::size_t other = standard.find_first_of("+/");
      std::ranges::replace(standard, '-', '+');
      std::ranges::replace(standard, '_', '/');
      auto bytes = Base64Decode(standard);
      if (other == std::string::npos && bytes) return Value::Bytes(*std::move(bytes));
      std::string message = "Invalid byte formatted string " + std::string(*text);
      if (other != std::string::npos) {
        message += ": illegal base64 data at input byte " + std::to_string(other);
      }
      return Value::Error(std::move(message));
    }
    case TypeKind::kTimestamp: {
      const auto time = TimestampIn(*text, /*dates=*/true);
      if (!time) return Value::Error("Invalid date-time formatted string " + std::string(*text));
      return Value::Time(*time);
    }
    case TypeKind::kDuration: {
      const auto nanos = ParseGoDuration(*text);
      if (!nanos) return Value::Error("Invalid duration " + std::string(*text));
      return Value::Duration(*nanos);
    }
    default:
      return Value::Borrowed(*text);
  }
}

// Compares an integer with a double, as doubles where both are in the integer's range.
template <class Integer>
std::partial_ordering CompareToDouble(Integer a, double b) {
  const double limit = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  if (b > limit) return std::partial_ordering::less;
  if (b < (std::numeric_limits<Integer>::is_signed ? -limit : 0.0)) {
    return std::partial_ordering::greater;
  }
  return static_cast<double>(a) <=> b;
}

std::partial_ordering Flipped(std::partial_ordering order) { return 0 <=> order; }

std::partial_ordering CompareNumbers(const Value& a, const Value& b) {
  const auto kind = [](const Value& v) { return v.kind(); };
  if (kind(a) == ValueKind::kDouble) {
    if (kind(b) == ValueKind::kDouble) return a.number() <=> b.number();
    return Flipped(CompareNumbers(b, a));
  }
  if (kind(b) == ValueKind::kDouble) {
    return kind(a) == ValueKind::kInt ? CompareToDouble(a.integer(), b.number())
                                      : CompareToDouble(a.unsigned_integer(), b.number());
  }
  if (kind(a) == kind(b)) {
    if (kind(a) == ValueKind::kInt) return a.integer() <=> b.integer();
    return a.unsigned_integer() <=> b.unsigned_integer();
  }
  if (kind(a) == ValueKind::kUint) return Flipped(CompareNumbers(b, a));
  if (a.integer() < 0) return std::partial_ordering::less;
  return static_cast<std::uint64_t>(a.integer()) <=> b.unsigned_integer();
}

// Equality of lists whose items are in any order, by what stands for them; nullopt where an item
// has nothing short that does.
std::optional<bool> EqualSets(const Value& a, const Value& b) {
  std::unordered_set<std::string> first;
  std::unordered_set<std::string> second;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto one = ScalarKey(a.item(i));
    auto other = ScalarKey(b.item(i));
    if (!one || !other) return std::nullopt;
    first.insert(*std::move(one));
    second.insert(*std::move(other));
  }
  return first == second;
}

std::optional<std::string> KeyText(const Value& item, const std::vector<std::string>& keys) {
  if (!item.is(ValueKind::kMap)) return std::nullopt;
  std::string text;
  for (const std::string& key : keys) {
    const auto part = item.FindField(EscapedName(key));
    const auto shown = part ? ScalarKey(*part) : std::string();
    if (!shown) return std::nullopt;
    text.append(std::to_string(shown->size())).append(":").append(*shown);
  }
  return text;
}

std::optional<bool> EqualByKeys(const Value& a, const Value& b, std::uint64_t& cost) {
  const std::vector<std::string>& keys = a.list_shape()->keys;
  std::unordered_map<std::string, std::size_t> found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto key = KeyText(a.item(i), keys);
    if (!key) return std::nullopt;
    found.insert_or_assign(*std::move(key), i);
  }
  std::unordered_set<std::size_t> seen;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto key = KeyText(b.item(i), keys);
    const auto at = key ? found.find(*key) : found.end();
    if (at == found.end() || !Equal(a.item(at->second), b.item(i), cost)) return false;
    seen.insert(at->second);
  }
  return seen.size() == found.size();
}

bool EqualLists(const Value& a, const Value& b, std::uint64_t& cost) {
  if (a.size() != b.size()) return false;
  const Type* const shape = a.list_shape();
  std::optional<bool> unordered;
  if (shape != nullptr && shape->order == ListOrder::kSet) unordered = EqualSets(a, b);
  if (shape != nullptr && shape->order == ListOrder::kKeys) unordered = EqualByKeys(a, b, cost);
  if (unordered) return *unordered;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!Equal(a.item(i), b.item(i), cost)) return false;
  }
  return true;
}

bool EqualMaps(const Value& a, const Value& b, std::uint64_t& cost) {
  if (a.size() != b.size()) return false;
  const Type* const type = a.message_type();
  const Type* const other_type = b.message_type();
  if ((type == nullptr) != (other_type == nullptr)) return false;
  if (type != nullptr && type->name != other_type->name) return false;
  constexpr std::uint64_t kLookUp = 8;
  for (std::size_t i = 0; i < a.size(); ++i) {
    cost += kLookUp;
    const auto other = b.Find(a.key(i));
    if (!other || !Equal(a.value(i), *other, cost)) return false;
  }
  return true;
}

}  // namespace

template <class T>
Value Value::OfPayload(ValueKind kind, T data) {
  Value value;
  value.kind_ = kind;
  value.payload_ = std::make_shared<const T>(std::move(data));
  return value;
}

Value Value::Bool(bool value) {
  Value out;
  out.kind_ = ValueKind::kBool;
  out.integer_ = value ? 1 : 0;
  return out;
}
Value Value::Int(std::int64_t value) {
  Value out;
  out.kind_ = ValueKind::kInt;
  out.integer_ = value;
  return out;
}
Value Value::Uint(std::uint64_t value) {
  Value out;
  out.kind_ = ValueKind::kUint;
  out.unsigned_ = value;
  return out;
}
Value Value::Double(double value) {
  Value out;
  out.kind_ = ValueKind::kDouble;
  out.number_ = value;
  return out;
}
Value Value::Borrowed(std::string_view text) {
  Value out;
  out.kind_ = ValueKind::kString;
  out.text_ = text;
  return out;
}
Value Value::String(std::string text) {
  auto owned = std::make_shared<const std::string>(std::move(text));
  Value out = Borrowed(*owned);
  out.payload_ = std::move(owned);
  return out;
}
Value Value::Bytes(std::string bytes) {
  Value out = String(std::move(bytes));
  out.kind_ = ValueKind::kBytes;
  return out;
}
Value Value::Error(std::string message) {
  Value out = String(std::move(message));
  out.kind_ = ValueKind::kError;
  return out;
}
Value Value::Time(const Timestamp& time) {
  Value out = Int(time.seconds);
  out.kind_ = ValueKind::kTimestamp;
  out.nanos_ = time.nanos;
  out.zone_minutes_ = time.zone_minutes;
  return out;
}
Value Value::Duration(std::int64_t nanos) {
  Value out = Int(nanos);
  out.kind_ = ValueKind::kDuration;
  return out;
}
Value Value::List(std::vector<Value> items) {
  Value out = OfPayload(ValueKind::kList, std::move(items));
  out.view_ = View();
  return out;
}
Value Value::Map(std::vector<std::pair<Value, Value>> entries) {
  return Message(nullptr, std::move(entries));
}
Value Value::Message(TypePtr type, std::vector<std::pair<Value, Value>> entries) {
  MapData data;
  data.type = std::move(type);
  data.entries = std::move(entries);
  if (data.entries.size() > kLinear) {
    for (std::size_t i = 0; i < data.entries.size(); ++i) {
      data.index.emplace(ScalarKey(data.entries[i].first).value_or(std::string()), i);
    }
  }
  Value out = OfPayload(ValueKind::kMap, std::move(data));
  out.view_ = View();
  return out;
}
Value Value::None() {
  Value out;
  out.kind_ = ValueKind::kOptional;
  return out;
}
Value Value::Some(Value value) { return OfPayload(ValueKind::kOptional, std::move(value)); }
Value Value::OfType(TypePtr type) { return OfPayload(ValueKind::kType, std::move(type)); }
Value Value::OfUrl(Url url) { return OfPayload(ValueKind::kUrl, std::move(url)); }
Value Value::OfIp(const Ip& ip) { return OfPayload(ValueKind::kIp, ip); }
Value Value::OfCidr(const Cidr& cidr) { return OfPayload(ValueKind::kCidr, cidr); }
Value Value::OfQuantity(Amount amount) {
  return OfPayload(ValueKind::kQuantity, std::move(amount));
}
Value Value::OfSemver(Semver version) { return OfPayload(ValueKind::kSemver, std::move(version)); }
Value Value::OfFormat(const NamedFormat& format) {
  return OfPayload(ValueKind::kNamedFormat, &format);
}

Value Value::OfAccess(ValueKind kind, AccessCheck check) {
  return OfPayload(kind, std::move(check));
}
Value Value::OfDecision(AccessAnswer answer) {
  return OfPayload(ValueKind::kDecision, std::move(answer));
}
Value Value::Deferred(DeferredValue& source) {
  return OfPayload(ValueKind::kDeferred, std::ref(source));
}

Value Value::FromJson(const json::Value& json, const Type& type) {
  if (json.is_null()) return {};
  const bool dynamic = type.kind == TypeKind::kDyn;
  const bool list = json.is_array() && (dynamic || type.kind == TypeKind::kList);
  const bool map = json.is_object() &&
                   (dynamic || type.kind == TypeKind::kMap || type.kind == TypeKind::kObject);
  if (list || map) {
    Value out;
    out.kind_ = list ? ValueKind::kList : ValueKind::kMap;
    out.view_ = View{&json, &type};
    return out;
  }
  switch (type.kind) {
    case TypeKind::kDyn:
      if (type.int_or_string && json.is_number() && !json.is_integer()) {
        return Error("invalid data, expected XIntOrString value to be either a string or integer");
      }
      return Dynamic(json);
    case TypeKind::kBool:
      if (json.is_bool()) return Bool(*json.AsBool());
      return Error("invalid data, expected bool, got " + Shown(json));
    case TypeKind::kInt:
      // 1e3 and 1.0 are no integers to Go.
      if (const auto integer = json.AsInt64(); integer && json.is_integer()) return Int(*integer);
      return Error("invalid data, expected int, got " + Shown(json));
    case TypeKind::kDouble:
      if (const auto number = json.AsDouble()) return Double(*number);
      return Error("invalid data, expected float, got " + Shown(json));
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kTimestamp:
    case TypeKind::kDuration:
      return FromText(json, type);
    case TypeKind::kList:
      return Error("invalid data, expected an array for the provided schema with type=array");
    default:
      return Error("invalid data, expected a map for the provided schema with type=object");
  }
}

const Value* Value::content() const { return static_cast<const Value*>(payload_.get()); }
const TypePtr& Value::type() const { return *static_cast<const TypePtr*>(payload_.get()); }
const Url& Value::url() const { return *static_cast<const Url*>(payload_.get()); }
const Ip& Value::ip() const { return *static_cast<const Ip*>(payload_.get()); }
const Cidr& Value::cidr() const { return *static_cast<const Cidr*>(payload_.get()); }
const Amount& Value::amount() const { return *static_cast<const Amount*>(payload_.get()); }
const Semver& Value::semver() const { return *static_cast<const Semver*>(payload_.get()); }
const NamedFormat& Value::format() const {
  return **static_cast<const NamedFormat* const*>(payload_.get());
}
const AccessCheck& Value::access() const {
  return *static_cast<const AccessCheck*>(payload_.get());
}
const AccessAnswer& Value::decision() const {
  return *static_cast<const AccessAnswer*>(payload_.get());
}
DeferredValue& Value::deferred() const {
  return static_cast<const std::reference_wrapper<DeferredValue>*>(payload_.get())->get();
}

std::size_t Value::size() const {
  if (view_.json != nullptr) return view_.json->size();
  return kind_ == ValueKind::kList ? ItemsOf(payload_).size() : EntriesOf(payload_).entries.size();
}

Value Value::item(std::size_t index) const {
  if (view_.json == nullptr) return ItemsOf(payload_)[index];
  const Type& shape = *view_.shape;
  return FromJson(view_.json->items()[index],
                  shape.kind == TypeKind::kList ? *shape.parameters[0] : shape);
}

Value Value::key(std::size_t index) const {
  if (view_.json == nullptr) return EntriesOf(payload_).entries[index].first;
  return Borrowed(view_.json->members().name(index));
}

Value Value::value(std::size_t index) const {
  if (view_.json == nullptr) return EntriesOf(payload_).entries[index].second;
  const auto& [name, member] =
      *(view_.json->members().begin() + static_cast<std::ptrdiff_t>(index));
  const Type& shape = *view_.shape;
  if (shape.kind == TypeKind::kMap) return FromJson(member, *shape.parameters[1]);
  if (shape.kind == TypeKind::kDyn) return FromJson(member, shape);
  return FromJson(member, TypeOfMember(shape, name));
}

std::optional<Value> Value::Find(const Value& key) const {
  if (view_.json != nullptr) {
    if (!key.is(ValueKind::kString)) return std::nullopt;
    const json::Value* const member = view_.json->Find(key.text());
    if (member == nullptr) return std::nullopt;
    const Type& shape = *view_.shape;
    if (shape.kind == TypeKind::kMap) return FromJson(*member, *shape.parameters[1]);
    if (shape.kind == TypeKind::kDyn) return FromJson(*member, shape);
    return FromJson(*member, TypeOfMember(shape, key.text()));
  }
  const MapData& data = EntriesOf(payload_);
  if (data.index.empty()) {
    std::uint64_t cost = 0;
    for (const auto& [name, value] : data.entries) {
      if (Equal(name, key, cost)) return value;
    }
    return std::nullopt;
  }
  const auto wanted = ScalarKey(key);
  const auto at = wanted ? data.index.find(*wanted) : data.index.end();
  if (at == data.index.end()) return std::nullopt;
  return data.entries[at->second].second;
}

std::optional<Value> Value::FindField(std::string_view identifier) const {
  if (view_.json == nullptr || view_.shape->kind != TypeKind::kObject) {
    return Find(Borrowed(identifier));
  }
  const Field* const field = view_.shape->FindField(identifier);
  if (field == nullptr) return std::nullopt;
  const json::Value* const member = view_.json->Find(field->json_name);
  // A field that is null is as one that is absent.
  if (member == nullptr || member->is_null()) return std::nullopt;
  return FromJson(*member, *field->type);
}

const Type* Value::message_type() const {
  if (kind_ != ValueKind::kMap || view_.json != nullptr) return nullptr;
  return EntriesOf(payload_).type.get();
}

const Type* Value::list_shape() const {
  const bool read = kind_ == ValueKind::kList && view_.json != nullptr;
  return read && view_.shape->kind == TypeKind::kList ? view_.shape : nullptr;
}

bool Equal(const Value& a, const Value& b, std::uint64_t& cost) {
  // The result is beyond every budget: small values may have many parts, if these are shared.
  constexpr std::uint64_t kMaxCost = 1'000'001;
  if (++cost > kMaxCost) return false;
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ValueKind::kNull:
      return true;
    case ValueKind::kBool:
    case ValueKind::kDuration:
      return a.integer() == b.integer();
    case ValueKind::kString:
    case ValueKind::kBytes:
      cost += std::min(a.text().size(), b.text().size()) / 10;
      return a.text() == b.text();
    case ValueKind::kTimestamp:
      return a.time() == b.time();
    case ValueKind::kList:
      cost += a.size();
      return EqualLists(a, b, cost);
    case ValueKind::kMap:
      return EqualMaps(a, b, cost);
    case ValueKind::kOptional:
      if (a.content() == nullptr || b.content() == nullptr) return a.content() == b.content();
      return Equal(*a.content(), *b.content(), cost);
    case ValueKind::kType:
      return a.type()->kind == b.type()->kind;
    case ValueKind::kUrl:
      return a.url().text == b.url().text;
    case ValueKind::kIp:
      return a.ip() == b.ip();
    case ValueKind::kCidr:
      return a.cidr() == b.cidr();
    case ValueKind::kQuantity:
      return a.quantity() == b.quantity();
    case ValueKind::kSemver:
      return CompareSemvers(a.semver(), b.semver()) == 0;
    case ValueKind::kNamedFormat:
      return a.format().name == b.format().name;
    default:
      return false;
  }
}

std::optional<std::partial_ordering> Compare(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  switch (a.kind()) {
    case ValueKind::kBool:
    case ValueKind::kDuration:
      return a.integer() <=> b.integer();
    case ValueKind::kString:
    case ValueKind::kBytes:
      return a.text() <=> b.text();
    case ValueKind::kTimestamp:
      return a.time() <=> b.time();
    case ValueKind::kQuantity:
      return a.quantity() <=> b.quantity();
    default:
      return std::nullopt;
  }
}

TypePtr TypeOfValue(const Value& value) {
  constexpr std::array<TypeKind, 26> kKinds = {TypeKind::kDyn,         TypeKind::kNull,
                                               TypeKind::kBool,        TypeKind::kInt,
                                               TypeKind::kUint,        TypeKind::kDouble,
                                               TypeKind::kString,      TypeKind::kBytes,
                                               TypeKind::kTimestamp,   TypeKind::kDuration,
                                               TypeKind::kList,        TypeKind::kMap,
                                               TypeKind::kOptional,    TypeKind::kType,
                                               TypeKind::kUrl,         TypeKind::kIp,
                                               TypeKind::kCidr,        TypeKind::kQuantity,
                                               TypeKind::kAuthorizer,  TypeKind::kPathCheck,
                                               TypeKind::kGroupCheck,  TypeKind::kResourceCheck,
                                               TypeKind::kDecision,    TypeKind::kSemver,
                                               TypeKind::kNamedFormat, TypeKind::kDyn};
  return Plain(kKinds[static_cast<std::size_t>(value.kind())]);
}

std::string_view KindName(ValueKind kind) {
  constexpr std::array<std::string_view, 26> kNames = {"error",
                                                       "null_type",
                                                       "bool",
                                                       "int",
                                                       "uint",
                                                       "double",
                                                       "string",
                                                       "bytes",
                                                       "google.protobuf.Timestamp",
                                                       "google.protobuf.Duration",
                                                       "list",
                                                       "map",
                                                       "optional_type",
                                                       "type",
                                                       "kubernetes.URL",
                                                       "net.IP",
                                                       "net.CIDR",
                                                       "kubernetes.Quantity",
                                                       "kubernetes.authorization.Authorizer",
                                                       "kubernetes.authorization.PathCheck",
                                                       "kubernetes.authorization.GroupCheck",
                                                       "kubernetes.authorization.ResourceCheck",
                                                       "kubernetes.authorization.Decision",
                                                       "kubernetes.Semver",
                                                       "kubernetes.NamedFormat",
                                                       "deferred"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<std::string> ScalarKey(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return "0";
    case ValueKind::kBool:
      return value.is_true() ? "t" : "f";
    case ValueKind::kInt:
      return "n" + std::to_string(value.integer());
    case ValueKind::kUint:
      return "n" + std::to_string(value.unsigned_integer());
    case ValueKind::kDouble: {
      const double number = value.number();
      if (std::floor(number) != number) return "d" + std::to_string(std::hash<double>{}(number));
      if (number >= 0 && number < 0x1p64) {
        return "n" + std::to_string(static_cast<std::uint64_t>(number));
      }
      if (number < 0 && number >= -0x1p63) {
        return "n" + std::to_string(static_cast<std::int64_t>(number));
      }
      return std::nullopt;
    }
    case ValueKind::kString:
      return "s" + std::string(value.text());
    case ValueKind::kBytes:
      return "b" + std::string(value.text());
    case ValueKind::kDuration:
      return "D" + std::to_string(value.integer());
    case ValueKind::kTimestamp:
      return "T" + std::to_string(value.time().seconds) + "." + std::to_string(value.time().nanos);
    default:
      return std::nullopt;
  }
}

Value NoSuchOverload() { return Value::Error("no such overload"); }

}  // namespace kinformer::internal::cel
