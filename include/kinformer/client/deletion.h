// kinformer/client/deletion.h
//
// Deletion<T>: what a server answers to a delete: whether the object is gone, or goes later.
//
//   const auto web = client.For<corev1::Pod>("shop").DeleteForAnswer("web-0").OrExit();
//   if (web.pending) std::cout << web.uid << " is still running\n";

#ifndef KINFORMER_CLIENT_DELETION_H_
#define KINFORMER_CLIENT_DELETION_H_

#include <string>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Result of DeleteForAnswer: whether the object is gone, or goes later.
//
// A kube-apiserver answers with code 200 in all cases that this client can cause. It answers with a
// Status if it removed the object at once. It answers with the object if that stays until its
// finalizers are done or its grace period is over: a Pod on a node, a Namespace, any object with
// finalizers, or one that is deleted with the propagation policy "Foreground" or "Orphan". With the
// object it also answers for a Pod, PodTemplate, Service, ServiceAccount, ResourceQuota,
// PersistentVolume or -Claim that is gone. Servers of aggregated APIs may answer with code 202, as
// they have accepted the delete.
template <ObjectView T>
struct Deletion {
  // True: the object stays for a while (code 202, or it has a deletionTimestamp, and finalizers or
  // a grace period that is not 0). False: it is gone. With dryRun: it would be.
  bool pending{false};
  // uid of the object, to tell it from a later one of the same name; empty if the server said none.
  std::string uid{};
  // The object as it is, or was when it was removed; null if the server answered with a Status.
  Ref<T> object{};
};

namespace internal {

template <class T>
Deletion<T> TypedDeletion(DeletionAnswer answer) {
  return {answer.pending, std::move(answer.uid), Ref<T>(std::move(answer.object))};
}
template <class T>
Result<Deletion<T>> TypedDeletion(Result<DeletionAnswer> answer) {
  if (!answer) return std::move(answer).error();
  return TypedDeletion<T>(*std::move(answer));
}

}  // namespace internal

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DELETION_H_
