// apiserver/plugins/certificate_request.h
//
// CommonNameOf: the common name in a PKCS #10 request.

#ifndef KINFORMER_APISERVER_PLUGINS_CERTIFICATE_REQUEST_H_
#define KINFORMER_APISERVER_PLUGINS_CERTIFICATE_REQUEST_H_

#include <optional>
#include <string>
#include <string_view>

namespace kinformer::apiserver {

// Reads the last common name of the subject, empty if there is none; nothing, if the PEM text has
// no such request. The signature is not checked.
[[nodiscard]] std::optional<std::string> CommonNameOf(std::string_view pem);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_CERTIFICATE_REQUEST_H_
