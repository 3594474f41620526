// controller/causes/noted_writes.h
//
// NotedWrites: the writes of a reconcile, which the delegating client notes.

#ifndef KINFORMER_CONTROLLER_CAUSES_NOTED_WRITES_H_
#define KINFORMER_CONTROLLER_CAUSES_NOTED_WRITES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal {

struct NotedWrite {
  std::string_view verb;  // "create"; a constant
  const KindInfo* kind;
  ObjectName object;
  std::string version;  // after it; empty: unknown, or deleted
  SteadyTime at;        // when it was answered
};

// While one of these lives on a thread, writes of that thread are noted in it: the first kMost; the
// others are counted. Not thread-safe. Objects may be nested; the innermost counts.
class NotedWrites {
 public:
  static constexpr std::size_t kMost = 16;

  NotedWrites() : outer_(current_) { current_ = this; }
  ~NotedWrites() { current_ = outer_; }
  NotedWrites(const NotedWrites&) = delete;
  NotedWrites& operator=(const NotedWrites&) = delete;

  // Returns the one of this thread; null: nobody wants to know.
  [[nodiscard]] static NotedWrites* Current() { return current_; }

  void Note(NotedWrite write);
  [[nodiscard]] std::vector<NotedWrite> Take() { return std::move(writes_); }
  [[nodiscard]] bool empty() const { return writes_.empty(); }
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

 private:
  static constinit inline thread_local NotedWrites* current_ = nullptr;

  std::vector<NotedWrite> writes_;
  std::size_t left_out_ = 0;
  NotedWrites* const outer_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_CAUSES_NOTED_WRITES_H_
