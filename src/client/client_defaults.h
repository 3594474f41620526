// client/client_defaults.h
//
// What ClientOptions mean where they leave something open.

#ifndef KINFORMER_CLIENT_CLIENT_DEFAULTS_H_
#define KINFORMER_CLIENT_CLIENT_DEFAULTS_H_

#include "kinformer/client.h"

namespace kinformer::internal::client {

// client-go's limits, and a user agent that names this program.
ClientOptions CompleteOptions(ClientOptions options);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_CLIENT_DEFAULTS_H_
