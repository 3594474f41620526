// kinformer/json.h
//
// json::Value: a JSON document in memory that can be changed: what dynamic objects are built and
// edited with, and what patches, configuration and the API server's storage speak.
//
//   json::Value job = json::Value::MakeObject(
//       {{"kind", "Job"}, {"spec", json::Value::MakeObject({{"parallelism", 3}})}});
//   job.Ensure("spec", "suspend") = true;                // makes the members it needs
//   std::int64_t n = job["spec"]["parallelism"].AsInt64().value_or(1);
//   std::cout << job.DumpPretty();
//
//   Result<json::Value> parsed = json::Parse(text);      // the error names line, column and reason
//
// [] reads, and never changes anything. It gives a null value for what is not there, so that chains
// of [] need no checks; the As… functions say whether the type fits. Set, Ensure, Append and
// SetPointer write.

#ifndef KINFORMER_JSON_H_
#define KINFORMER_JSON_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kinformer/internal/attributes.h"
#include "kinformer/result.h"

namespace kinformer::json {

class Value;
class TextSink;

// One step into a document: the name of a member, or the position of an item.
class Step {
 public:
  // NOLINTBEGIN(google-explicit-constructor): so that names and positions are steps as they are
  Step(std::string_view name) : step_(name) {}
  Step(const char* name) : step_(std::string_view(name)) {}
  Step(const std::string& name) : step_(std::string_view(name)) {}
  // A negative position is that of no item.
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  Step(I position)
      : step_(position < 0 ? static_cast<std::size_t>(-1) : static_cast<std::size_t>(position)) {}
  // NOLINTEND(google-explicit-constructor)

  // The name of a member, or the position of an item; null if the step is the other.
  [[nodiscard]] const std::string_view* name() const { return std::get_if<0>(&step_); }
  [[nodiscard]] const std::size_t* position() const { return std::get_if<1>(&step_); }

 private:
  std::variant<std::string_view, std::size_t> step_;
};

// The types of JSON.
enum class Type : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

// "null", "bool", "number", "string", "array", "object".
std::string_view TypeName(Type type);

// The items of a JSON array.
using Array = std::vector<Value>;

// The members of a JSON object in the order in which they were added. Names are distinct. Look-up
// is linear for small objects and binary for large ones. References to values are stable until the
// next insertion or removal.
class Object {
 public:
  using Member = std::pair<std::string, Value>;
  using const_iterator = std::vector<Member>::const_iterator;

  // Out of line, since Value is incomplete here.
  Object();
  Object(const Object& other);
  Object(Object&& other) noexcept;
  // REQUIRES: the names are distinct.
  explicit Object(std::vector<Member> members);
  Object& operator=(const Object& other);
  Object& operator=(Object&& other) noexcept;
  ~Object();

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  // Null if there is no such member.
  [[nodiscard]] const Value* Find(std::string_view name) const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] Value* Find(std::string_view name) KINFORMER_LIFETIMEBOUND;
  // The member's value; made (null, at the end) if absent.
  Value& Ensure(std::string_view name) KINFORMER_LIFETIMEBOUND;
  // Sets or adds.
  void Set(std::string_view name, Value value);
  // Adds a member at the end, without a look for one of that name. REQUIRES: there is none.
  Value& Add(std::string name, Value value) KINFORMER_LIFETIMEBOUND;
  // Makes room for so many members in all.
  void Reserve(std::size_t count);
  // Whether there was one. Keeps the order of the others. Costs as much as there are members: for
  // many of them EraseIf.
  bool Erase(std::string_view name);
  // Erases the members of which `gone` is true, in one pass; how many they were.
  template <class Predicate>
  std::size_t EraseIf(const Predicate& gone) {
    const std::size_t before = size();
    std::erase_if(members_, gone);
    if (size() != before) RebuildIndex();
    return before - size();
  }
  // Adds members at the end, in one pass. REQUIRES: names that are distinct and not there yet.
  void Extend(std::vector<Member> more);
  void Clear();
  // The members, in their order.
  [[nodiscard]] std::vector<Member> Release() &&;
  // Bytewise by name, not recursive.
  void SortByName();

