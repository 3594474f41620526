// kinformer/cache/transform.h
//
// Transforms: functions that change objects before an informer stores them.
//
//   // No informer of this factory keeps the values of Secrets.
//   SharedInformerFactory names_only(
//       client, {.transform = TransformOf<corev1::Secret>([](const Ref<corev1::Secret>& secret) {
//         corev1::Secret::Mutable change = secret->DeepCopy();
//         for (auto& [key, value] : change.data) value.clear();
//         return WithContent(secret, change);
//       })});
//
// To remove fields, drop_managed_fields and a Projection cost less: they skip the bytes before the
// object's memory is allocated, while a transform decodes and encodes.

#ifndef KINFORMER_CACHE_TRANSFORM_H_
#define KINFORMER_CACHE_TRANSFORM_H_

#include <functional>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

namespace json {
class Value;  // json.h
}  // namespace json

namespace internal {
struct TransformWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a transform is called with a const AnyRef& and gives a Result<AnyRef>: "
                  "the object itself, or WithContent(object, changed); of one kind's objects "
                  "TransformOf<corev1::Secret>(function) makes one (kinformer/cache/transform.h)");
  }
};
}  // namespace internal

// Returns the object to store, for an object of any kind: the same one, or one made by
// WithContent. To read the object it needs object.h. Called on the loop, once for each
// received object; must be quick and pure, and must not change its name, namespace, uid
// and resourceVersion. If it returns an error or throws, the object is marked as
// unreadable.
// Counterpart: cache.TransformFunc.
using TransformFunc =
    internal::Callable<Result<AnyRef>(const AnyRef& object), internal::TransformWords>;

// Returns a transform of the objects of one type. Others are not changed, including objects of the
// same kind as Unstructured or as metadata only.
template <Resource T>
TransformFunc TransformOf(TypedTransformFunc<T> transform) {
  return [transform = std::move(transform)](const AnyRef& object) -> Result<AnyRef> {
    const Ref<T> typed = object.As<T>();
    if (!typed) return object;
    Result<Ref<T>> changed = transform(typed);
    if (!changed) return std::move(changed).error();
    return AnyRef(*std::move(changed));
  };
}

namespace internal {

// Implements WithContent.
Result<ObjectRef> BlockWithContent(const Block& of, const RequestObject& content);

}  // namespace internal

// Returns an object of the same kind with this content: a changed copy of DeepCopy. kDecode if the
// content does not fit the kind.
//
// If the object is partial (projection.h), or the content is a copy of one that is, so is the
// result: Update refuses its copies. Otherwise copies may be sent, and fields that a transform has
// removed are then removed on the server.
template <class T>
Result<Ref<T>> WithContent(const Ref<T>& object, const typename T::Mutable& content) {
  Result<internal::ObjectRef> made =
      internal::BlockWithContent(*object.object(), internal::ToRequestObject<T>(content));
  if (!made) return std::move(made).error();
  return Ref<T>(*std::move(made));
}
// Does the same for an object of any kind; `content` is the whole object, as in ToJson. For a
// built-in kind the result counts as partial, since its JSON lacks fields that this program's
// schema does not have.
Result<AnyRef> WithContent(const AnyRef& object, const json::Value& content);

}  // namespace kinformer

#endif  // KINFORMER_CACHE_TRANSFORM_H_
