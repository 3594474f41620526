#include "apiserver/node/pod_connector.h"

#include <string>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/node/pod_log.h"
#include "apiserver/node/pod_options.h"
#include "apiserver/write/request/admitted.h"

namespace kinformer::apiserver {
namespace {

// A real server says this when it cannot reach the kubelet of a node.
Error NoKubelet(bool log) {
  return Error(Reason::kUnknown,
               std::string(log ? "error dialing the kubelet" : "error dialing backend") +
                   ": no kubelet runs behind this API server (ApiServerOptions::kubelet)")
      .WithHttpStatus(500);
}

// A pod without a node has no log: 204, and not an error.
ResponsePtr NoContent() { return WholeResponse(204, HttpHeaders(), {}); }

}  // namespace

bool PodConnector::Serves(std::string_view subresource) {
  return subresource == "log" || subresource == "exec" || subresource == "attach" ||
         subresource == "portforward";
}

Task<ResponsePtr> PodConnector::Connect(ResourceRequest request, UpgradeOffer offer) {
  const std::string& subresource = request.info.subresource;
  Result<json::Value> options = PodOptionsOf(subresource, request.info.query);
  if (!options) co_return ErrorResponse(options.error(), request.accept);
  if (subresource == "log") co_return Begin(request, offer, *options);
  std::vector<std::string> warnings;
  Result<json::Value> admitted = co_await Admitted(request, *std::move(options), warnings);
  if (!admitted) co_return Warned(ErrorResponse(admitted.error(), request.accept), warnings);
  co_return Warned(Begin(request, offer, *admitted), warnings);
}

Task<Result<json::Value>> PodConnector::Admitted(const ResourceRequest& request,
                                                 json::Value options,
                                                 std::vector<std::string>& warnings) {
  const auto attributes = AttributesOfConnect(request, std::move(options));
  const Result<bool> mutated =
      co_await Admit(admission_, AdmissionPhase::kMutate, attributes, warnings);
  if (!mutated.ok()) co_return mutated.error();
  const Result<bool> validated =
      co_await Admit(admission_, AdmissionPhase::kValidate, attributes, warnings);
  if (!validated.ok()) co_return validated.error();
  co_return attributes->object;
}

ResponsePtr PodConnector::Begin(const ResourceRequest& request, const UpgradeOffer& offer,
                                const json::Value& options) const {
  const std::string& subresource = request.info.subresource;
  const std::string& name = request.info.name;
  const bool log = subresource == "log";
  const bool ports = subresource == "portforward";
  const auto fail = [&](const Error& error) { return ErrorResponse(error, request.accept); };

  LogRequest log_request;
  if (log) {
    Result<LogRequest> wanted = LogRequestOf(options, name);
    if (!wanted) return fail(wanted.error());
    log_request = *std::move(wanted);
  }
  const ServedResource& resource = *request.at.resource;
  const StoredObjectPtr stored = resource.Find(request.info.namespace_, name);
  if (stored == nullptr) return fail(NotFoundError(resource.Subject(name)));
  const json::Value pod = stored->Parse();
  PodContainer container{.pod = {.name = {.namespace_ = request.info.namespace_, .name = name},
                                 .uid = pod.At("/metadata/uid").StringOrEmpty(),
                                 .node = pod.At("/spec/nodeName").StringOrEmpty()}};
  if (!ports) {
    Result<std::string> chosen = ContainerOf(options, pod);
    if (!chosen) return fail(chosen.error());
    container.name = *std::move(chosen);
  }
  const std::shared_ptr<Kubelet>& kubelet = state_.options.kubelet;
  if (container.pod.node.empty() && (kubelet == nullptr || !kubelet->RunsUnscheduledPods())) {
    if (log) return NoContent();
    return fail(BadRequestError("pod " + name + " does not have a host assigned"));
  }
  if (kubelet == nullptr) return fail(NoKubelet(log));
  if (log) {
    return PodLogResponse(state_.env, kubelet, std::move(container), std::move(log_request),
                          request.accept);
  }
  Result<std::string> channels = ChannelsFor(offer, /*commands=*/!ports);
  if (!channels) return fail(channels.error());
  if (ports) {
    const Result<std::vector<std::uint16_t>> wanted = PortsOf(options);
    if (!wanted) return fail(wanted.error());
    return PortSocket(state_.env, kubelet, std::move(container.pod), *wanted, offer);
  }
  Result<ExecRequest> wanted = ExecRequestOf(options);
  if (!wanted) return fail(wanted.error());
  return CommandSocket(state_.env, kubelet, std::move(container), *std::move(wanted),
                       subresource == "attach", offer, *std::move(channels));
}

}  // namespace kinformer::apiserver
