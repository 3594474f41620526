// cel/value.h
//
// Value: a value at run time. Lists, maps and texts of JSON are read where they are, without a
// copy.

#ifndef KINFORMER_CEL_VALUE_H_
#define KINFORMER_CEL_VALUE_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/object/quantity.h"

#include "cel/access.h"
#include "cel/amount.h"
#include "cel/named_format.h"
#include "cel/semver.h"
#include "cel/times.h"
#include "cel/type.h"
#include "cel/url.h"

namespace kinformer::internal::cel {

enum class ValueKind : std::uint8_t {
  kError,
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kTimestamp,
  kDuration,
  kList,
  kMap,
  kOptional,
  kType,
  kUrl,
  kIp,
  kCidr,
  kQuantity,
  kAuthorizer,
  kPathCheck,
  kGroupCheck,
  kResourceCheck,
  kDecision,
  kSemver,
  kNamedFormat,
  kDeferred,  // in variables only
};

class Value;

// An address of IPv4 (its last four bytes) or IPv6.
struct Ip {
  std::array<std::uint8_t, 16> bytes{};
  bool is_v4 = false;
  bool operator==(const Ip&) const = default;
};

struct Cidr {
  Ip ip{};
  int prefix = 0;
  bool operator==(const Cidr&) const = default;
};

struct MapData;

// Computes the value of a variable when an expression first needs it.
class DeferredValue {
 public:
  virtual ~DeferredValue() = default;
  virtual Value Get() = 0;
};

// Cheap to copy. A value that was read from JSON refers to it and to its type: both must outlive
// the value. Thread-compatible.
class Value {
 public:
  Value() noexcept : integer_(0), text_() {}  // null
  static Value Bool(bool value);
  static Value Int(std::int64_t value);
  static Value Uint(std::uint64_t value);
  static Value Double(double value);
  static Value String(std::string text);
  static Value Bytes(std::string bytes);
  static Value Time(const Timestamp& time);
  static Value Duration(std::int64_t nanos);
  static Value List(std::vector<Value> items);
  static Value Map(std::vector<std::pair<Value, Value>> entries);
  // Makes a message. `type`: that of an object.
  static Value Message(TypePtr type, std::vector<std::pair<Value, Value>> fields);
  static Value None();
  static Value Some(Value value);
  static Value OfType(TypePtr type);
  static Value OfUrl(Url url);
  static Value OfIp(const Ip& ip);
  static Value OfCidr(const Cidr& cidr);
  static Value OfQuantity(Amount amount);
  static Value OfSemver(Semver version);
  // The format outlives the value.
  static Value OfFormat(const NamedFormat& format);
  // `kind`: what the check is about.
  static Value OfAccess(ValueKind kind, AccessCheck check);
  static Value OfDecision(AccessAnswer answer);
  static Value Error(std::string message);
  // Stands for the value that `source` computes, which must outlive the value.
  static Value Deferred(DeferredValue& source);
  // Refers to a text that outlives the value.
  static Value Borrowed(std::string_view text);
  // Reads JSON as a value of this type; an error value if it is none.
  static Value FromJson(const json::Value& json, const Type& type);

  [[nodiscard]] ValueKind kind() const { return kind_; }
  [[nodiscard]] bool is(ValueKind kind) const { return kind_ == kind; }
  [[nodiscard]] bool is_error() const { return kind_ == ValueKind::kError; }
  [[nodiscard]] bool is_true() const { return kind_ == ValueKind::kBool && integer_ != 0; }
  [[nodiscard]] bool is_false() const { return kind_ == ValueKind::kBool && integer_ == 0; }
  [[nodiscard]] bool is_number() const {
    return kind_ == ValueKind::kInt || kind_ == ValueKind::kUint || kind_ == ValueKind::kDouble;
  }

  // REQUIRES: the value is of that kind.
  [[nodiscard]] std::int64_t integer() const { return integer_; }  // int; duration: nanoseconds
  [[nodiscard]] std::uint64_t unsigned_integer() const { return unsigned_; }
  [[nodiscard]] double number() const { return number_; }
  [[nodiscard]] std::string_view text() const { return text_; }  // string, bytes, error
  [[nodiscard]] Timestamp time() const { return {integer_, nanos_, zone_minutes_}; }
  [[nodiscard]] const Value* content() const;  // of an optional; null if it has none
  [[nodiscard]] const TypePtr& type() const;
  [[nodiscard]] const Url& url() const;
  [[nodiscard]] const Ip& ip() const;
  [[nodiscard]] const Cidr& cidr() const;
  [[nodiscard]] const Amount& amount() const;
  [[nodiscard]] const resource::Quantity& quantity() const { return amount().quantity; }
  [[nodiscard]] const Semver& semver() const;
  [[nodiscard]] const NamedFormat& format() const;
  [[nodiscard]] const AccessCheck& access() const;
  [[nodiscard]] const AccessAnswer& decision() const;
  [[nodiscard]] DeferredValue& deferred() const;

  // ---- Lists and maps.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] Value item(std::size_t index) const;  // REQUIRES: index < size()
  // Returns the i-th key or value, in any but always the same order. REQUIRES: index < size().
  [[nodiscard]] Value key(std::size_t index) const;
  [[nodiscard]] Value value(std::size_t index) const;
  // Returns the value of a key of a map; nullopt if there is none.
  [[nodiscard]] std::optional<Value> Find(const Value& key) const;
  // The same for a member of an object or a map, by its identifier.
  [[nodiscard]] std::optional<Value> FindField(std::string_view identifier) const;
  // Returns the type of a message, which is a map otherwise; null for other values.
  [[nodiscard]] const Type* message_type() const;
  // Returns whether a list or map was read from JSON as a schema declares it.
  [[nodiscard]] bool is_declared() const {
    return view_.json != nullptr && view_.shape->kind != TypeKind::kDyn;
  }
  // Returns the type as which a list was read from JSON; null for others.
  [[nodiscard]] const Type* list_shape() const;

 private:
  struct View {
    const json::Value* json = nullptr;
    const Type* shape = nullptr;
  };

  template <class T>
  static Value OfPayload(ValueKind kind, T data);

  union {
    std::int64_t integer_;
    std::uint64_t unsigned_;
    double number_;
  };
  union {
    std::string_view text_;
    View view_;
  };
  std::shared_ptr<const void> payload_{};
  std::int32_t nanos_ = 0;
  std::int16_t zone_minutes_ = 0;
  ValueKind kind_ = ValueKind::kNull;
};

// Returns whether the values are equal; values of different types are not, numbers are compared
// by what they stand for. `cost` grows by the number of comparisons.
bool Equal(const Value& a, const Value& b, std::uint64_t& cost);
// nullopt: the two have no order.
std::optional<std::partial_ordering> Compare(const Value& a, const Value& b);

// Returns the type of a value, as type(x) sees it.
TypePtr TypeOfValue(const Value& value);
std::string_view KindName(ValueKind kind);

// Returns a text that is equal for equal values, where that is cheap: scalars. nullopt for others.
std::optional<std::string> ScalarKey(const Value& value);

Value NoSuchOverload();

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_VALUE_H_
