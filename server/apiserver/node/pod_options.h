// apiserver/node/pod_options.h
//
// Options of requests about a running pod (PodLogOptions, PodExecOptions, PodAttachOptions,
// PodPortForwardOptions), with the checks and errors of a real server.

#ifndef KINFORMER_APISERVER_NODE_POD_OPTIONS_H_
#define KINFORMER_APISERVER_NODE_POD_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/kubelet.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/request/request_info.h"

namespace kinformer::apiserver {

// Returns the options object that the query means, as webhooks see it, without kind and apiVersion.
// BadRequest for values of the wrong type.
Result<json::Value> PodOptionsOf(std::string_view subresource, const Query& query);

// Returns the request for a log. Invalid (422) for options that do not fit.
Result<LogRequest> LogRequestOf(const json::Value& options, std::string_view pod);
// Returns the request for a command. BadRequest without any stream.
Result<ExecRequest> ExecRequestOf(const json::Value& options);
// Returns the ports. BadRequest without any, and for numbers that are no ports.
Result<std::vector<std::uint16_t>> PortsOf(const json::Value& options);

// Returns the name of the container that the options mean. BadRequest if the pod has no such
// container, or if none is named and the pod has several.
Result<std::string> ContainerOf(const json::Value& options, const json::Value& pod);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_NODE_POD_OPTIONS_H_
