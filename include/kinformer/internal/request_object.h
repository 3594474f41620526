// kinformer/internal/request_object.h
//
// Conversion of a mutable struct to a RequestObject. The codec of a program's own structs is
// declared here and defined with them, so that programs which only read do not compile it.

#ifndef KINFORMER_INTERNAL_REQUEST_OBJECT_H_
#define KINFORMER_INTERNAL_REQUEST_OBJECT_H_

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/internal/misuse.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/object/box.h"

namespace kinformer::json {
class Value;  // json.h
}  // namespace kinformer::json

namespace kinformer::internal {

template <class M>
std::string EncodeJson(const M& object);  // mutable_codec.h

// Explains what is missing if M cannot be written for T. Returns true if it can.
template <class T, class M>
consteval bool CheckWritable() {
  static_assert(
      !kIsRef<M>,
      "this is a Ref to a cached object, which nobody can change: ref->DeepCopy() makes a "
      "copy; change that, and give it");
  static_assert(
      !kIsResult<M>,
      "this is a Result: look whether it is ok(), and give the struct that it holds; of a "
      "Ref in it, result->DeepCopy() makes a copy to change and give");
  static_assert(!IsPointer<M>, "this is a pointer: give the struct itself, *pointer");
  static_assert(!IsText<M>,
                "this is text: give the kind's struct, such as a corev1::Pod::Mutable, or with a "
                "RestMapping in front of it what json::Parse makes of the text");
  static_assert(!IsPlainStruct<M>,
                "this struct has no metadata: give a CustomResource<T>::Mutable, which is T with "
                "metadata beside it");
  constexpr bool kHasStruct = requires { typename T::Mutable; };
  if constexpr (kIsRef<M> || kIsResult<M> || IsPointer<M> || IsText<M> || IsPlainStruct<M>) {
    return false;
  } else if constexpr (!kHasStruct) {
    // Distinguishes the cases in which T is deduced.
    constexpr bool kIsView = requires(const M& m) { m.metadata(); };
    constexpr bool kIsJson = requires(const M& m) { m.StringOrEmpty(); };
    static_assert(!kIsView,
                  "this is a view of a cached object, which nobody can change: DeepCopy() it, "
                  "change the copy, and give that");
    static_assert(!kIsJson,
                  "JSON does not tell the compiler its kind: give the RestMapping in front of it, "
                  "from Client::Discovery()");
    static_assert(kIsView || kIsJson,
                  "what is written is the struct of a kind: a corev1::Pod::Mutable, or a "
                  "CustomResource<T>::Mutable");
    return false;
  } else {
    constexpr bool kIsKnown = requires { sizeof(typename T::Mutable); };
    static_assert(kIsKnown,
                  "Create and Update need the kind's struct: include "
                  "kinformer/api/GROUP_mutable.h, where GROUP is the kind's namespace, as in "
                  "kinformer/api/corev1_mutable.h");
    if constexpr (kIsKnown) {
      constexpr bool kFits = std::is_convertible_v<const M*, const typename T::Mutable*>;
      static_assert(kFits || !ObjectView<M>,
                    "Create and Update take the kind's struct, T::Mutable (for corev1::Pod a "
                    "corev1::Pod::Mutable), not the view; DeepCopy() makes one of a view");
      static_assert(kFits || ObjectView<M>,
                    "this is not the struct of the kind that is named: give that kind's T::Mutable "
                    "(for corev1::Pod a corev1::Pod::Mutable)");
      return kFits;
    } else {
      return false;
    }
  }
}

// Return a RequestObject of a generated struct, and of JSON, which must outlive it. An object
// without a namespace is sent in `home`; empty: it has none.
RequestObject RequestOfStruct(const MutableTable& table, const void* object,
                              const std::string& namespace_, const std::string& name,
                              bool is_partial, std::string_view home);
RequestObject RequestOfJson(const json::Value& object, std::string_view home);
// Puts an object without a namespace, of which there is only JSON, into `home`.
void PlaceJson(RequestObject& request, std::string_view home);

// Returns a RequestObject. T is the view, M its mutable struct, or json::Value for Unstructured.
// The result refers to `object`, which must outlive it. `home` is the namespace of objects that
// have none; empty: their namespace stays empty.
template <class T, class M>
RequestObject ToRequestObject(const M& object, std::string_view home = {}) {
  if constexpr (std::is_same_v<M, json::Value>) {
    return RequestOfJson(object, home);
  } else if constexpr (IsGenerated<typename T::Mutable>) {
    using Struct = typename T::Mutable;
    const Struct& base = object;  // M may be a class of the program that is derived from it
    bool is_partial = false;
    if constexpr (requires { base.is_partial; }) is_partial = base.is_partial;
    return RequestOfStruct(Struct::mutable_table(), &base, base.metadata.namespace_,
                           base.metadata.name, is_partial, home);
  } else {
    RequestObject request{.namespace_ = object.metadata.namespace_,
                          .name = object.metadata.name,
                          .json = [&object] { return EncodeJson(object); },
                          .is_partial = object.is_partial};
    PlaceJson(request, home);
    return request;
  }
}

// Returns a copy of the part of an object, with the object's name and namespace where it has none.
template <class M>
M NamedPart(const M& part, std::string_view name, std::string_view namespace_) {
  M named = part;
  if (named.metadata.name.empty()) named.metadata.name = name;
  if (named.metadata.namespace_.empty()) named.metadata.namespace_ = namespace_;
  return named;
}

// Returns a request that keeps a copy of its object, as it may be sent when that is gone.
template <class T, class M>
RequestObject ToKeptRequest(const M& object, std::string_view home = {}) {
  const auto kept = std::make_shared<const M>(object);
  RequestObject request = ToRequestObject<T>(*kept, home);
  request.json = [kept, json = std::move(request.json)] { return json(); };
  return request;
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_REQUEST_OBJECT_H_
