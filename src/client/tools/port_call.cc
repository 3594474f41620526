#include "client/tools/port_call.h"

#include <algorithm>
#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/task.h"
#include "kinformer/client/rest_request.h"

#include "base/core/printable.h"
#include "client/client_core.h"
#include "client/rest_exchange.h"
#include "client/trace_context.h"
#include "transport/websocket_channels.h"

namespace kinformer::internal::client {
namespace {

constexpr unsigned char kData = 0;
constexpr unsigned char kError = 1;
constexpr std::size_t kHead = transport::kPortHeadBytes;
constexpr std::size_t kMostError = 4096;

}  // namespace

Result<void> PortCall::Start(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                             std::uint16_t port, std::weak_ptr<PortReceiver> receiver,
                             CallOptions call, std::shared_ptr<void> running) {
  corev1::PodPortForwardOptions::Mutable options;
  options.ports = {port};
  RestRequest rest = RestClient(pods.core().client(), {.version = "v1"}).Get();
  rest.Namespace(pods.namespace_()).Resource("pods").Name(pod).SubResource("portforward");
  rest.VersionedParams(options);
  Result<ExchangeRequest> request = ExchangeOf(rest.parts());
  if (!request) return std::move(request).error();
  const Result<void> traced = AddTraceHeaders(call, request->headers);
  if (!traced) return traced.error();
  const auto started =
      std::make_shared<PortCall>(pods.core().client()->engine(), *std::move(request), receiver);
  Env& env = pods.env();
  Spawn<Result<void>>(
      env, env.loop(), LoopCall::Run(started, std::move(call)),
      [receiver = std::move(receiver), running = std::move(running)](Result<void> end) {
        if (const auto to = receiver.lock()) to->OnPortEnd(std::move(end));
      });
  return {};
}

PortCall::PortCall(const std::shared_ptr<Engine>& engine, ExchangeRequest request,
                   std::weak_ptr<PortReceiver> receiver)
    : WebSocketCall(engine, std::move(request), {transport::kChannelsV4}),
      receiver_(std::move(receiver)) {}

void PortCall::Send(std::string_view bytes) { SendMessage(kData, bytes); }

void PortCall::Send(OutgoingBytes& bytes) { SendFrom(bytes, kData); }

void PortCall::OnOpen(const std::string& /*protocol*/) {
  if (const auto receiver = receiver_.lock()) {
    receiver->OnPortOpen(std::static_pointer_cast<PortCall>(shared_from_this()));
  }
}

void PortCall::OnSent() {
  if (const auto receiver = receiver_.lock()) receiver->OnPortSent();
}

void PortCall::OnChannel(unsigned char channel, std::string_view bytes, bool ends) {
  if (channel > kError) return;
  const std::size_t head = std::min(bytes.size(), kHead - heads_.at(channel));
  heads_.at(channel) += head;
  bytes.remove_prefix(head);
  if (bytes.empty()) return;
  if (channel == kError) {
    error_.append(bytes.substr(0, kMostError - std::min(kMostError, error_.size())));
    if (ends) EndLater(Judge({}));
    return;
  }
  const auto receiver = receiver_.lock();
  if (receiver == nullptr) return EndLater({});
  receiver->OnPortBytes(bytes);
}

Result<void> PortCall::Judge(Result<void> end) {
  if (error_.empty()) return end;
  return Error(Reason::kTransport,
               "the pod's side of the connection failed: " + base::Printable(error_));
}

}  // namespace kinformer::internal::client
