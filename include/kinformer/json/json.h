// kinformer/json/json.h
//
// json::Value: a JSON document in memory that can be changed. Dynamic objects are built and edited
// with it; patches, configuration and the API server's storage use it too.
//
//   json::Value job = json::Value::MakeObject(
//       {{"kind", "Job"}, {"spec", json::Value::MakeObject({{"parallelism", 3}})}});
//   job.Ensure("spec", "suspend") = true;                // makes the members it needs
//   std::int64_t n = job["spec"]["parallelism"].AsInt64().value_or(1);
//   std::cout << job.DumpPretty();
//
//   Result<json::Value> parsed = json::Parse(text);      // the error names line, column and reason
//
// [] only reads. It returns a null value for a missing member or item, so that chains of [] need no
// checks; the As… functions are empty if the type does not fit. Set, Ensure, Append and SetPointer
// write.

#ifndef KINFORMER_JSON_JSON_H_
#define KINFORMER_JSON_JSON_H_

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
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/attributes.h"

namespace kinformer::json {

class Value;
class TextSink;

// A step into a document: the name of a member, or the position of an item.
class Step {
 public:
  // NOLINTBEGIN(google-explicit-constructor): so that names and positions are steps as they are
  Step(std::string_view name) : name_(name), is_name_(true) {}
  Step(const char* name) : name_(name), is_name_(true) {}
  Step(const std::string& name) : name_(name), is_name_(true) {}
  // A negative position is never found.
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  Step(I position)
      : position_(position < 0 ? static_cast<std::size_t>(-1)
                               : static_cast<std::size_t>(position)) {}
  // NOLINTEND(google-explicit-constructor)

  // Return the name of a member, or the position of an item; null if the step is the other kind.
  [[nodiscard]] const std::string_view* name() const { return is_name_ ? &name_ : nullptr; }
  [[nodiscard]] const std::size_t* position() const { return is_name_ ? nullptr : &position_; }

 private:
  std::string_view name_{};
  std::size_t position_ = 0;
  bool is_name_ = false;
};

// The types of JSON.
enum class Type : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

// Returns "null", "bool", "number", "string", "array" or "object".
std::string_view TypeName(Type type);

// The items of a JSON array.
using Array = std::vector<Value>;

// Members of a JSON object, in the order in which they were added. Names are distinct. Look-up is
// linear in small objects and binary in large ones. References to values are stable until the next
// insertion or removal.
class Object {
 public:
  using Member = std::pair<std::string, Value>;
  using const_iterator = std::vector<Member>::const_iterator;

  // Defined out of line, since Value is incomplete here.
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
  // Return null if there is no such member.
  [[nodiscard]] const Value* Find(std::string_view name) const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] Value* Find(std::string_view name) KINFORMER_LIFETIMEBOUND;
  // Returns the member's value; adds a null one at the end if absent.
  Value& Ensure(std::string_view name) KINFORMER_LIFETIMEBOUND;
  // Sets the member, or adds it.
  void Set(std::string_view name, Value value);
  // Adds a member at the end, without checking for duplicates. REQUIRES: the name is new.
  Value& Add(std::string name, Value value) KINFORMER_LIFETIMEBOUND;
  // Reserves memory for `count` members in all.
  void Reserve(std::size_t count);
  // Erases a member; returns false if there was none. Keeps the order of the others. Linear in the
  // number of members: to erase many, use EraseIf.
  bool Erase(std::string_view name);
  // Erases the members for which `gone` is true, in one pass; returns their number.
  template <class Predicate>
  std::size_t EraseIf(const Predicate& gone) {
    const std::size_t before = size();
    std::erase_if(members_, gone);
    if (size() != before) RebuildIndex();
    return before - size();
  }
  // Adds members at the end, in one pass. REQUIRES: the names are distinct and new.
  void Extend(std::vector<Member> more);
  void Clear();
  // Returns the members, in their order, and leaves this object empty.
  [[nodiscard]] std::vector<Member> Release() &&;
  // Sorts members bytewise by name, not recursively.
  void SortByName();

