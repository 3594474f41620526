// client/client_defaults.h
//
// Defaults for ClientOptions that are not set.

#ifndef KINFORMER_CLIENT_CLIENT_DEFAULTS_H_
#define KINFORMER_CLIENT_CLIENT_DEFAULTS_H_

#include <string>

#include "kinformer/client/client.h"
#include "kinformer/client/config.h"

namespace kinformer::internal::client {

// Returns "<program>/<version> (<os>/<arch>) kinformer".
std::string DefaultUserAgent();

// Sets client-go's rate limits and the default user agent where `options` set none.
ClientOptions CompleteOptions(ClientOptions options);

// The same, where settings in `config` take precedence over these defaults.
ClientOptions OptionsFor(const Config& config, ClientOptions options);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_CLIENT_DEFAULTS_H_
