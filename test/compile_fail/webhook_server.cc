// Typical first mistakes with a WebhookServer, made by users of controller-runtime.
// case validator_plain: this T is a struct of yours: name the kind that is made of it
// case validator_mutable: this T is the struct that is written; name the view that is read
// case validator_value: this is a Validator by value, and the server shares its own
// case validator_raw: this pointer is no std::shared_ptr to a Validator of this kind
// case validator_other_kind: this pointer is no std::shared_ptr to a Validator of this kind
// case validator_function: a validator is a class: derive one from admission::Validator<T>
// case validator_without_kind: RegisterValidator takes the kind in angle brackets
// case defaulter_plain: this T is a struct of yours: name the kind that is made of it
// case defaulter_of_view: a defaulter changes the kind's struct
// case defaulter_void: a defaulter changes the kind's struct
// case defaulter_without_request: a defaulter changes the kind's struct
// case defaulter_without_kind: RegisterDefaulter takes the kind in angle brackets
// case register_bool: a handler of admission is called with the request and gives the answer
// case register_validator: a handler of admission is called with the request and gives the answer
// case authentication_bool: a handler of authentication is called with the request and gives
// case conversions_of_path: RegisterConversions takes the functions of all versions at once
// case conversions_of_path_first: RegisterConversions takes the functions of all versions at once
// case conversions_of_function: RegisterConversions takes the functions of all versions at once
// case conversions_of_pointer: RegisterConversions takes the functions of all versions at once
// case of_client: a server of webhooks is made of the Env that it runs on: .*client.env\(\)

#include "kinformer/webhook/webhook_server.h"

#include <memory>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/client.h"
#include "kinformer/object/custom_resource.h"

using kinformer::Result;
using kinformer::WebhookServer;
using kinformer::corev1::Pod;
using kinformer::corev1::Secret;
namespace admission = kinformer::admission;
namespace authentication = kinformer::authentication;

struct Widget {
  static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
  int size = 0;
};

struct PodValidator : admission::Validator<Pod> {};

void Use(const kinformer::Client& client) {
  PodValidator by_value;
  static_cast<void>(by_value);
#if defined(of_client)
  WebhookServer webhooks(client);
#else
  WebhookServer webhooks(client.env());
#endif
#if defined(validator_plain)
  webhooks.RegisterValidator<Widget>(nullptr).OrExit();
#elif defined(validator_mutable)
  webhooks.RegisterValidator<Pod::Mutable>(nullptr).OrExit();
#elif defined(validator_value)
  webhooks.RegisterValidator<Pod>(by_value).OrExit();
#elif defined(validator_raw)
  webhooks.RegisterValidator<Pod>(&by_value).OrExit();
#elif defined(validator_other_kind)
  webhooks.RegisterValidator<Secret>(std::make_shared<PodValidator>()).OrExit();
#elif defined(validator_function)
  webhooks.RegisterValidator<Pod>([](const Pod&) { return Result<void>(); }).OrExit();
#elif defined(validator_without_kind)
  webhooks.RegisterValidator(std::make_shared<PodValidator>()).OrExit();
#elif defined(defaulter_plain)
  webhooks.RegisterDefaulter<Widget>(nullptr).OrExit();
#elif defined(defaulter_of_view)
  webhooks.RegisterDefaulter<Pod>([](const admission::Request&, Pod) -> Result<void> { return {}; })
      .OrExit();
#elif defined(defaulter_void)
  webhooks.RegisterDefaulter<Pod>([](const admission::Request&, Pod::Mutable&) {}).OrExit();
#elif defined(defaulter_without_request)
  webhooks.RegisterDefaulter<Pod>([](Pod::Mutable&) -> Result<void> { return {}; }).OrExit();
#elif defined(defaulter_without_kind)
  webhooks
      .RegisterDefaulter(
          [](const admission::Request&, Pod::Mutable&) -> Result<void> { return {}; })
      .OrExit();
#elif defined(register_bool)
  webhooks.Register("/names", [](const admission::Request&) { return true; }).OrExit();
#elif defined(register_validator)
  webhooks.Register("/names", std::make_shared<PodValidator>()).OrExit();
#elif defined(conversions_of_path)
  webhooks.RegisterConversions("/convert").OrExit();
#elif defined(conversions_of_path_first)
  webhooks.RegisterConversions("/convert", kinformer::Conversions()).OrExit();
#elif defined(conversions_of_function)
  webhooks.RegisterConversions([](const kinformer::json::Value& object) { return object; })
      .OrExit();
#elif defined(conversions_of_pointer)
  webhooks.RegisterConversions(std::make_shared<kinformer::Conversions>()).OrExit();
#elif defined(authentication_bool)
  webhooks.RegisterAuthentication("/token", [](const authentication::Request&) { return true; })
      .OrExit();
#else
  webhooks.RegisterValidator<Pod>(std::make_shared<PodValidator>()).OrExit();
  webhooks.RegisterValidator<Pod>(std::make_unique<PodValidator>()).OrExit();
  webhooks.RegisterDefaulter<Pod>([](const auto&, Pod::Mutable&) -> Result<void> { return {}; }, {})
      .OrExit();
  webhooks.RegisterConversions(kinformer::Conversions()).OrExit();
  webhooks.RegisterConversions({}, "/other").OrExit();
  webhooks.Register("/names", [](const auto&) { return admission::Allowed(); }).OrExit();
  webhooks
      .RegisterAuthentication("/token",
                              [](const auto&) { return authentication::Unauthenticated("no"); })
      .OrExit();
#endif
}
