// kinformer/internal/view.h
//
// What generated views are made of. A root view (corev1::Pod) is a pointer to its block; a MessageView (corev1::PodSpec) is a
// message inside a block. The functions below read fields in place: nothing allocates, every read is bounds-checked, and a
// malformed field reads as absent.
//
//   class PodSpec : public internal::MessageView {
//    public:
//     using MessageView::MessageView;
//     std::string_view nodeName() const KINFORMER_LIFETIMEBOUND { return internal::GetString(*this, 10); }
//     internal::Repeated<Container> containers() const { return internal::Repeated<Container>(*this, 2); }
//     std::optional<PodSecurityContext> securityContext() const { return internal::GetOptional<PodSecurityContext>(*this, 14); }
//   };
//
// Views live as long as their block: as some Ref or Snapshot that holds it.

#ifndef KINFORMER_INTERNAL_VIEW_H_
#define KINFORMER_INTERNAL_VIEW_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/internal/attributes.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/wire_reader.h"

namespace kinformer::internal {

// A message in a block's bytes. Empty by default. 24 bytes, trivially copyable.
class MessageView {
 public:
  static constexpr std::uint8_t kNoIndex = 0xff;

  MessageView() = default;
  MessageView(const char* data, std::uint32_t size, const Block* block = nullptr,
              std::uint8_t child = kNoIndex)
      : data_(data), block_(block), size_(size), child_(child) {}

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }
  [[nodiscard]] const Block* block() const { return block_; }

  // The first field of that number. Through the block's index where this is a direct child of the root.
  [[nodiscard]] WireField Find(std::uint32_t number, const char** resume = nullptr) const noexcept {
    const char* at = data_;
    if (child_ != kNoIndex && number <= 64) {
      at = block_->IndexedField(child_, number);
      if (at == nullptr) {
        if (resume != nullptr) *resume = end();
        return {};
      }
    }
    return FindField(at, end(), number, resume);
  }
  [[nodiscard]] const char* end() const { return data_ + size_; }

 private:
  const char* data_ = nullptr;
  const Block* block_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint8_t child_ = kNoIndex;
};

// An object: the base of views such as corev1::Pod. 8 bytes, trivially copyable. REQUIRES for reading: not null.
class RootView {
 public:
  RootView() = default;
  explicit RootView(const Block* block) : block_(block) {}

  [[nodiscard]] const Block* block() const { return block_; }
  [[nodiscard]] const char* end() const { return block_->payload().data() + block_->payload().size(); }

  [[nodiscard]] WireField Find(std::uint32_t number, const char** resume = nullptr) const noexcept {
    const char* at = block_->RootField(number);
    if (at == nullptr) {
      if (resume != nullptr) *resume = end();
      return {};
    }
    return FindField(at, end(), number, resume);
  }

 private:
  const Block* block_ = nullptr;
};

// The index slot of a message found in a view: only direct children of the root have one.
inline std::uint8_t ChildSlot(const MessageView& /*parent*/, std::uint32_t /*number*/) {
  return MessageView::kNoIndex;
}
inline std::uint8_t ChildSlot(const RootView& parent, std::uint32_t number) {
  return parent.block()->ChildSlot(number);
}

// A field's bytes as a V: a scalar, a string_view, or a view class made from a MessageView.
template <class V>
V DecodeField(const WireField& field, const Block* block,
              std::uint8_t child = MessageView::kNoIndex) noexcept {
  if constexpr (std::is_same_v<V, std::string_view>) {
    return field.type == WireType::kBytes ? std::string_view(field.data, field.size) : std::string_view();
  } else if constexpr (std::is_same_v<V, double>) {
    return field.type == WireType::kFixed64 ? std::bit_cast<double>(field.scalar) : 0.0;
  } else if constexpr (std::is_same_v<V, bool>) {
    return field.type == WireType::kVarint && field.scalar != 0;
  } else if constexpr (std::is_integral_v<V>) {
    return field.type == WireType::kVarint ? static_cast<V>(field.scalar) : V{};
  } else {
    return field.type == WireType::kBytes ? V(MessageView(field.data, field.size, block, child))
                                          : V(MessageView());
  }
}

