// controller/webhook/endpoint.h
//
// Endpoint: handles the requests to one path of a WebhookServer.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_ENDPOINT_H_
#define KINFORMER_CONTROLLER_WEBHOOK_ENDPOINT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"
#include "kinformer/webhook/admission.h"
#include "kinformer/webhook/authentication.h"
#include "kinformer/webhook/conversion.h"

#include "controller/webhook/pending_answer.h"

namespace kinformer::internal::webhook {

// Thread-safe; serves several requests at once.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  // Calls the user's functions, so it may block. Does not throw. `stop` is requested when the
  // client no longer waits for the answer.
  [[nodiscard]] virtual HttpAnswer Answer(const HttpRequest& request,
                                          const std::stop_token& stop) = 0;
  // Decides at the end of the head, before the body arrives. Returns the refusal that the whole
  // request would get, or nullopt to read the body. Calls no user code. Does not block.
  [[nodiscard]] virtual std::optional<HttpAnswer> RefuseHead(const HttpRequest& head) = 0;
};

// Policy for exceptions from the user's functions.
enum class IfThrown : std::uint8_t {
  kAnswer,     // the exception is logged, counted and described in the answer
  kTerminate,  // the exception is logged and counted, and ends the process
};

// `path` is used for logs.
std::unique_ptr<Endpoint> NewAdmissionEndpoint(Env& env, std::string path,
                                               admission::Handler handler, IfThrown if_thrown);
std::unique_ptr<Endpoint> NewAuthenticationEndpoint(Env& env, std::string path,
                                                    authentication::Handler handler,
                                                    IfThrown if_thrown);
std::unique_ptr<Endpoint> NewConversionEndpoint(Env& env, std::string path, Conversions conversions,
                                                IfThrown if_thrown);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_ENDPOINT_H_
