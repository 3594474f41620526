// apiserver/node/pod_log.h

#ifndef KINFORMER_APISERVER_NODE_POD_LOG_H_
#define KINFORMER_APISERVER_NODE_POD_LOG_H_

#include <memory>
#include <string>

#include "kinformer/apiserver/kubelet.h"
#include "kinformer/base/env.h"

#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Returns the response with a log. It begins with the first bytes, or with the end, so that an
// error before them is an answer of its own, in a format that `accept` allows.
ResponsePtr PodLogResponse(Env& env, std::shared_ptr<Kubelet> kubelet, PodContainer container,
                           LogRequest request, std::string accept);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_NODE_POD_LOG_H_
