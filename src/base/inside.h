// base/inside.h
//
// Inside: for whose long call a thread works, so that it is not made to wait for that call's end.

#ifndef KINFORMER_BASE_INSIDE_H_
#define KINFORMER_BASE_INSIDE_H_

#include <span>
#include <vector>

namespace kinformer::internal::base {

// Marks the current thread as working for `what` during the life of this object. Objects may be
// nested. Code that hands work to other threads passes All on to them.
class Inside {
 public:
  explicit Inside(const void* what);
  // For all of these, which must stay as long as this does.
  explicit Inside(std::span<const void* const> all);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  // Does this thread work for `what`?
  [[nodiscard]] static bool Of(const void* what);
  // Everything that it works for.
  [[nodiscard]] static std::vector<const void*> All();

 private:
  const void* const what_;
  const std::span<const void* const> all_;
  const Inside* const outer_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_INSIDE_H_