  // Defined below, for libc++ asks a vector's iterators for the size of a member.
  [[nodiscard]] const_iterator begin() const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] const_iterator end() const KINFORMER_LIFETIMEBOUND;
  // Return the i-th member's name and value. REQUIRES: i < size().
  [[nodiscard]] const std::string& name(std::size_t i) const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] Value& value(std::size_t i) KINFORMER_LIFETIMEBOUND;

 private:
  [[nodiscard]] std::size_t IndexOf(std::string_view name) const;
  void RebuildIndex();

  std::vector<Member> members_;
  // Positions in members_ in the order of names; only kept for more than kLinear members.
  std::vector<std::uint32_t> by_name_;
};

// Options for writing a value as text.
struct DumpOptions {
  int indent = 0;  // spaces per level; 0: compact
  // Sorts members bytewise by name, as servers write maps and custom resources.
  bool sort_keys = false;
  bool escape_html = true;  // writes <, >, & and U+2028/2029 as \u escapes, as Go's encoders do
};

// A JSON value.
//
// Integers within int64 or uint64 are exact. Other numbers are doubles that keep the text
// they were parsed from, so that a document that is read and written keeps its "1.50" and
// its 30 digits. Copies are deep. Thread-compatible. Throws nothing but std::vector's
// exceptions if memory runs out. Counterpart: the map[string]interface{} of
// unstructured.Unstructured.
class Value {
 public:
  Value() noexcept : none_() {}                           // null
  Value(std::nullptr_t) noexcept : none_() {}             // NOLINT(google-explicit-constructor)
  Value(bool b) noexcept : bool_(b), rep_(Rep::kBool) {}  // NOLINT(google-explicit-constructor)
  template <std::signed_integral I>
  Value(I i) noexcept  // NOLINT(google-explicit-constructor)
      : int_(static_cast<std::int64_t>(i)), rep_(Rep::kInt) {}
  template <std::unsigned_integral I>
    requires(!std::same_as<I, bool>)
  Value(I i) noexcept : none_() {  // NOLINT(google-explicit-constructor)
    const auto u = static_cast<std::uint64_t>(i);
    if (u <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      int_ = static_cast<std::int64_t>(u);
      rep_ = Rep::kInt;
    } else {
      uint_ = u;
      rep_ = Rep::kUint;
    }
  }
  Value(double d);            // NOLINT(google-explicit-constructor)
  Value(std::string s);       // NOLINT(google-explicit-constructor)
  Value(std::string_view s);  // NOLINT(google-explicit-constructor)
  Value(const char* s);       // NOLINT(google-explicit-constructor)
  Value(Array a);             // NOLINT(google-explicit-constructor)
  Value(Object o);            // NOLINT(google-explicit-constructor)
  // Braces that contain names look like an object, but could mean an array or text as well.
  Value(std::initializer_list<std::pair<std::string_view, Value>> members) KINFORMER_UNAVAILABLE(
      "an object is made with its name: json::Value::MakeObject("
      "{{\"replicas\", 3}})");
  // Rejects other pointers, which would otherwise become booleans.
  template <class T>
    requires(!std::same_as<std::remove_cv_t<T>, char>)
  Value(T*) = delete;
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value() {
    if (rep_ >= Rep::kReal) Destroy();
  }
  // Explains `value["a"] = 1`, which otherwise fails to compile with a confusing message.
  template <class Dependent = Value>
  void operator=(const std::type_identity_t<Dependent>&) const {
    static_assert(!std::same_as<Dependent, Value>,
                  "kinformer: [] of a json::Value only reads; write value.Set(\"a\", 1), or "
                  "value.Ensure(\"a\", \"b\") = 1 for what stands deeper");
  }

