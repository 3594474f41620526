// kinformer/webhook/admission_defaulter.h
//
// WithDefaulter<T>: a webhook that sets defaults in objects of one kind, by a function that changes
// their struct.
//
//   webhooks.RegisterDefaulter<corev1::Pod>(
//       [](const admission::Request&, corev1::Pod::Mutable& pod) -> Result<void> {
//         pod.metadata.labels.try_emplace("tier", "back");
//         return {};
//       }).OrExit();
//
// Counterpart: controller-runtime's admission.Defaulter and WithDefaulter.

#ifndef KINFORMER_WEBHOOK_ADMISSION_DEFAULTER_H_
#define KINFORMER_WEBHOOK_ADMISSION_DEFAULTER_H_

#include <functional>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/internal/admission_object.h"
#include "kinformer/internal/changing.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"
#include "kinformer/webhook/admission.h"

namespace kinformer::admission {

// Changes the object to its desired content. An error refuses it, as admission::Refused says.
// Called on the Env's pool, several calls at once; may block. Needs the kind's struct: include
// kinformer/api/GROUP_mutable.h.
template <class T>
using Defaulter = kinformer::internal::Changing<
    std::function<Result<void>(const Request& request, typename T::Mutable& object)>,
    typename T::Mutable>;

// Options of the patch that WithDefaulter makes.
struct DefaulterOptions {
  // Removes fields from the object that a struct of CustomResource<T> does not declare, because the
  // program was built for an older version of the kind. By default they stay; in built-in kinds
  // they always stay. In a list they stay with their item: with an item that is equal to the old
  // one, at any index, and with a changed item at its index, unless the length of the list has
  // changed. Counterpart: DefaulterRemoveUnknownOrOmitableFields.
  bool remove_unknown_fields{false};
};

// Returns a handler that calls `defaulter` for each object, and answers with a patch of its
// changes, or without one if there are none. DELETE is allowed without a call; objects that are no
// T are answered with 400.
template <KnownKind T>
[[nodiscard]] Handler WithDefaulter(Defaulter<T> defaulter, DefaulterOptions options = {}) {
  return [defaulter = std::move(defaulter), options](const Request& request) -> Response {
    if (request.operation == "DELETE") return Allowed();
    auto read = internal::ReadAdmissionObject(T::kind_info(), request.object);
    if (!read) return Errored(400, read.error());
    const Ref<T> original(*std::move(read));
    const typename T::Mutable before = original->DeepCopy();
    typename T::Mutable after = before;
    if (Result<void> done = defaulter(request, after); !done) return Refused(done.error());
    return internal::ChangedObjectResponse(
        request.object, kinformer::internal::ToRequestObject<T>(before).json(),
        kinformer::internal::ToRequestObject<T>(after).json(), options.remove_unknown_fields);
  };
}

}  // namespace kinformer::admission

#endif  // KINFORMER_WEBHOOK_ADMISSION_DEFAULTER_H_