  [[nodiscard]] const_iterator begin() const KINFORMER_LIFETIMEBOUND { return members_.begin(); }
  [[nodiscard]] const_iterator end() const KINFORMER_LIFETIMEBOUND { return members_.end(); }
  // The i-th member's name and value. REQUIRES: i < size().
  [[nodiscard]] const std::string& name(std::size_t i) const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] Value& value(std::size_t i) KINFORMER_LIFETIMEBOUND;

 private:
  [[nodiscard]] std::size_t IndexOf(std::string_view name) const;
  void RebuildIndex();

  std::vector<Member> members_;
  // Positions in members_ in the order of names; only kept past kLinear members.
  std::vector<std::uint32_t> by_name_;
};

// How a value is written as text.
struct DumpOptions {
  int indent = 0;  // spaces per level; 0: compact
  // Object members bytewise by name, as servers write maps and custom resources.
  bool sort_keys = false;
  bool escape_html = true;  // <, >, & and U+2028/2029 as \u escapes, as Go's encoders do
};

// One JSON value.
//
// Integers within int64 or uint64 are exact. Other numbers are doubles that keep the text they were
// parsed from, so that a document that is read and written keeps its "1.50" and its 30 digits.
// Copies are deep. Thread-compatible. Nothing here throws, apart from what std::vector throws when
// memory runs out.
// Counterpart: the map[string]interface{} of unstructured.Unstructured.
class Value {
 public:
  Value() = default;          // null
  Value(std::nullptr_t) {}    // NOLINT(google-explicit-constructor)
  Value(bool b) : rep_(b) {}  // NOLINT(google-explicit-constructor)
  template <std::signed_integral I>
  Value(I i) : rep_(static_cast<std::int64_t>(i)) {}  // NOLINT(google-explicit-constructor)
  template <std::unsigned_integral I>
    requires(!std::same_as<I, bool>)
  Value(I i) {  // NOLINT(google-explicit-constructor)
    const auto u = static_cast<std::uint64_t>(i);
    if (u <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      rep_ = static_cast<std::int64_t>(u);
    } else {
      rep_ = u;
    }
  }
  Value(double d) : rep_(Real{d, {}}) {}               // NOLINT(google-explicit-constructor)
  Value(std::string s) : rep_(std::move(s)) {}         // NOLINT(google-explicit-constructor)
  Value(std::string_view s) : rep_(std::string(s)) {}  // NOLINT(google-explicit-constructor)
  Value(const char* s) : rep_(std::string(s)) {}       // NOLINT(google-explicit-constructor)
  Value(Array a) : rep_(std::move(a)) {}               // NOLINT(google-explicit-constructor)
  Value(Object o) : rep_(std::move(o)) {}              // NOLINT(google-explicit-constructor)
  // Braces with names in them look like an object, and could mean an array or text as well.
  Value(std::initializer_list<std::pair<std::string_view, Value>> members) KINFORMER_UNAVAILABLE(
      "an object is made with its name: json::Value::MakeObject("
      "{{\"replicas\", 3}})");
  // Other pointers would otherwise become booleans.
  template <class T>
    requires(!std::same_as<std::remove_cv_t<T>, char>)
  Value(T*) = delete;
  Value(const Value& other) = default;
  Value(Value&& other) noexcept = default;
  Value& operator=(const Value& other) = default;
  Value& operator=(Value&& other) noexcept = default;
  ~Value() = default;
  // For `value["a"] = 1`, which would otherwise fail to compile in words that help nobody.
  template <class Dependent = Value>
  void operator=(const std::type_identity_t<Dependent>&) const {
    static_assert(!std::same_as<Dependent, Value>,
                  "kinformer: [] of a json::Value only reads; write value.Set(\"a\", 1), or "
                  "value.Ensure(\"a\", \"b\") = 1 for what stands deeper");
  }