  static Value MakeObject();
  static Value MakeObject(std::initializer_list<std::pair<std::string_view, Value>> members);
  static Value MakeArray();
  static Value MakeArray(std::initializer_list<Value> items);
  // Returns a number with this JSON text, which is kept. REQUIRES: the text is a JSON number.
  static Value MakeNumber(std::string_view text);

  [[nodiscard]] Type type() const;
  [[nodiscard]] bool is_null() const { return type() == Type::kNull; }
  [[nodiscard]] bool is_bool() const { return type() == Type::kBool; }
  [[nodiscard]] bool is_number() const { return type() == Type::kNumber; }
  [[nodiscard]] bool is_string() const { return type() == Type::kString; }
  [[nodiscard]] bool is_array() const { return type() == Type::kArray; }
  [[nodiscard]] bool is_object() const { return type() == Type::kObject; }
  // Returns true for a number that is an exact int64 or uint64.
  [[nodiscard]] bool is_integer() const;

  // ---- The value; empty if it has another type. Converts only between numbers, if the result is
  // exact.
  [[nodiscard]] std::optional<bool> AsBool() const;
  [[nodiscard]] std::optional<std::int64_t> AsInt64() const;
  [[nodiscard]] std::optional<std::uint64_t> AsUint64() const;
  [[nodiscard]] std::optional<double> AsDouble() const;  // any number
  [[nodiscard]] std::optional<std::string_view> AsString() const KINFORMER_LIFETIMEBOUND;
  // Returns the string, or "" for other types.
  [[nodiscard]] const std::string& StringOrEmpty() const KINFORMER_LIFETIMEBOUND;
  // Returns the number's text in JSON; "" if it is no number.
  [[nodiscard]] std::string NumberText() const;

