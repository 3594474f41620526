// base/core/inside.h
//
// Inside: marks the long call that a thread works for, so it does not wait for that call's end.

#ifndef KINFORMER_BASE_CORE_INSIDE_H_
#define KINFORMER_BASE_CORE_INSIDE_H_

#include <span>
#include <vector>

namespace kinformer::internal::base {

// Marks the current thread as working for `what` during the life of this object. Objects may be
// nested. Code that hands work to other threads passes All on to them.
class Inside {
 public:
  explicit Inside(const void* what);
  // For several calls, which must live as long as this object.
  explicit Inside(std::span<const void* const> all);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  // Whether this thread works for `what`.
  [[nodiscard]] static bool Of(const void* what);
  // Returns everything that this thread works for.
  [[nodiscard]] static std::vector<const void*> All();

 private:
  const void* const what_;
  const std::span<const void* const> all_;
  const Inside* const outer_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_INSIDE_H_
