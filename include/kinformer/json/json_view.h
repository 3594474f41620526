// kinformer/json/json_view.h
//
// json::View: a value in an object's JSON, read in place.
//
//   object.root()["spec"]["replicas"].AsInt64().value_or(1)
//   for (json::View rule : object.root()["spec"]["rules"].items()) ...

#ifndef KINFORMER_JSON_JSON_VIEW_H_
#define KINFORMER_JSON_JSON_VIEW_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/internal/attributes.h"
#include "kinformer/internal/block.h"
#include "kinformer/json/json.h"

namespace kinformer::json {

// A view of a JSON value. 16 bytes, trivially copyable. A missing value is an absent view, which
// reads as empty and has absent members: chains of [] need no checks. The text was checked on
// arrival. Look-up of members and items is linear in the text before them. Lives as long as its
// object, that is, as a Ref or Snapshot that holds it.
class View {
 public:
  View() = default;
  // Creates a view; `at` is the first character of a value in the block's payload.
  View(const char* at, const internal::Block* block) : at_(at), block_(block) {}

  [[nodiscard]] bool exists() const { return at_ != nullptr; }
  explicit operator bool() const { return exists(); }
  // Returns kNull for an absent value too.
  [[nodiscard]] Type type() const;

  // ---- The value; empty if it has another type or the number does not fit.
  [[nodiscard]] const std::optional<bool> AsBool() const;
  [[nodiscard]] const std::optional<std::int64_t> AsInt64() const;
  [[nodiscard]] const std::optional<double> AsDouble() const;
  [[nodiscard]] const std::optional<std::string_view> AsString() const;
  [[nodiscard]] const std::string_view StringOrEmpty() const {
    return AsString().value_or(std::string_view());
  }

  // Return a member of an object (of duplicates the last), or an item of an array.
  [[nodiscard]] const View operator[](std::string_view name) const;
  [[nodiscard]] const View operator[](const char* name) const {
    return (*this)[std::string_view(name)];
  }
  template <std::integral I>
  [[nodiscard]] const View operator[](I index) const {
    return Item(index < 0 ? static_cast<std::size_t>(-1) : static_cast<std::size_t>(index));
  }
  // Returns the number of members or items; 0 for other types.
  [[nodiscard]] std::size_t size() const;

  // Returns the value's text as received.
  [[nodiscard]] const std::string_view raw() const;
  // Returns a copy that can be changed. If parts are malformed, it contains what reads find; the
  // rest is absent and counted.
  [[nodiscard]] Value ToValue() const;

  // Iterates over an array's items, or an object's members with their names.
  class Walk {
   public:
    using value_type = std::pair<std::string_view, View>;
    using difference_type = std::ptrdiff_t;
    Walk() = default;
    Walk(const char* at, const internal::Block* block, bool object);
    [[nodiscard]] const std::string_view name() const { return name_; }
    [[nodiscard]] const View value() const { return View(value_, block_); }
    [[nodiscard]] bool done() const { return value_ == nullptr; }
    void Next();

   private:
    void Read(const char* at);
    const internal::Block* block_ = nullptr;
    bool object_ = false;
    std::string_view name_;
    const char* value_ = nullptr;
  };
  template <bool kNamed>
  class Range {
   public:
    class iterator {
     public:
      using value_type = std::conditional_t<kNamed, std::pair<std::string_view, View>, View>;
      using difference_type = std::ptrdiff_t;
      iterator() = default;
      explicit iterator(Walk walk) : walk_(walk) {}
      auto operator*() const {
        if constexpr (kNamed) {
          return std::pair<std::string_view, View>(walk_.name(), walk_.value());
        } else {
          return walk_.value();
        }
      }
      iterator& operator++() {
        walk_.Next();
        return *this;
      }
      void operator++(int) { walk_.Next(); }
      friend bool operator==(const iterator& a, std::default_sentinel_t) { return a.walk_.done(); }

     private:
      Walk walk_;
    };
    explicit Range(Walk first) : first_(first) {}
    [[nodiscard]] iterator begin() const { return iterator(first_); }
    [[nodiscard]] std::default_sentinel_t end() const { return {}; }

   private:
    Walk first_;
  };
  [[nodiscard]] Range<false> items() const;
  [[nodiscard]] Range<true> members() const;

 private:
  [[nodiscard]] View Item(std::size_t index) const;
  // Returns the readable parts of a value that is not completely well-formed.
  [[nodiscard]] Value Readable(int depth) const;

  const char* at_ = nullptr;
  const internal::Block* block_ = nullptr;
};

}  // namespace kinformer::json
// ---- The iterators of its ranges point into the object.

template <>
inline constexpr bool std::ranges::enable_borrowed_range<kinformer::json::View::Range<false>> =
    true;
template <>
inline constexpr bool std::ranges::enable_borrowed_range<kinformer::json::View::Range<true>> = true;

#endif  // KINFORMER_JSON_JSON_VIEW_H_