template <class Parent>
bool Has(const Parent& parent, std::uint32_t number) {
  return static_cast<bool>(parent.Find(number));
}

// Absent: a zero, an empty text, an empty view.
template <class V, class Parent>
V Get(const Parent& parent, std::uint32_t number) {
  const WireField field = parent.Find(number);
  if (!field) {
    if constexpr (std::is_constructible_v<V, MessageView>) {
      return V(MessageView());
    } else {
      return V{};
    }
  }
  return DecodeField<V>(field, parent.block(), ChildSlot(parent, number));
}
template <class V, class Parent>
std::optional<V> GetOptional(const Parent& parent, std::uint32_t number) {
  const WireField field = parent.Find(number);
  if (!field) return std::nullopt;
  return DecodeField<V>(field, parent.block(), ChildSlot(parent, number));
}

template <class Parent>
std::string_view GetString(const Parent& parent, std::uint32_t number) {
  return Get<std::string_view>(parent, number);
}
template <class Parent>
std::string_view GetBytes(const Parent& parent, std::uint32_t number) {
  return Get<std::string_view>(parent, number);
}
template <class Parent>
bool GetBool(const Parent& parent, std::uint32_t number) {
  return Get<bool>(parent, number);
}
template <class Parent>
std::int32_t GetInt32(const Parent& parent, std::uint32_t number) {
  return Get<std::int32_t>(parent, number);
}
template <class Parent>
std::int64_t GetInt64(const Parent& parent, std::uint32_t number) {
  return Get<std::int64_t>(parent, number);
}
template <class Parent>
double GetDouble(const Parent& parent, std::uint32_t number) {
  return Get<double>(parent, number);
}
template <class V, class Parent>
V GetMessage(const Parent& parent, std::uint32_t number) {
  return Get<V>(parent, number);
}
template <class Parent>
std::optional<std::string_view> GetOptionalString(const Parent& parent, std::uint32_t number) {
  return GetOptional<std::string_view>(parent, number);
}
template <class Parent>
std::optional<bool> GetOptionalBool(const Parent& parent, std::uint32_t number) {
  return GetOptional<bool>(parent, number);
}
template <class Parent>
std::optional<std::int32_t> GetOptionalInt32(const Parent& parent, std::uint32_t number) {
  return GetOptional<std::int32_t>(parent, number);
}
template <class Parent>
std::optional<std::int64_t> GetOptionalInt64(const Parent& parent, std::uint32_t number) {
  return GetOptional<std::int64_t>(parent, number);
}
template <class Parent>
std::optional<double> GetOptionalDouble(const Parent& parent, std::uint32_t number) {
  return GetOptional<double>(parent, number);
}

// The occurrences of one field: the walk under Repeated and the maps.
class FieldRange {
 public:
  FieldRange() = default;
  template <class Parent>
  FieldRange(const Parent& parent, std::uint32_t number)
      : end_(nullptr), block_(parent.block()), number_(number) {
    first_ = parent.Find(number, &resume_);
    if (first_) end_ = parent.end();
  }
  [[nodiscard]] const Block* block() const { return block_; }

  class Cursor {
   public:
    Cursor() = default;
    explicit Cursor(const FieldRange& range)
        : field_(range.first_), at_(range.resume_), end_(range.end_), number_(range.number_) {}
    [[nodiscard]] const WireField& field() const { return field_; }
    [[nodiscard]] bool done() const { return !field_; }
    [[nodiscard]] const char* position() const { return at_; }
    void Next() {
      // `at_` is past the field that Find has just found; the next search starts there.
      const char* resume = nullptr;
      field_ = FindField(at_, end_, number_, &resume);
      at_ = resume;
    }

   private:
    WireField field_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    std::uint32_t number_ = 0;
  };

