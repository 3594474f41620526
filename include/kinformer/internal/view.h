// kinformer/internal/view.h
//
// Base of generated views: a MessageView is a message inside a block, a RootView a whole object,
// and the functions below read fields in place. Nothing allocates; every read is bounds-checked;
// malformed data reads as absent and is counted.
//
// Generated code looks like this:
//
//   class PodSpec : public internal::MessageOf<PodSpec, PodSpecMutable> {
//    public:
//     using MessageView::MessageView;
//     const std::string_view nodeName() const { return internal::GetString(*this, 10); }
//     const internal::Repeated<Container> containers() const { return {*this, 2}; }
//     const std::optional<PodSecurityContext> securityContext() const {
//       return internal::GetOptional<PodSecurityContext>(*this, 14);
//     }
//   };
//   class Pod : public internal::RootView {
//    public:
//     using RootView::RootView;
//     const metav1::ObjectMeta metadata() const {
//       return internal::GetMessage<metav1::ObjectMeta>(*this, 1);
//     }
//     const PodSpec spec() const { return internal::GetMessage<PodSpec>(*this, 2); }
//   };
//
// Numbers identify fields. Messages of JSON blocks have no fields here; json_view.h reads
// those.

#ifndef KINFORMER_INTERNAL_VIEW_H_
#define KINFORMER_INTERNAL_VIEW_H_

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/internal/attributes.h"
#include "kinformer/internal/standard_streams.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::internal {

class Block;

// A message (or any JSON value) inside a block. 24 bytes, trivially copyable. By default an empty
// message, whose fields are all absent. Lives as long as its block.
class MessageView {
 public:
  static constexpr std::uint8_t kNoTable = 0xff;

  constexpr MessageView() = default;
  // Creates a view. `table`: the block's index of this message's fields; kNoTable: none.
  constexpr MessageView(const char* data, std::uint32_t size, const Block* block, Encoding encoding,
                        std::uint8_t table = kNoTable)
      : data_(data), block_(block), size_(size), encoding_(encoding), table_(table) {}
  // Creates a view of a message outside of any block: for tests and codecs.
  explicit constexpr MessageView(std::string_view message)
      : data_(message.data()), size_(static_cast<std::uint32_t>(message.size())) {}

  // Returns the message as stored in the block.
  [[nodiscard]] constexpr std::string_view bytes() const { return {data_, size_}; }
  [[nodiscard]] constexpr const Block* block() const { return block_; }
  [[nodiscard]] constexpr Encoding encoding() const { return encoding_; }
  [[nodiscard]] constexpr std::uint8_t table() const { return table_; }

 private:
  const char* data_ = nullptr;
  const Block* block_ = nullptr;
  std::uint32_t size_ = 0;
  Encoding encoding_ = Encoding::kProtobuf;
  std::uint8_t table_ = kNoTable;
};
static_assert(sizeof(void*) != 8 || sizeof(MessageView) == 24);

struct MessageDescriptor;  // internal/descriptor.h

// Return the message as compact JSON and as YAML; "", and counted, if it is malformed.
std::string MessageToJson(const MessageView& message, const MessageDescriptor& descriptor);
std::string MessageToYaml(const MessageView& message, const MessageDescriptor& descriptor);
std::ostream& PrintMessage(std::ostream& out, const MessageView& message,
                           const MessageDescriptor& descriptor);

template <class M>
M CopyMutable(const Block* block);  // internal/mutable_codec.h
template <class M>
M CopyMutableMessage(std::string_view message);  // internal/mutable_codec.h

// Matches structs whose header has been included.
template <class M>
concept StructIsKnown = requires { sizeof(M); };

// Implements DeepCopy, from an object's block or a message's bytes. If the struct is not declared,
// StructHeaderOf in the struct's namespace stops the compilation with the name of its header.
template <class M, class From>
auto CopyInto(const From& from) {
  if constexpr (!StructIsKnown<M>) {
    StructHeaderOf(static_cast<const M*>(nullptr));
  } else if constexpr (std::is_same_v<From, std::string_view>) {
    return CopyMutableMessage<M>(from);
  } else {
    return CopyMutable<M>(from);
  }
}

// Const type of a view's value, so that `pod.spec().nodeName() = "x"` does not compile. Numbers
// need no const for that.
template <class V>
using ReadOnly = std::conditional_t<std::is_class_v<V>, const V, V>;

// Common base of views of messages (corev1::PodSpec). V is the view, which names its descriptor;
// Struct is V::Mutable.
template <class V, class Struct>
class MessageOf : public MessageView {
 public:
  constexpr MessageOf() = default;  // NOLINT(bugprone-crtp-constructor-accessibility): inherited
  explicit constexpr MessageOf(const MessageView& message) : MessageView(message) {}  // NOLINT

