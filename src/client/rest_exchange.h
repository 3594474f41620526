// client/rest_exchange.h

#ifndef KINFORMER_CLIENT_REST_EXCHANGE_H_
#define KINFORMER_CLIENT_REST_EXCHANGE_H_

#include "kinformer/base/result.h"
#include "kinformer/internal/request_parts.h"

#include "client/engine.h"

namespace kinformer::internal::client {

// Returns what is sent for a RestRequest, or its mistake.
Result<ExchangeRequest> ExchangeOf(RequestParts parts);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_REST_EXCHANGE_H_
