// controller/webhook/endpoint.h
//
// Endpoint: what a WebhookServer has at one path.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_ENDPOINT_H_
#define KINFORMER_CONTROLLER_WEBHOOK_ENDPOINT_H_

#include <memory>
#include <string>

#include "kinformer/admission.h"
#include "kinformer/conversion.h"
#include "kinformer/env.h"
#include "kinformer/transport.h"

#include "controller/webhook/pending_answer.h"

namespace kinformer::internal::webhook {

// Thread-safe: several requests at once.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  // Calls the user's functions: may block. Never throws.
  [[nodiscard]] virtual HttpAnswer Answer(const HttpRequest& request) = 0;
};

// `path` is for the log.
std::unique_ptr<Endpoint> NewAdmissionEndpoint(Env& env, std::string path,
                                               admission::Handler handler);
std::unique_ptr<Endpoint> NewConversionEndpoint(Env& env, std::string path,
                                                Conversions conversions);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_ENDPOINT_H_