  [[nodiscard]] std::string ToJson() const { return MessageToJson(*this, V::message_descriptor()); }
  [[nodiscard]] std::string ToYaml() const { return MessageToYaml(*this, V::message_descriptor()); }

  // Returns a Struct to change. Needs the header with the structs. For a partial object it lacks
  // the cut fields too, without being marked as partial.
  template <class M = Struct>
  [[nodiscard]] auto DeepCopy() const {
    return CopyInto<M>(this->bytes());
  }

  // Compares the bytes.
  friend bool operator==(const V& a, const V& b) {
    return static_cast<const MessageOf&>(a).bytes() == static_cast<const MessageOf&>(b).bytes();
  }
};

template <class V>
concept MessageOfItself = std::derived_from<V, MessageOf<V, typename V::Mutable>>;

// Prints the JSON in one line.
template <MessageOfItself V>
std::ostream& operator<<(std::ostream& out, const V& message) {
  return PrintMessage(out, message, V::message_descriptor());
}

// Functions of all views of whole objects, Unstructured and Object. Null is equal to null only.
bool SameContent(const Block* a, const Block* b);
std::size_t HashContent(const Block* block);  // equal for equal content
std::ostream& PrintName(std::ostream& out, const Block* block);
std::string ContentToYaml(const Block* block);

// View of a whole object. 8 bytes, trivially copyable. By default null, which reads as an object
// without fields.
class RootView {
 public:
  constexpr RootView() = default;
  explicit constexpr RootView(const Block* block) : block_(block) {}
  [[nodiscard]] constexpr const Block* block() const { return block_; }
  [[nodiscard]] MessageView message() const;
  operator MessageView() const { return message(); }  // NOLINT(google-explicit-constructor)

  // Return the whole object with kind and apiVersion: compact JSON, and YAML as kubectl prints it.
  // "" if null.
  [[nodiscard]] std::string ToJson() const;
  [[nodiscard]] std::string ToYaml() const;

  // Compares kind and content: for objects stored as protobuf, the bytes.
  friend bool operator==(const RootView& a, const RootView& b) {
    return SameContent(a.block_, b.block_);
  }
  // Prints "Pod default/web-0".
  friend std::ostream& operator<<(std::ostream& out, const RootView& object) {
    return PrintName(out, object.block_);
  }

 private:
  const Block* block_ = nullptr;
};

// A value as stored, for the functions below.
struct RawValue {
  enum class Kind : std::uint8_t { kVarint, kFixed32, kFixed64, kBytes };
  Kind kind = Kind::kVarint;
  std::uint8_t table = MessageView::kNoTable;
  std::uint64_t scalar = 0;
  std::string_view bytes{};  // kBytes: the content
};

// Finds the last value of a field. False: there is none.
bool FindField(const MessageView& message, std::uint32_t field, RawValue& value);

// Walks the values of a repeated field or the entries of a map.
struct FieldCursor {
  // Encoding of lists of numbers, which may be packed, many in one field.
  enum class Packing : std::uint8_t { kNone, kVarint, kFixed64 };

  const char* at = nullptr;  // null: at the end
  const char* end = nullptr;
  const char* packed = nullptr;  // in a packed field
  const char* packed_end = nullptr;
  std::uint32_t number = 0;
  bool contiguous = false;  // stops at the first other field
  Packing packing = Packing::kNone;
};
FieldCursor MakeCursor(const MessageView& message, std::uint32_t field,
                       FieldCursor::Packing packing = FieldCursor::Packing::kNone);
// Return the next element, or the next entry of a map. False at the end.
bool NextElement(FieldCursor& cursor, RawValue& value);
bool NextMember(FieldCursor& cursor, std::string_view& key, RawValue& value);

// Finds the last entry of a map with that key. False: there is none.
bool FindEntry(const MessageView& message, std::uint32_t field, std::string_view key,
               RawValue& value);

// Convert a raw value. A value of the wrong type reads as zero and is counted.
std::int64_t ToInt64(const RawValue& value);
double ToDouble(const RawValue& value);
bool ToBool(const RawValue& value);
MessageView ToMessage(const MessageView& parent, const RawValue& value);

// Returns the number of reads in this process that found malformed bytes below the level that is
// checked on arrival.
std::uint64_t MalformedReads();
// Returns the number in the calling thread. A caller of the program's functions can so find out
// which object was malformed.
std::uint64_t MalformedReadsHere();
void CountMalformedRead();

inline std::string_view ToStringView(const MessageView& /*parent*/, const RawValue& value) {
  if (value.kind != RawValue::Kind::kBytes) CountMalformedRead();
  return value.bytes;
}

