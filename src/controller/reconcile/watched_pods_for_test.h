// controller/reconcile/watched_pods_for_test.h
//
// For tests: pods, and the events that an informer would send for them.

#ifndef KINFORMER_CONTROLLER_RECONCILE_WATCHED_PODS_FOR_TEST_H_
#define KINFORMER_CONTROLLER_RECONCILE_WATCHED_PODS_FOR_TEST_H_

#include <string>
#include <string_view>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/object/ref.h"

namespace kinformer {

// Returns a pod with this metadata.
inline Ref<corev1::Pod> PodWith(const std::string& metadata) {
  return Ref<corev1::Pod>(
      internal::BuildFromJson(corev1::Pod::kind_info(), R"({"metadata":{)" + metadata + "}}")
          .OrExit());
}

// The events below are valid as long as their pods.
inline const std::string kAnyKey = "biz/baz";
inline Added<corev1::Pod> AddedOf(const Ref<corev1::Pod>& pod, bool is_in_initial_list = false) {
  return {kAnyKey, *pod, is_in_initial_list};
}
inline Updated<corev1::Pod> UpdatedOf(const Ref<corev1::Pod>& before, const Ref<corev1::Pod>& now) {
  return {kAnyKey, *before, *now};
}
inline Deleted<corev1::Pod> DeletedOf(const Ref<corev1::Pod>& pod,
                                      bool final_state_unknown = false) {
  return {kAnyKey, *pod, final_state_unknown};
}
inline GenericEvent<corev1::Pod> GenericOf(const Ref<corev1::Pod>& pod) { return {pod}; }

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_RECONCILE_WATCHED_PODS_FOR_TEST_H_