  static Value MakeObject() { return Value(Object()); }
  static Value MakeObject(std::initializer_list<std::pair<std::string_view, Value>> members);
  static Value MakeArray() { return Value(Array()); }
  static Value MakeArray(std::initializer_list<Value> items) { return Value(Array(items)); }
  // A number by its JSON text, which is kept. REQUIRES: the text is a JSON number.
  static Value MakeNumber(std::string_view text);

  [[nodiscard]] Type type() const;
  [[nodiscard]] bool is_null() const { return type() == Type::kNull; }
  [[nodiscard]] bool is_bool() const { return type() == Type::kBool; }
  [[nodiscard]] bool is_number() const { return type() == Type::kNumber; }
  [[nodiscard]] bool is_string() const { return type() == Type::kString; }
  [[nodiscard]] bool is_array() const { return type() == Type::kArray; }
  [[nodiscard]] bool is_object() const { return type() == Type::kObject; }
  // A number that is an exact int64 or uint64.
  [[nodiscard]] bool is_integer() const;

  // ---- The value, empty if the type is another. No conversions, except between numbers where
  // nothing is lost.
  [[nodiscard]] std::optional<bool> AsBool() const;
  [[nodiscard]] std::optional<std::int64_t> AsInt64() const;
  [[nodiscard]] std::optional<std::uint64_t> AsUint64() const;
  [[nodiscard]] std::optional<double> AsDouble() const;  // any number
  [[nodiscard]] std::optional<std::string_view> AsString() const KINFORMER_LIFETIMEBOUND;
  // The string, or "" for anything else.
  [[nodiscard]] const std::string& StringOrEmpty() const KINFORMER_LIFETIMEBOUND;
  // The number's text in JSON; "" if it is none.
  [[nodiscard]] std::string NumberText() const;

