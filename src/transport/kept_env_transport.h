// transport/kept_env_transport.h

#ifndef KINFORMER_TRANSPORT_KEPT_ENV_TRANSPORT_H_
#define KINFORMER_TRANSPORT_KEPT_ENV_TRANSPORT_H_

#include <memory>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/transport.h"

namespace kinformer::internal::transport {

// Like NewHttpTransport. Keeps `env` as long as the transport uses it, which is longer than the
// transport's life: it ends on the loop.
Result<std::unique_ptr<Transport>> NewHttpTransportOn(std::shared_ptr<Env> env,
                                                      HttpTransportOptions options);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_KEPT_ENV_TRANSPORT_H_
