// kinformer/conversion.h
//
// Conversions: how the objects of a custom resource are turned from one version into another, for
// the API server, which stores them in one version and serves them in several. Given to a
// WebhookServer (webhook_server.h), which answers at /convert.
//
//   Conversions conversions;
//   conversions.AddSpoke<WidgetsV1, WidgetsV1alpha1>(
//       [](const WidgetsV1alpha1& from, WidgetsV1::Mutable& to) -> Result<void> {
//         to.spec.size = from.value().spec.size;
//         return {};
//       },
//       [](const WidgetsV1& from, WidgetsV1alpha1::Mutable& to) -> Result<void> {
//         to.spec.size = from.value().spec.size;
//         return {};
//       }).OrExit();
//
// One version is the hub, from and to which all others, the spokes, are converted; from spoke to
// spoke it goes by way of the hub. Counterpart: controller-runtime's package webhook/conversion.

#ifndef KINFORMER_CONVERSION_H_
#define KINFORMER_CONVERSION_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/internal/admission_object.h"
#include "kinformer/internal/changing.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/json.h"
#include "kinformer/object_name.h"
#include "kinformer/ref.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer {

// A set of functions from version to version. A value; the methods that add are not thread-safe,
// Convert is. Whatever a function makes of an object, its metadata stays as it is, but for labels
// and annotations, which are the only ones that the API server lets a conversion change; kind and
// apiVersion are set by Convert.
class Conversions {
 public:
  // Fills `to`, which has the metadata of `from`.
  template <class From, class To>
  using TypedFunction =
      internal::Changing<std::function<Result<void>(const From& from, typename To::Mutable& to)>,
                         typename To::Mutable>;
  // From the whole object in one version to the whole object in the other.
  using Function = std::function<Result<json::Value>(const json::Value& object)>;

  // The two functions between a spoke and its hub. kAlreadyExists: there is one between them.
  // Needs the structs of both, which is what CustomResource<T> (custom_resource.h) has.
  template <Resource Hub, Resource Spoke>
  Result<void> AddSpoke(TypedFunction<Spoke, Hub> to_hub, TypedFunction<Hub, Spoke> from_hub) {
    if (Result<void> added = Add<Spoke, Hub>(std::move(to_hub)); !added) return added;
    return Add<Hub, Spoke>(std::move(from_hub));
  }
  // One direction. kAlreadyExists, likewise; kInvalidArgument: they are not of one kind.
  template <Resource From, Resource To>
  Result<void> Add(TypedFunction<From, To> function) {
    return Add(internal::KindOf<From>(), internal::KindOf<To>(),
               [function = std::move(function)](const json::Value& object) -> Result<json::Value> {
                 auto read = internal::ReadAdmissionObject(From::type_info(), object);
                 if (!read) return std::move(read).error();
                 const Ref<From> from(*std::move(read));
                 typename To::Mutable to;
                 to.metadata = from->DeepCopy().metadata;
                 if (Result<void> done = function(*from, to); !done) return done.error();
                 return json::Parse(internal::ToRequestObject<To>(to).json());
               });
  }
  // The same for objects without a struct.
  Result<void> Add(const GroupVersionKind& from, const GroupVersionKind& to, Function function);

  // The object in the version `apiVersion`: directly where there is a function for it, else by way
  // of one other version. The object itself where it has that version. kInvalidArgument: there is
  // no way. Other errors, and what is thrown, are the functions' own.
  [[nodiscard]] Result<json::Value> Convert(const json::Value& object,
                                            std::string_view apiVersion) const;

 private:
  [[nodiscard]] const Function* Find(const GroupVersionKind& from, std::string_view version) const;

  // By what they take, and the version that they give.
  std::map<GroupVersionKind, std::map<std::string, Function, std::less<>>> functions_{};
};

}  // namespace kinformer

#endif  // KINFORMER_CONVERSION_H_
