// config/server_text.h
//
// MisspelledUrl: finds the URL that was meant where a server's "://" is written wrongly.

#ifndef KINFORMER_CONFIG_SERVER_TEXT_H_
#define KINFORMER_CONFIG_SERVER_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

#include "kinformer/error.h"

namespace kinformer::internal::config {

// "http://h:1" for "http:/h:1", "http//h:1", "http:h:1" and "http:\\h:1". Empty where the text has
// its "://", and where it is a host with a port, even if that host is called "http".
[[nodiscard]] std::optional<std::string> MisspelledUrl(std::string_view server);

// kConfig with the URL to write. `what` begins the message: "host", "server".
[[nodiscard]] std::optional<Error> CheckSpelling(std::string_view server, const std::string& what);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_SERVER_TEXT_H_
