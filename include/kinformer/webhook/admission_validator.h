// kinformer/webhook/admission_validator.h
//
// Validator<T>: accepts or refuses objects of one kind before they are written.
//
//   class PodValidator : public admission::Validator<corev1::Pod> {
//    public:
//     Result<void> ValidateCreate(const admission::Request&, const corev1::Pod& pod,
//                                 admission::Warnings& warnings) override {
//       if (pod.spec().hostNetwork()) {
//         return Error(Reason::kForbidden, "the host's network is not for everybody");
//       }
//       if (pod.metadata().labels().empty()) warnings.push_back("a pod without labels");
//       return {};
//     }
//   };
//   webhooks.RegisterValidator<corev1::Pod>(std::make_shared<PodValidator>()).OrExit();
//
// Counterpart: controller-runtime's admission.Validator and WithValidator.

#ifndef KINFORMER_WEBHOOK_ADMISSION_VALIDATOR_H_
#define KINFORMER_WEBHOOK_ADMISSION_VALIDATOR_H_

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/admission_object.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"
#include "kinformer/webhook/admission.h"

namespace kinformer {
namespace admission {

// Warnings that the client gets with the answer. Counterpart: admission.Warnings.
using Warnings = std::vector<std::string>;

// Accepts or refuses changes of objects of kind T. Methods return OK to accept; an error refuses
// the write, as admission::Refused says. They run on the Env's pool, several at once, and may
// block; objects live during the call. A method that is not overridden accepts.
template <KnownKind T>
class Validator {
 public:
  virtual ~Validator() = default;
  virtual Result<void> ValidateCreate(const Request& /*request*/, const T& /*object*/,
                                      Warnings& /*warnings*/) {
    return {};
  }
  virtual Result<void> ValidateUpdate(const Request& /*request*/, const T& /*old*/,
                                      const T& /*object*/, Warnings& /*warnings*/) {
    return {};
  }
  // Checks the deletion of `object`.
  virtual Result<void> ValidateDelete(const Request& /*request*/, const T& /*object*/,
                                      Warnings& /*warnings*/) {
    return {};
  }
};

}  // namespace admission

namespace internal {
template <class V, class T>
concept HidesValidateCreate =
    requires { &V::ValidateCreate; } &&
    !requires(V& v, const admission::Request& request, const T& object,
              admission::Warnings& warnings) { v.ValidateCreate(request, object, warnings); };
template <class V, class T>
concept HidesValidateUpdate =
    requires { &V::ValidateUpdate; } && !requires(V& v, const admission::Request& request,
                                                  const T& object, admission::Warnings& warnings) {
      v.ValidateUpdate(request, object, object, warnings);
    };
template <class V, class T>
concept HidesValidateDelete =
    requires { &V::ValidateDelete; } &&
    !requires(V& v, const admission::Request& request, const T& object,
              admission::Warnings& warnings) { v.ValidateDelete(request, object, warnings); };

// Checks a class V of validators of kind T at compile time. Skips members that are private or
// overloaded in V.
template <class V, class T>
consteval bool CheckValidatorClass() {
  static_assert(!HidesValidateCreate<V, T>,
                "nobody calls this ValidateCreate, so all is let in: write Result<void> "
                "ValidateCreate(const admission::Request& request, const corev1::Pod& object, "
                "admission::Warnings& warnings) override, with the validator's kind");
  static_assert(!HidesValidateUpdate<V, T>,
                "nobody calls this ValidateUpdate, so all is let in: write Result<void> "
                "ValidateUpdate(const admission::Request& request, const corev1::Pod& old, const "
                "corev1::Pod& object, admission::Warnings& warnings) override, with the "
                "validator's kind");
  static_assert(!HidesValidateDelete<V, T>,
                "nobody calls this ValidateDelete, so all is let go: write Result<void> "
                "ValidateDelete(const admission::Request& request, const corev1::Pod& object, "
                "admission::Warnings& warnings) override, with the validator's kind");
  return true;
}
}  // namespace internal

namespace admission {

// Returns a handler that calls `validator`. It allows CONNECT. It answers 400 to unknown operations
// and to objects that cannot be read as a T.
template <KnownKind T, std::convertible_to<std::shared_ptr<Validator<T>>> Pointer>
[[nodiscard]] Handler WithValidator(Pointer given) {
  static_assert(internal::CheckValidatorClass<typename Pointer::element_type, T>());
  std::shared_ptr<Validator<T>> validator = std::move(given);
  return [validator = std::move(validator)](const Request& request) -> Response {
    if (request.operation == "CONNECT") return Allowed();
    const bool creates = request.operation == "CREATE";
    const bool updates = request.operation == "UPDATE";
    if (!creates && !updates && request.operation != "DELETE") {
      return Errored(400, Error(Reason::kBadRequest,
                                "unknown operation request \"" + request.operation + "\""));
    }
    Ref<T> object;
    Ref<T> old;
    if (creates || updates) {
      auto read = internal::ReadAdmissionObject(T::kind_info(), request.object);
      if (!read) return Errored(400, read.error());
      object = Ref<T>(*std::move(read));
    }
    if (!creates) {
      auto read = internal::ReadAdmissionObject(T::kind_info(), request.oldObject);
      if (!read) return Errored(400, read.error());
      old = Ref<T>(*std::move(read));
    }
    Warnings warnings;
    const Result<void> valid = creates ? validator->ValidateCreate(request, *object, warnings)
                               : updates
                                   ? validator->ValidateUpdate(request, *old, *object, warnings)
                                   : validator->ValidateDelete(request, *old, warnings);
    Response response = valid ? Allowed() : Refused(valid.error());
    response.warnings = std::move(warnings);
    return response;
  };
}

}  // namespace admission
}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_ADMISSION_VALIDATOR_H_