  // ---- Containers. Null if the type is another.
  [[nodiscard]] const Array* IfArray() const KINFORMER_LIFETIMEBOUND {
    return std::get_if<Array>(&rep_);
  }
  [[nodiscard]] Array* IfArray() KINFORMER_LIFETIMEBOUND { return std::get_if<Array>(&rep_); }
  [[nodiscard]] const Object* IfObject() const KINFORMER_LIFETIMEBOUND {
    return std::get_if<Object>(&rep_);
  }
  [[nodiscard]] Object* IfObject() KINFORMER_LIFETIMEBOUND { return std::get_if<Object>(&rep_); }
  [[nodiscard]] std::string* IfString() KINFORMER_LIFETIMEBOUND {
    return std::get_if<std::string>(&rep_);
  }
  // Items or members to walk; empty if the type is another: `for (const json::Value& c :
  // pod["spec"]["containers"].items())`.
  [[nodiscard]] const Array& items() const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] const Object& members() const KINFORMER_LIFETIMEBOUND;
  // This value as an object, array or string, after turning it into an empty one if it is of
  // another type.
  Object& EnsureObject() KINFORMER_LIFETIMEBOUND;
  Array& EnsureArray() KINFORMER_LIFETIMEBOUND;
  std::string& EnsureString() KINFORMER_LIFETIMEBOUND;
  // Items, members; 0 for scalars.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool contains(std::string_view name) const { return Find(name) != nullptr; }

  // The member; null if this is no object or has none.
  [[nodiscard]] const Value* Find(std::string_view name) const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] Value* Find(std::string_view name) KINFORMER_LIFETIMEBOUND;
  // The member or item; a null value where there is none. For reading only: `value["a"] = 1` does
  // not compile.
  const Value& operator[](std::string_view name) const KINFORMER_LIFETIMEBOUND;
  const Value& operator[](const char* name) const KINFORMER_LIFETIMEBOUND {
    return (*this)[std::string_view(name)];
  }
  const Value& operator[](const std::string& name) const KINFORMER_LIFETIMEBOUND {
    return (*this)[std::string_view(name)];
  }
  template <std::integral I>
  const Value& operator[](I index) const KINFORMER_LIFETIMEBOUND {
    return Item(index < 0 ? static_cast<std::size_t>(-1) : static_cast<std::size_t>(index));
  }
  // The value at the end of the steps, to be changed: `job.Ensure("spec", "template", "spec",
  // "containers", 0, "image") = image`. Makes the members that are missing, and turns what is no
  // object into an empty one. REQUIRES: a position is that of an item that is there; the process
  // ends with the path in words otherwise.
  template <class... Steps>
  Value& Ensure(const Steps&... steps) KINFORMER_LIFETIMEBOUND {
    return EnsureAt({Step(steps)...});
  }
  // Sets a member; erases one. Erase says whether there was one.
  void Set(std::string_view name, Value value) { EnsureObject().Set(name, std::move(value)); }
  bool Erase(std::string_view name);
  // Appends to an array (and turns this value into one if it is none).
  void Append(Value value) { EnsureArray().push_back(std::move(value)); }

  // ---- JSON Pointers (RFC 6901): "/spec/containers/0/image"; "" is the whole document.
  // Null if there is nothing there or the pointer is malformed.
  [[nodiscard]] const Value* FindPointer(std::string_view pointer) const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] Value* FindPointer(std::string_view pointer) KINFORMER_LIFETIMEBOUND;
  // The same; a null value where there is nothing.
  [[nodiscard]] const Value& At(std::string_view pointer) const KINFORMER_LIFETIMEBOUND;
  // Sets what the pointer names, making the objects on the way; "-" or the length appends to an
  // array.
  Result<void> SetPointer(std::string_view pointer, Value value);
  Result<void> ErasePointer(std::string_view pointer);

  // RFC 7386: members of `patch` replace ours, null removes, objects merge.
  void MergePatch(const Value& patch);

  // Equal content. Members in any order; numbers by value (1 equals 1.0).
  friend bool operator==(const Value& a, const Value& b);
  friend class TextSink;

  [[nodiscard]] std::string Dump(const DumpOptions& options = {}) const;
  // Two spaces per level, as kubectl prints.
  [[nodiscard]] std::string DumpPretty() const { return Dump({.indent = 2}); }
  void AppendTo(std::string& out, const DumpOptions& options = {}) const;
  friend std::ostream& operator<<(std::ostream& out, const Value& value);  // compact

 private:
  struct Real {
    double value = 0;
    std::string text;  // as parsed; empty: made from a double
  };
  [[nodiscard]] const Value& Item(std::size_t index) const;
  Value& EnsureAt(std::initializer_list<Step> steps);
  void Write(TextSink& out, const DumpOptions& options, int level) const;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, Real, std::string, Array, Object>
      rep_;
};

// What a document may be.
struct ParseOptions {
  std::size_t max_depth = 512;
  // A member that occurs twice: an error, or (as JSON servers do) the last one wins.
  bool reject_duplicate_keys = false;
  // Filled, if not null, with the JSON Pointers of members that occurred twice.
  std::vector<std::string>* duplicate_keys = nullptr;
};

// One JSON document; nothing but blanks may follow it. Errors are kDecode and name line, column and
// byte offset.
Result<Value> Parse(std::string_view text, const ParseOptions& options = {});

// Appends `text` as a JSON string, quotes included. Bytes that are no UTF-8 become U+FFFD.
void AppendQuoted(std::string& out, std::string_view text, bool escape_html = true);

// One reference token of a JSON Pointer, with ~ and / escaped.
std::string EscapePointerToken(std::string_view token);

}  // namespace kinformer::json

#endif  // KINFORMER_JSON_H_
