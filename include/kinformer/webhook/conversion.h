// kinformer/webhook/conversion.h
//
// Conversions: functions that convert objects of a custom resource between versions, for the API
// server, which stores one version and serves several. Given to a WebhookServer (webhook_server.h),
// which answers at /convert.
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
// One version is the hub; all others, the spokes, are converted from and to it; a conversion
// between spokes goes through it. Counterpart: controller-runtime's package webhook/conversion.

#ifndef KINFORMER_WEBHOOK_CONVERSION_H_
#define KINFORMER_WEBHOOK_CONVERSION_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/internal/admission_object.h"
#include "kinformer/internal/changing.h"
#include "kinformer/internal/conversion_misuse.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// A set of functions between versions. A value; methods that add are not thread-safe, Convert is.
// Whatever a function does, the object's metadata does not change, except labels and annotations,
// since the API server allows a conversion to change only these; Convert sets kind and
// apiVersion.
class Conversions : private internal::ConversionsMisuse {
 public:
  using ConversionsMisuse::Add;
  using ConversionsMisuse::AddSpoke;

  // Converts content into `to`, which already has the metadata of `from`.
  template <class From, class To>
  using TypedFunction =
      internal::Changing<std::function<Result<void>(const From& from, typename To::Mutable& to)>,
                         typename To::Mutable>;
  // Converts the whole object in one version to the whole object in another.
  using Function = std::function<Result<json::Value>(const json::Value& object)>;

  // Adds both functions between a spoke and its hub. kAlreadyExists: one of them exists. Needs the
  // structs of both versions, as in CustomResource<T> (custom_resource.h).
  template <KnownKind Hub, KnownKind Spoke>
  Result<void> AddSpoke(TypedFunction<Spoke, Hub> to_hub, TypedFunction<Hub, Spoke> from_hub) {
    if (Result<void> added = Add<Spoke, Hub>(std::move(to_hub)); !added) return added;
    return Add<Hub, Spoke>(std::move(from_hub));
  }
  // Adds one direction. kAlreadyExists as above; kInvalidArgument: the kinds differ.
  template <KnownKind From, KnownKind To>
  Result<void> Add(TypedFunction<From, To> function) {
    return Add(internal::KindOf<From>(), internal::KindOf<To>(),
               [function = std::move(function)](const json::Value& object) -> Result<json::Value> {
                 auto read = internal::ReadAdmissionObject(From::kind_info(), object);
                 if (!read) return std::move(read).error();
                 const Ref<From> from(*std::move(read));
                 typename To::Mutable to;
                 to.metadata = from->DeepCopy().metadata;
                 if (Result<void> done = function(*from, to); !done) return done.error();
                 return json::Parse(internal::ToRequestObject<To>(to).json());
               });
  }
  // Adds one direction for objects without a struct.
  Result<void> Add(const GroupVersionKind& from, const GroupVersionKind& to, Function function);

  // Converts the object to the version `apiVersion`, directly if there is a function, else through
  // one other version. Returns an object of that version as it is. kInvalidArgument: there are no
  // such functions. Other errors, and exceptions, are those of the functions.
  [[nodiscard]] Result<json::Value> Convert(const json::Value& object,
                                            std::string_view apiVersion) const;

 private:
  [[nodiscard]] const Function* Find(const GroupVersionKind& from, std::string_view version) const;

  // Functions by their argument's kind, and by the version of their result.
  std::map<GroupVersionKind, std::map<std::string, Function, std::less<>>> functions_{};
};

}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_CONVERSION_H_
