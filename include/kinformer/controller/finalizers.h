// kinformer/controller/finalizers.h
//
// Finalizers: functions that clean up before objects of a kind are deleted, by the name of the
// finalizer that keeps the object until then.
//
//   Finalizers<corev1::Pod> finalizers;
//   finalizers.Register("example.com/disks", [](corev1::Pod::Mutable& pod) -> Result<void> {
//     return Reconcile({pod.metadata.namespace_, pod.metadata.name});
//   }).OrExit();
//   // In each reconcile:
//   corev1::Pod::Mutable wanted = pod.DeepCopy();
//   FinalizeResult done = finalizers.Finalize(wanted);
//   if (done.updated) client.For<corev1::Pod>("default").Update(wanted).OrExit();

#ifndef KINFORMER_CONTROLLER_FINALIZERS_H_
#define KINFORMER_CONTROLLER_FINALIZERS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/changing.h"

namespace kinformer {

// Result of Finalize: the parts that the caller has to write. Counterpart: finalizer.Result.
struct FinalizeResult {
  bool updated = false;         // the object's finalizers or other parts changed
  bool status_updated = false;  // its status changed
  // Names the finalizers that failed, and why. They stay; those that succeeded are removed even so.
  Result<void> result{};
};

namespace internal {
void AppendFinalizerError(const std::string& name, const Error& error, std::string& errors);
Error DuplicateFinalizer(const std::string& name);
// Compares an object before and after its finalizers ran, both as JSON.
FinalizeResult FinalizeResultOf(std::string_view before, std::string_view after);

struct FinalizerWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a finalizer is called with the kind's struct alone, which it may change: "
                  "[](corev1::Pod::Mutable& pod) -> Result<void> { ...; return {}; }");
  }
};
}  // namespace internal

// A set of finalizers. Thread-compatible: register first, then finalize from any number of threads.
// Counterpart: finalizer.Finalizers.
template <Resource T>
class Finalizers {
 public:
  using Mutable = typename T::Mutable;
  // Cleans up, and may change the object and its status, even if it fails. On success the finalizer
  // is removed from the object; an error keeps it.
  using Finalizer = internal::Changing<
      internal::Callable<Result<void>(Mutable& object), internal::FinalizerWords>, Mutable>;

  // Adds a finalizer. kAlreadyExists: the name is taken.
  Result<void> Register(std::string name, Finalizer finalizer) {
    if (by_name_.contains(name)) return internal::DuplicateFinalizer(name);
    by_name_.emplace(std::move(name), std::move(finalizer));
    return {};
  }

  // Adds missing finalizers to an object that is not being deleted. For a deleted one, runs those
  // that it has, and removes those that succeed. Does not write to the server.
  FinalizeResult Finalize(Mutable& object) const {
    if (object.metadata.deletionTimestamp.has_value()) return FinalizeDeleted(object);
    FinalizeResult done;
    for (const auto& [name, finalizer] : by_name_) {
      done.updated |= controllerutil::AddFinalizer(object, name);
    }
    return done;
  }

 private:
  FinalizeResult FinalizeDeleted(Mutable& object) const {
    using internal::EncodeJson;  // or that of a struct of the program's own
    const std::string before = EncodeJson(object);
    std::string errors;
    for (const auto& [name, finalizer] : by_name_) {
      if (!controllerutil::ContainsFinalizer(object, name)) continue;
      if (Result<void> finalized = finalizer(object); finalized) {
        controllerutil::RemoveFinalizer(object, name);
      } else {
        internal::AppendFinalizerError(name, finalized.error(), errors);
      }
    }
    FinalizeResult done = internal::FinalizeResultOf(before, EncodeJson(object));
    if (!errors.empty()) done.result = Error(Reason::kUnknown, std::move(errors));
    return done;
  }

  std::map<std::string, Finalizer> by_name_;
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_FINALIZERS_H_