  // ---- Containers. Null if the value has another type.
  [[nodiscard]] const Array* IfArray() const KINFORMER_LIFETIMEBOUND {
    return rep_ == Rep::kArray ? &array_ : nullptr;
  }
  [[nodiscard]] Array* IfArray() KINFORMER_LIFETIMEBOUND {
    return rep_ == Rep::kArray ? &array_ : nullptr;
  }
  [[nodiscard]] const Object* IfObject() const KINFORMER_LIFETIMEBOUND {
    return rep_ == Rep::kObject ? &object_ : nullptr;
  }
  [[nodiscard]] Object* IfObject() KINFORMER_LIFETIMEBOUND {
    return rep_ == Rep::kObject ? &object_ : nullptr;
  }
  [[nodiscard]] std::string* IfString() KINFORMER_LIFETIMEBOUND {
    return rep_ == Rep::kString ? &string_ : nullptr;
  }
  // Return the items or members; empty for another type: `for (const json::Value& c :
  // pod["spec"]["containers"].items())`.
  [[nodiscard]] const Array& items() const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] const Object& members() const KINFORMER_LIFETIMEBOUND;
  // Return this value as an object, array or string; if it has another type, it first becomes an
  // empty one.
  Object& EnsureObject() KINFORMER_LIFETIMEBOUND;
  Array& EnsureArray() KINFORMER_LIFETIMEBOUND;
  std::string& EnsureString() KINFORMER_LIFETIMEBOUND;
  // Returns the number of items or members; 0 for scalars.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool contains(std::string_view name) const { return Find(name) != nullptr; }

  // Return the member; null if this is no object or has no such member.
  [[nodiscard]] const Value* Find(std::string_view name) const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] Value* Find(std::string_view name) KINFORMER_LIFETIMEBOUND;
  // Returns the member or item; a null value if there is none. For reading only: `value["a"] = 1`
  // does not compile.
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
  // Returns the value at the end of the steps, to be changed: `job.Ensure("spec", "template",
  // "spec", "containers", 0, "image") = image`. Creates missing members, and turns values that are
  // no objects into empty ones. REQUIRES: items at the given positions exist; otherwise the process
  // ends with a message that names the path.
  template <class... Steps>
  Value& Ensure(const Steps&... steps) KINFORMER_LIFETIMEBOUND {
    return EnsureAt({Step(steps)...});
  }
  // Sets a member; erases one. Erase returns false if there was none.
  void Set(std::string_view name, Value value);
  bool Erase(std::string_view name);
  // Appends to an array (and first turns another type into an empty one).
  void Append(Value value);

  // ---- JSON Pointers (RFC 6901): "/spec/containers/0/image"; "" is the whole document.
  // Return null if there is no such value or the pointer is malformed.
  [[nodiscard]] const Value* FindPointer(std::string_view pointer) const KINFORMER_LIFETIMEBOUND;
  [[nodiscard]] Value* FindPointer(std::string_view pointer) KINFORMER_LIFETIMEBOUND;
  // Returns the value, or a null value if there is none.
  [[nodiscard]] const Value& At(std::string_view pointer) const KINFORMER_LIFETIMEBOUND;
  // Sets the value at the pointer, and creates objects on the way; "-" or the length appends to an
  // array.
  Result<void> SetPointer(std::string_view pointer, Value value);
  Result<void> ErasePointer(std::string_view pointer);

  // Applies RFC 7386: members of `patch` replace those here, null removes, objects are merged.
  void MergePatch(const Value& patch);

  // Compares content: members in any order, numbers by value (1 equals 1.0).
  friend bool operator==(const Value& a, const Value& b);
  friend class TextSink;

  [[nodiscard]] std::string Dump(const DumpOptions& options = {}) const;
  // Writes two spaces per level, as kubectl does.
  [[nodiscard]] std::string DumpPretty() const { return Dump({.indent = 2}); }
  void AppendTo(std::string& out, const DumpOptions& options = {}) const;
  friend std::ostream& operator<<(std::ostream& out, const Value& value);  // compact

 private:
  // From kReal on they have a destructor.
  enum class Rep : std::uint8_t { kNull, kBool, kInt, kUint, kReal, kString, kArray, kObject };
  struct Real {
    double value = 0;
    std::string text{};  // as parsed; empty if made from a double
  };
  explicit Value(Real real) noexcept;
  [[nodiscard]] const Value& Item(std::size_t index) const;
  Value& EnsureAt(std::initializer_list<Step> steps);
  void Write(TextSink& out, const DumpOptions& options, int level) const;
  // Takes the content of `other`, for a value that has none of its own.
  void Take(Value&& other) noexcept;
  void Destroy() noexcept;

  // No std::variant: this header is in most files, and a variant takes the compiler half a second.
  union {
    char none_;
    bool bool_;
    std::int64_t int_;
    std::uint64_t uint_;
    Real real_;
    std::string string_;
    Array array_;
    Object object_;
  };
  Rep rep_ = Rep::kNull;
};

inline Object::const_iterator Object::begin() const { return members_.begin(); }
inline Object::const_iterator Object::end() const { return members_.end(); }

// Limits and checks of Parse.
struct ParseOptions {
  std::size_t max_depth = 512;
  // A duplicate member is an error, instead of overwriting the earlier one as in JSON servers.
  bool reject_duplicate_keys = false;
  // If not null, receives the JSON Pointers of duplicate members.
  std::vector<std::string>* duplicate_keys = nullptr;
};

// Parses one JSON document, which only white space may follow. Errors are kDecode and name line,
// column and byte offset.
Result<Value> Parse(std::string_view text, const ParseOptions& options = {});

// Appends `text` as a JSON string, quotes included. Invalid UTF-8 becomes U+FFFD.
void AppendQuoted(std::string& out, std::string_view text, bool escape_html = true);

// Returns a reference token of a JSON Pointer, with ~ and / escaped.
std::string EscapePointerToken(std::string_view token);

}  // namespace kinformer::json

#endif  // KINFORMER_JSON_JSON_H_
