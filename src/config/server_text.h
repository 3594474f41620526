// config/server_text.h
//
// MisspelledUrl: finds the intended URL if a server's "://" is misspelled.

#ifndef KINFORMER_CONFIG_SERVER_TEXT_H_
#define KINFORMER_CONFIG_SERVER_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/error.h"

namespace kinformer::internal::config {

// Returns "http://h:1" for "http:/h:1", "http//h:1", "http:h:1" and "http:\\h:1". Empty if the text
// has a "://", or is a host with a port, even a host with the name "http".
[[nodiscard]] std::optional<std::string> MisspelledUrl(std::string_view server);

// Returns kConfig with the right URL. `what` begins the message: "host", "server".
[[nodiscard]] std::optional<Error> CheckSpelling(std::string_view server, const std::string& what);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_SERVER_TEXT_H_
