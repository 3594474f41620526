// kinformer/admission_defaulter.h
//
// WithDefaulter<T>: a webhook that fills in what objects of one kind lack, by a function that
// changes their struct.
//
//   webhooks.RegisterDefaulter<corev1::Pod>(
//       [](const admission::Request&, corev1::Pod::Mutable& pod) -> Result<void> {
//         pod.metadata.labels.try_emplace("tier", "back");
//         return {};
//       }).OrExit();
//
// Counterpart: controller-runtime's admission.Defaulter and WithDefaulter.

#ifndef KINFORMER_ADMISSION_DEFAULTER_H_
#define KINFORMER_ADMISSION_DEFAULTER_H_

#include <functional>
#include <utility>

#include "kinformer/admission.h"
#include "kinformer/internal/admission_object.h"
#include "kinformer/internal/changing.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/ref.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer::admission {

// Changes the object to what it should be. An error refuses it, as admission::Refused says. Called
// on the Env's pool, several at once; may block. Needs the kind's struct: include
// kinformer/api/GROUP_mutable.h.
template <class T>
using Defaulter = kinformer::internal::Changing<
    std::function<Result<void>(const Request& request, typename T::Mutable& object)>,
    typename T::Mutable>;

// How WithDefaulter makes its patch.
struct DefaulterOptions {
  // Fields that a struct of CustomResource<T> has no place for, because the program was built for
  // an older version of the kind, are removed from the object. By default they stay; built-in kinds
  // keep them in any case. In a list they stay with their item: with one that is equal to what it
  // was, wherever it stands now, and with one that is changed at its index, unless the list has
  // become longer or shorter. Counterpart: DefaulterRemoveUnknownOrOmitableFields.
  bool remove_unknown_fields{false};
};

// A handler that has `defaulter` change each object, and answers with a patch of what it changed:
// none where that is nothing. DELETE is allowed unasked; objects that are no T are answered with
// 400.
template <KnownKind T>
[[nodiscard]] Handler WithDefaulter(Defaulter<T> defaulter, DefaulterOptions options = {}) {
  return [defaulter = std::move(defaulter), options](const Request& request) -> Response {
    if (request.operation == "DELETE") return Allowed();
    auto read = internal::ReadAdmissionObject(T::type_info(), request.object);
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

#endif  // KINFORMER_ADMISSION_DEFAULTER_H_
