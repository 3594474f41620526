// controller/webhook/endpoint.h
//
// Endpoint: what a WebhookServer has at one path.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_ENDPOINT_H_
#define KINFORMER_CONTROLLER_WEBHOOK_ENDPOINT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/admission.h"
#include "kinformer/authentication.h"
#include "kinformer/conversion.h"
#include "kinformer/env.h"
#include "kinformer/transport.h"

#include "controller/webhook/pending_answer.h"

namespace kinformer::internal::webhook {

// Thread-safe: several requests at once.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  // Calls the user's functions: may block. Never throws. `stop` is requested when nobody waits for
  // the answer any more.
  [[nodiscard]] virtual HttpAnswer Answer(const HttpRequest& request,
                                          const std::stop_token& stop) = 0;
  // Refuses a request at the end of its head, which a body follows, with the same answer as to all
  // of it; none: the body may help. Calls nothing of the user's. Never blocks.
  [[nodiscard]] virtual std::optional<HttpAnswer> RefuseHead(const HttpRequest& head) = 0;
};

// What becomes of what the user's functions throw.
enum class IfThrown : std::uint8_t {
  kAnswer,     // it is logged and counted, and stands in the answer
  kTerminate,  // it is logged and counted, and ends the process
};

// `path` is for the log.
std::unique_ptr<Endpoint> NewAdmissionEndpoint(Env& env, std::string path,
                                               admission::Handler handler, IfThrown if_thrown);
std::unique_ptr<Endpoint> NewAuthenticationEndpoint(Env& env, std::string path,
                                                    authentication::Handler handler,
                                                    IfThrown if_thrown);
std::unique_ptr<Endpoint> NewConversionEndpoint(Env& env, std::string path, Conversions conversions,
                                                IfThrown if_thrown);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_ENDPOINT_H_