template <class T>
T ConvertValue(const MessageView& parent, const RawValue& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return ToStringView(parent, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return ToBool(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return ToDouble(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(ToInt64(value));
  } else if constexpr (requires { T::FromRaw(parent, value); }) {
    return T::FromRaw(parent, value);
  } else {
    const MessageView m = ToMessage(parent, value);
    if constexpr (std::is_constructible_v<T, const MessageView&>) {
      return T(m);
    } else {
      return T(m.bytes().data(), static_cast<std::uint32_t>(m.bytes().size()), m.block(),
               m.encoding(), m.table());
    }
  }
}

// ---- Single fields

// Returns true if the field is present. A zero in a field that is no pointer in Go may be absent.
inline bool Has(const MessageView& message, std::uint32_t field) {
  RawValue value;
  return FindField(message, field, value);
}
template <class T>
T Get(const MessageView& message, std::uint32_t field) {
  RawValue value;
  return FindField(message, field, value) ? ConvertValue<T>(message, value) : T();
}
template <class T>
std::optional<T> GetOptional(const MessageView& message, std::uint32_t field) {
  RawValue value;
  if (!FindField(message, field, value)) return std::nullopt;
  return ConvertValue<T>(message, value);
}
// Returns a string, without a RawValue if the block has an index of the message: most reads use
// this or GetMessage below.
std::string_view GetString(const MessageView& message, std::uint32_t field);
// Read the message in that field; `into`, which is empty, stays empty if there is none. ReadChild:
// for a direct child of the object.
void ReadMessage(const MessageView& message, std::uint32_t field, MessageView& into);
void ReadChild(const Block* block, std::uint32_t field, MessageView& into);
inline std::string_view GetBytes(const MessageView& m, std::uint32_t f) {
  return Get<std::string_view>(m, f);
}
inline bool GetBool(const MessageView& m, std::uint32_t f) { return Get<bool>(m, f); }
inline std::int32_t GetInt32(const MessageView& m, std::uint32_t f) {
  return Get<std::int32_t>(m, f);
}
inline std::int64_t GetInt64(const MessageView& m, std::uint32_t f) {
  return Get<std::int64_t>(m, f);
}
inline double GetDouble(const MessageView& m, std::uint32_t f) { return Get<double>(m, f); }
// Fills the view in place: copying a view whose members were written one by one just before is
// slow.
template <class V>
V GetMessage(const MessageView& m, std::uint32_t f) {
  if constexpr (std::derived_from<V, MessageView>) {
    V view;
    ReadMessage(m, f, view);
    return view;
  } else {
    return Get<V>(m, f);
  }
}
template <std::derived_from<MessageView> V>
V GetMessage(const RootView& object, std::uint32_t f) {
  V view;
  ReadChild(object.block(), f, view);
  return view;
}
inline std::optional<std::string_view> GetOptionalString(const MessageView& m, std::uint32_t f) {
  return GetOptional<std::string_view>(m, f);
}
inline std::optional<bool> GetOptionalBool(const MessageView& m, std::uint32_t f) {
  return GetOptional<bool>(m, f);
}
inline std::optional<std::int32_t> GetOptionalInt32(const MessageView& m, std::uint32_t f) {
  return GetOptional<std::int32_t>(m, f);
}
inline std::optional<std::int64_t> GetOptionalInt64(const MessageView& m, std::uint32_t f) {
  return GetOptional<std::int64_t>(m, f);
}
inline std::optional<double> GetOptionalDouble(const MessageView& m, std::uint32_t f) {
  return GetOptional<double>(m, f);
}

// ---- Repeated fields and maps

// Elements of a repeated field: a forward range, borrowed, and a std::ranges::view. V: a view
// class, std::string_view, a number, bool, metav1::Time, Quantity, ... size() and operator[] walk
// the elements. Lives as long as the block.
template <class V>
class Repeated {
 public:
  Repeated() : field_(0) {}
  Repeated(const MessageView& message, std::uint32_t field) : message_(message), field_(field) {}

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;
    using value_type = V;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = ReadOnly<V>;

    iterator() = default;
    iterator(const MessageView& message, FieldCursor cursor) : message_(message), cursor_(cursor) {
      ++*this;
    }
    reference operator*() const { return ConvertValue<V>(message_, value_); }
    iterator& operator++() {
      done_ = !NextElement(cursor_, value_);
      ++index_;
      return *this;
    }
    iterator operator++(int) {
      iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const iterator& a, const iterator& b) {
      return a.done_ == b.done_ && (a.done_ || a.index_ == b.index_);
    }

   private:
    MessageView message_;
    FieldCursor cursor_;
    RawValue value_;
    std::size_t index_ = 0;
    bool done_ = true;
  };
  using const_iterator = iterator;
  using value_type = V;

  [[nodiscard]] iterator begin() const {
    constexpr auto kPacking = std::is_integral_v<V>       ? FieldCursor::Packing::kVarint
                              : std::is_same_v<V, double> ? FieldCursor::Packing::kFixed64
                                                          : FieldCursor::Packing::kNone;
    return iterator(message_, MakeCursor(message_, field_, kPacking));
  }
  [[nodiscard]] iterator end() const { return iterator(); }
  [[nodiscard]] bool empty() const { return begin() == end(); }
  [[nodiscard]] std::size_t size() const {
    std::size_t count = 0;
    for (iterator i = begin(); i != end(); ++i) ++count;
    return count;
  }
  // Returns true if an element equals `value`.
  [[nodiscard]] bool contains(const V& value) const {
    for (iterator i = begin(); i != end(); ++i) {
      if (*i == value) return true;
    }
    return false;
  }
  // Returns a default V if there are not that many elements.
  [[nodiscard]] ReadOnly<V> operator[](std::size_t index) const {
    for (iterator i = begin(); i != end(); ++i) {
      if (index-- == 0) return *i;
    }
    return V();
  }

 private:
  MessageView message_;
  std::uint32_t field_;
};

// Entries of a map with string keys: a forward range of pair<string_view, V>, in the order of the
// wire (servers sort by key). Look-ups walk the entries; if a key occurs twice, the last entry
// counts. Lives as long as the block.
template <class V>
class MessageMap {
 public:
  MessageMap() : field_(0) {}
  MessageMap(const MessageView& message, std::uint32_t field) : message_(message), field_(field) {}

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using iterator_concept = std::forward_iterator_tag;
    using value_type = std::pair<std::string_view, V>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = const value_type;

    iterator() = default;
    iterator(const MessageView& message, FieldCursor cursor) : message_(message), cursor_(cursor) {
      ++*this;
    }
    reference operator*() const { return {key_, ConvertValue<V>(message_, value_)}; }
    iterator& operator++() {
      done_ = !NextMember(cursor_, key_, value_);
      ++index_;
      return *this;
    }
    iterator operator++(int) {
      iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const iterator& a, const iterator& b) {
      return a.done_ == b.done_ && (a.done_ || a.index_ == b.index_);
    }

   private:
    MessageView message_;
    FieldCursor cursor_;
    std::string_view key_;
    RawValue value_;
    std::size_t index_ = 0;
    bool done_ = true;
  };
  using const_iterator = iterator;
  using value_type = std::pair<std::string_view, V>;

  [[nodiscard]] iterator begin() const { return iterator(message_, MakeCursor(message_, field_)); }
  [[nodiscard]] iterator end() const { return iterator(); }
  [[nodiscard]] bool empty() const { return begin() == end(); }
  [[nodiscard]] std::size_t size() const {
    std::size_t count = 0;
    for (iterator i = begin(); i != end(); ++i) ++count;
    return count;
  }
  [[nodiscard]] const std::optional<V> Find(std::string_view key) const {
    RawValue value;
    if (!FindEntry(message_, field_, key, value)) return std::nullopt;
    return ConvertValue<V>(message_, value);
  }
  [[nodiscard]] bool contains(std::string_view key) const { return Find(key).has_value(); }
  // Returns a default V (for strings: "") if there is no such key.
  [[nodiscard]] ReadOnly<V> operator[](std::string_view key) const {
    return Find(key).value_or(V());
  }

 private:
  MessageView message_;
  std::uint32_t field_;
};

using StringMap = MessageMap<std::string_view>;

}  // namespace kinformer::internal

// The iterators point into the block: std::ranges::find(pod.metadata().finalizers(), "x") returns
// one that can be used.
template <class V>
inline constexpr bool std::ranges::enable_borrowed_range<kinformer::internal::Repeated<V>> = true;
template <class V>
inline constexpr bool std::ranges::enable_view<kinformer::internal::Repeated<V>> = true;
template <class V>
inline constexpr bool std::ranges::enable_borrowed_range<kinformer::internal::MessageMap<V>> = true;
template <class V>
inline constexpr bool std::ranges::enable_view<kinformer::internal::MessageMap<V>> = true;

template <std::derived_from<kinformer::internal::RootView> T>
struct std::hash<T> {
  std::size_t operator()(const T& object) const {
    return kinformer::internal::HashContent(object.block());
  }
};

template <kinformer::internal::MessageOfItself T>
struct std::hash<T> {
  std::size_t operator()(const T& message) const {
    return std::hash<std::string_view>()(message.bytes());
  }
};

#endif  // KINFORMER_INTERNAL_VIEW_H_
