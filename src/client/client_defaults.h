// client/client_defaults.h
//
// What ClientOptions mean where they leave something open.

#ifndef KINFORMER_CLIENT_CLIENT_DEFAULTS_H_
#define KINFORMER_CLIENT_CLIENT_DEFAULTS_H_

#include <string>

#include "kinformer/client.h"
#include "kinformer/config.h"

namespace kinformer::internal::client {

// "<program>/<version> (<os>/<arch>) kinformer".
std::string DefaultUserAgent();

// client-go's limits, and a user agent that names this program.
ClientOptions CompleteOptions(ClientOptions options);

// What `options` leave open is as `config` says, and where that leaves it open, too, as above.
ClientOptions OptionsFor(const Config& config, ClientOptions options);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_CLIENT_DEFAULTS_H_
