// kinformer/internal/webhook_server_misuse.h
//
// Overloads that explain wrong calls of a WebhookServer at compile time: see misuse.h.

#ifndef KINFORMER_INTERNAL_WEBHOOK_SERVER_MISUSE_H_
#define KINFORMER_INTERNAL_WEBHOOK_SERVER_MISUSE_H_

#include <concepts>
#include <exception>
#include <memory>
#include <type_traits>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/webhook/admission.h"
#include "kinformer/webhook/admission_defaulter.h"
#include "kinformer/webhook/admission_validator.h"
#include "kinformer/webhook/authentication.h"
#include "kinformer/webhook/conversion.h"

namespace kinformer::internal {

template <class Wrong>
[[noreturn]] Env& NoEnv(const Wrong& /*wrong*/) {
  static_assert(kNeverHolds<Wrong>,
                "a server of webhooks is made of the Env that it runs on: WebhookServer("
                "client.env()); a Manager has one, GetWebhookServer()");
  std::terminate();
}

class WebhookServerMisuse {
 public:
  template <KnownKind T, class Wrong>
    requires(!std::convertible_to<const Wrong&, std::shared_ptr<admission::Validator<T>>> &&
             !std::convertible_to<Wrong &&, std::shared_ptr<admission::Validator<T>>>)
  auto RegisterValidator(Wrong&& /*wrong*/) {
    using Given = std::remove_cvref_t<Wrong>;
    constexpr bool kValue = std::derived_from<Given, admission::Validator<T>>;
    static_assert(!kValue,
                  "this is a Validator by value, and the server shares its own: give "
                  "std::make_shared<YourValidator>(...)");
    static_assert(kValue || !IsPointer<Given>,
                  "this pointer is no std::shared_ptr to a Validator of this kind: give "
                  "std::make_shared<YourValidator>(...), whose class derives from "
                  "admission::Validator<T> of the same T");
    static_assert(kValue || IsPointer<Given>,
                  "a validator is a class: derive one from admission::Validator<T>, override "
                  "ValidateCreate, ValidateUpdate or ValidateDelete, and give "
                  "std::make_shared<YourValidator>(...)");
    return Result<void>();
  }
  template <KnownKind T, class Wrong, class... Rest>
    requires(!std::convertible_to<Wrong &&, admission::Defaulter<T>>)
  auto RegisterDefaulter(Wrong&& /*wrong*/, const Rest&... /*rest*/) {
    static_assert(kNeverHolds<Wrong>,
                  "a defaulter changes the kind's struct: [](const admission::Request&, "
                  "corev1::Pod::Mutable& pod) -> Result<void> { ...; return {}; }");
    return Result<void>();
  }
  // Explains a missing kind.
  template <int = 0, class... Wrong>
  auto RegisterValidator(const Wrong&... /*wrong*/) {
    static_assert(kNeverHolds<Wrong...>,
                  "RegisterValidator takes the kind in angle brackets: "
                  "RegisterValidator<corev1::Pod>(std::make_shared<YourValidator>())");
    return Result<void>();
  }
  template <int = 0, class... Wrong>
  auto RegisterDefaulter(const Wrong&... /*wrong*/) {
    static_assert(kNeverHolds<Wrong...>,
                  "RegisterDefaulter takes the kind in angle brackets: "
                  "RegisterDefaulter<corev1::Pod>(function)");
    return Result<void>();
  }
  template <class Path, class Wrong>
    requires(!std::convertible_to<const Wrong&, admission::Handler>)
  auto Register(const Path& /*path*/, const Wrong& /*wrong*/) {
    static_assert(
        kNeverHolds<Wrong>,
        "a handler of admission is called with the request and gives the answer: [](const "
        "admission::Request& request) { return admission::Allowed(); }; for validators and "
        "defaulters there are RegisterValidator and RegisterDefaulter");
    return Result<void>();
  }
  template <class Path, class Wrong>
    requires(!std::convertible_to<const Wrong&, authentication::Handler>)
  auto RegisterAuthentication(const Path& /*path*/, const Wrong& /*wrong*/) {
    static_assert(kNeverHolds<Wrong>,
                  "a handler of authentication is called with the request and gives the answer: "
                  "[](const authentication::Request& request) -> authentication::Response { ... }");
    return Result<void>();
  }
  template <class Wrong, class... Rest>
    requires(!std::convertible_to<const Wrong&, Conversions>)
  auto RegisterConversions(const Wrong& /*wrong*/, const Rest&... /*rest*/) {
    static_assert(kNeverHolds<Wrong>,
                  "RegisterConversions takes the functions of all versions at once, and the path "
                  "behind them: Conversions all; all.AddSpoke<Hub, Spoke>(to_hub, from_hub)"
                  ".OrExit(); RegisterConversions(all)");
    return Result<void>();
  }
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_WEBHOOK_SERVER_MISUSE_H_
