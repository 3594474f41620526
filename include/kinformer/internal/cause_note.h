// kinformer/internal/cause_note.h
//
// CauseNote: the causes of one queued request, in 48 bytes. Texts are made only when somebody asks
// for them.

#ifndef KINFORMER_INTERNAL_CAUSE_NOTE_H_
#define KINFORMER_INTERNAL_CAUSE_NOTE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/controller/causes.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/queue_line.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal {

// Memory that the causes of one controller's queue may hold beside their notes. Thread-safe.
class CauseBudget {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  [[nodiscard]] bool Take(std::size_t bytes);
  void Give(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> used_{0};
};

struct CauseMore;  // controller/causes/cause_more.h

// A counted handle on what a cause has beside its note. Null by default.
class CauseMoreRef {
 public:
  CauseMoreRef() = default;
  explicit CauseMoreRef(CauseMore* adopted) : more_(adopted) {}
  CauseMoreRef(const CauseMoreRef& other);
  CauseMoreRef(CauseMoreRef&& other) noexcept : more_(std::exchange(other.more_, nullptr)) {}
  CauseMoreRef& operator=(const CauseMoreRef& other) { return *this = CauseMoreRef(other); }
  CauseMoreRef& operator=(CauseMoreRef&& other) noexcept {
    std::swap(more_, other.more_);
    return *this;
  }
  ~CauseMoreRef() {
    if (more_ != nullptr) Release();
  }
  explicit operator bool() const { return more_ != nullptr; }
  [[nodiscard]] CauseMore* get() const { return more_; }
  CauseMore* operator->() const { return more_; }

 private:
  void Release();
  CauseMore* more_ = nullptr;
};

// A cause as it comes, but for its objects.
struct CauseFacts {
  SteadyTime at{};
  const KindInfo* kind = nullptr;  // of the object; null: there is none
  std::uint64_t before = 0;        // versions; 0: none, or no number
  std::uint64_t now = 0;
  std::uint32_t left_out = 0;  // in the first cause of a note: causes that it has not
  CauseType type{};
  bool own = false;  // the object has the request's name
  bool set = false;  // false: this is none
};
static_assert(std::is_trivially_copyable_v<CauseFacts>, "copied as a whole");

struct RawCause : CauseFacts {
  CauseMoreRef more{};  // its objects; and in the first cause of a note, the further causes
};

// The causes of a request, oldest first: kMost at most, the others are counted. Not thread-safe.
class CauseNote {
 public:
  static constexpr std::size_t kMost = 8;

  CauseNote() = default;
  // Has one cause without objects, or none.
  explicit CauseNote(const CauseFacts& facts) { static_cast<CauseFacts&>(first_) = facts; }
  // Moving leaves an empty note.
  CauseNote(CauseNote&& other) noexcept : first_(std::move(other.first_)) { other.Empty(); }
  CauseNote& operator=(CauseNote&& other) noexcept {
    first_ = std::move(other.first_);
    other.Empty();
    return *this;
  }
  CauseNote(const CauseNote&) = delete;
  CauseNote& operator=(const CauseNote&) = delete;
  ~CauseNote() = default;

  [[nodiscard]] bool empty() const { return !first_.set; }
  // Returns false if it is only these 48 bytes.
  [[nodiscard]] bool has_more() const { return static_cast<bool>(first_.more); }
  // Returns the first cause. If there is none, its `set` is false.
  [[nodiscard]] const CauseFacts& first() const { return first_; }
  [[nodiscard]] std::size_t left_out() const { return first_.left_out; }
  // Adds what came at `at`.
  void Add(RawCause&& cause, SteadyTime at, const std::shared_ptr<CauseBudget>& budget) {
    cause.at = at;
    if (!first_.set) {
      first_ = std::move(cause);
    } else {
      AddFurther(std::move(cause), budget);
    }
  }
  // Adds a cause without an object.
  void AddPlain(CauseType type, SteadyTime at, const std::shared_ptr<CauseBudget>& budget) {
    CauseFacts plain{.at = at, .type = type, .set = true};
    if (!first_.set) {
      static_cast<CauseFacts&>(first_) = plain;  // it has nothing more
    } else {
      RawCause further;
      static_cast<CauseFacts&>(further) = plain;
      AddFurther(std::move(further), budget);
    }
  }
  // Puts causes that came before in front.
  void PutBack(CauseNote earlier, const std::shared_ptr<CauseBudget>& budget);
  // Returns the same causes; their objects are shared, but never more than now.
  [[nodiscard]] CauseNote Copy() const;

  // ---- The causes of the list.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const RawCause& operator[](std::size_t i) const;

 private:
  void Empty() {
    first_.set = false;
    first_.left_out = 0;
  }
  void AddFurther(RawCause&& cause, const std::shared_ptr<CauseBudget>& budget);

  RawCause first_;
};

// A note for each item of a queue.
[[nodiscard]] inline QueueNotes NotesOfCauses() {
  constexpr std::size_t kUnit = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  static_assert(sizeof(CauseNote) <= 48 && alignof(CauseNote) <= kUnit, "a note is small");
  return {.bytes = (sizeof(CauseNote) + kUnit - 1) / kUnit * kUnit,
          .make = [](void* note) { new (note) CauseNote(); },
          .destroy = [](void* note) { static_cast<CauseNote*>(note)->~CauseNote(); }};
}

// The event whose handler runs on this thread. Objects may be nested; the innermost counts.
class HandledEvent {
 public:
  // `before`: null, except of updates.
  HandledEvent(CauseType type, const Block* before, const Block* now);
  ~HandledEvent();
  HandledEvent(const HandledEvent&) = delete;
  HandledEvent& operator=(const HandledEvent&) = delete;
  // Returns null if no handler runs here.
  [[nodiscard]] static const HandledEvent* Current();

  [[nodiscard]] CauseType type() const { return type_; }
  [[nodiscard]] const Block* before() const { return before_; }
  [[nodiscard]] const Block* now() const { return now_; }

 private:
  const CauseType type_;
  const Block* const before_;
  const Block* const now_;
  const HandledEvent* const outer_;
};

// Makes the causes of one controller, all but their times. Thread-safe.
class CauseBook {
 public:
  // Returns a cause without an object.
  [[nodiscard]] static RawCause Plain(CauseType type) {
    RawCause cause;
    cause.type = type;
    cause.set = true;
    return cause;
  }
  // Returns the cause of a request that is added here and now: the event whose handler runs, or the
  // program.
  template <class R>
  [[nodiscard]] RawCause Here(const R& request) const {
    const HandledEvent* const event = HandledEvent::Current();
    if (event == nullptr) return Plain(CauseType::kSource);
    if constexpr (std::is_same_v<R, ObjectName>) {
      return OfEvent(*event, request.name == event->now()->name() &&
                                 request.namespace_ == event->now()->namespace_());
    } else {
      return OfEvent(*event, false);
    }
  }
  [[nodiscard]] const std::shared_ptr<CauseBudget>& budget() const { return budget_; }

 private:
  [[nodiscard]] RawCause OfEvent(const HandledEvent& event, bool own) const;

  const std::shared_ptr<CauseBudget> budget_ = std::make_shared<CauseBudget>();
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CAUSE_NOTE_H_