 private:
  WireField first_;
  const char* resume_ = nullptr;
  const char* end_ = nullptr;
  const Block* block_ = nullptr;
  std::uint32_t number_ = 0;
};

// A forward iterator over the fields of a range, each turned into a value by `Read`.
template <class Value, Value (*Read)(const WireField&, const Block*)>
class FieldIterator {
 public:
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::forward_iterator_tag;
  FieldIterator() = default;
  explicit FieldIterator(const FieldRange& range) : cursor_(range), block_(range.block()) {}
  Value operator*() const { return Read(cursor_.field(), block_); }
  FieldIterator& operator++() {
    cursor_.Next();
    return *this;
  }
  FieldIterator operator++(int) {
    FieldIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const FieldIterator& a, const FieldIterator& b) {
    return a.cursor_.done() == b.cursor_.done() &&
           (a.cursor_.done() || a.cursor_.position() == b.cursor_.position());
  }
  friend bool operator==(const FieldIterator& a, std::default_sentinel_t) { return a.cursor_.done(); }

 private:
  FieldRange::Cursor cursor_;
  const Block* block_ = nullptr;
};

// A repeated field, in order. V: a view class, std::string_view, or a scalar. Walking is linear; size() and [] walk.
template <class V>
class Repeated {
 public:
  Repeated() = default;
  template <class Parent>
  Repeated(const Parent& parent, std::uint32_t number) : range_(parent, number) {}

  static V Read(const WireField& field, const Block* block) { return DecodeField<V>(field, block); }
  using iterator = FieldIterator<V, &Repeated::Read>;
  using const_iterator = iterator;
  using value_type = V;
  [[nodiscard]] iterator begin() const { return iterator(range_); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }
  [[nodiscard]] bool empty() const { return begin() == end(); }
  [[nodiscard]] std::size_t size() const {
    std::size_t n = 0;
    for (FieldRange::Cursor c(range_); !c.done(); c.Next()) ++n;
    return n;
  }
  // REQUIRES: i < size().
  [[nodiscard]] V operator[](std::size_t i) const {
    FieldRange::Cursor c(range_);
    for (; i > 0 && !c.done(); --i) c.Next();
    return DecodeField<V>(c.field(), range_.block());
  }

 private:
  FieldRange range_;
};

// A map from texts to V, in the order of the keys as the API server writes them. Look-up is linear.
template <class V>
class MessageMap {
 public:
  using value_type = std::pair<std::string_view, V>;

  MessageMap() = default;
  template <class Parent>
  MessageMap(const Parent& parent, std::uint32_t number) : range_(parent, number) {}

  static value_type Read(const WireField& field, const Block* block) {
    const MessageView entry(field.data, field.size, block);
    return {Get<std::string_view>(entry, 1), Get<V>(entry, 2)};
  }
  using iterator = FieldIterator<value_type, &MessageMap::Read>;
  using const_iterator = iterator;
  [[nodiscard]] iterator begin() const { return iterator(range_); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }
  [[nodiscard]] bool empty() const { return begin() == end(); }
  [[nodiscard]] std::size_t size() const {
    std::size_t n = 0;
    for (FieldRange::Cursor c(range_); !c.done(); c.Next()) ++n;
    return n;
  }
  [[nodiscard]] std::optional<V> Find(std::string_view key) const {
    for (FieldRange::Cursor c(range_); !c.done(); c.Next()) {
      const MessageView entry(c.field().data, c.field().size, range_.block());
      if (Get<std::string_view>(entry, 1) == key) return Get<V>(entry, 2);
    }
    return std::nullopt;
  }
  [[nodiscard]] bool contains(std::string_view key) const { return Find(key).has_value(); }
  // An empty V where there is none.
  [[nodiscard]] V operator[](std::string_view key) const {
    std::optional<V> found = Find(key);
    if (found) return *found;
    if constexpr (std::is_constructible_v<V, MessageView>) {
      return V(MessageView());
    } else {
      return V{};
    }
  }

 private:
  FieldRange range_;
};

using StringMap = MessageMap<std::string_view>;

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_VIEW_H_
