// kinformer/internal/hidden_overrides.h
//
// Explains at compile time that a class hides a function instead of overriding it: a function of
// that name cannot be called as the base calls it. -Wall of g++ 12 lacks -Woverloaded-virtual.

#ifndef KINFORMER_INTERNAL_HIDDEN_OVERRIDES_H_
#define KINFORMER_INTERNAL_HIDDEN_OVERRIDES_H_

#include <concepts>
#include <stop_token>

namespace kinformer {

template <class T>
struct Added;
template <class T>
struct Updated;
template <class T>
struct Deleted;

namespace internal {

// Skips members that are private in H or overloaded.
template <class H, class T>
concept HidesOnAdd =
    requires { &H::OnAdd; } && !requires(H& h, const Added<T>& event) { h.OnAdd(event); };
template <class H, class T>
concept HidesOnUpdate =
    requires { &H::OnUpdate; } && !requires(H& h, const Updated<T>& event) { h.OnUpdate(event); };
template <class H, class T>
concept HidesOnDelete =
    requires { &H::OnDelete; } && !requires(H& h, const Deleted<T>& event) { h.OnDelete(event); };

// Checks a class H of handlers of kind T.
template <class H, class T>
consteval bool CheckHandlerClass() {
  static_assert(!HidesOnAdd<H, T>,
                "nobody calls this OnAdd: it is called with the event alone. Write void "
                "OnAdd(const Added<corev1::Pod>& event) override, with the handler's kind");
  static_assert(!HidesOnUpdate<H, T>,
                "nobody calls this OnUpdate: it is called with the event alone, which has both "
                "objects. Write void OnUpdate(const Updated<corev1::Pod>& event) override, with "
                "the handler's kind");
  static_assert(!HidesOnDelete<H, T>,
                "nobody calls this OnDelete: it is called with the event alone, which says whether "
                "it is a tombstone. Write void OnDelete(const Deleted<corev1::Pod>& event) "
                "override, with the handler's kind");
  return true;
}

template <class R>
concept HidesWaitUntilReady = requires { &R::WaitUntilReady; } &&
                              !requires(R& r, const std::stop_token& s) { r.WaitUntilReady(s); };
template <class R>
concept HidesWarmup =
    requires { &R::Warmup; } && !requires(R& r, const std::stop_token& s) { r.Warmup(s); };
template <class R>
concept HidesGroup = requires { &R::group; } && !requires(const R& r) { r.group(); };

// Checks a class R of Runnables.
template <class R>
consteval bool CheckRunnableClass() {
  static_assert(
      !requires { &R::NeedLeaderElection; },
      "nobody calls NeedLeaderElection: who runs without leading says so with "
      "RunnableGroup group() const override { return RunnableGroup::kOthers; }");
  static_assert(!HidesGroup<R>,
                "nobody calls this group(): write RunnableGroup group() const override");
  static_assert(!HidesWaitUntilReady<R>,
                "nobody calls this WaitUntilReady: write Result<void> WaitUntilReady(const "
                "std::stop_token& stop) override");
  static_assert(!HidesWarmup<R>,
                "nobody calls this Warmup: write Result<void> Warmup(const std::stop_token& stop) "
                "override");
  return true;
}

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_HIDDEN_OVERRIDES_H_
