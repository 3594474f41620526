// cli/forward_ports.h
//
// The ports of `kinformer port-forward`: numbers or names, of a pod or of a service.

#ifndef KINFORMER_CLI_FORWARD_PORTS_H_
#define KINFORMER_CLI_FORWARD_PORTS_H_

#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/result.h"
#include "kinformer/client/port_forward.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

// Returns the ports as PortForwarder takes them. `specs`: "8080:80", "80", ":80", "8080:http".
// `owner`: by which the pod was found. The ports of a Service stand for its targetPort in the pod;
// other names are those of the containers' ports. kInvalidArgument: there is no such port.
Result<std::vector<std::string>> ResolvePorts(const std::vector<std::string>& specs,
                                              const json::Value& owner, const corev1::Pod& pod);

// Returns "Forwarding from 127.0.0.1:8080 -> 80" for each address and port. `has_ipv6`: this
// machine has ::1.
std::vector<std::string> ForwardingLines(const std::vector<std::string>& addresses,
                                         const std::vector<ForwardedPort>& ports, bool has_ipv6);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_FORWARD_PORTS_H_
