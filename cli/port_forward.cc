#include "kinformer/client/port_forward.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/client/resource_client.h"

#include "cli/commands.h"
#include "cli/forward_ports.h"
#include "cli/output.h"
#include "cli/pod_flags.h"
#include "cli/pod_target.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

struct ForwardFlags {
  ConnectionFlags connection{};
  std::string target{};
  std::vector<std::string> ports{};
  std::string namespace_{};
  std::string addresses{"localhost"};
};

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end != at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Whether this machine has ::1.
bool HasIpv6Loopback() {
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  const bool bound = ::bind(fd, generic, sizeof address) == 0;
  static_cast<void>(::close(fd));
  return bound;
}

int RunForward(const ForwardFlags& flags) {
  const StopSource stop = StopOnSignals();
  if (flags.ports.empty()) {
    return UsageError("which port? Write it behind " + flags.target + ": 80, 8080:80 or :80");
  }
  const std::vector<std::string> addresses = SplitAtCommas(flags.addresses);
  if (addresses.empty()) return UsageError("--address is empty");
  const Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  const std::string namespace_ = NamespaceOf(*connection, flags.namespace_);
  const Result<PodTarget> target =
      FindPod(connection->client, namespace_, flags.target, {.stop = stop.token()});
  if (!target) return Fail(target.error(), origin);
  const Result<std::vector<std::string>> ports =
      ResolvePorts(flags.ports, target->owner, *target->pod);
  if (!ports) return Fail(ports.error());
  // The log on standard error has the connections that fail; the others go on.
  PortForwardOptions options;
  options.addresses = addresses;
  Result<PortForwarder> forwarder =
      PortForwarder::New(connection->client.For<corev1::Pod>(namespace_),
                         std::string(target->pod->metadata().name()), *ports, options);
  if (!forwarder) return Fail(forwarder.error(), origin);
  Output output;
  for (const std::string& line :
       ForwardingLines(addresses, forwarder->GetPorts(), HasIpv6Loopback())) {
    output.Line(line);
  }
  stop.Wait();
  return 0;
}

}  // namespace

void RegisterPortForward(CommandLine& line) {
  auto flags = std::make_shared<ForwardFlags>();
  Command& command =
      line.Add("port-forward", "Lead ports of this machine to a pod, until it is interrupted");
  command.Positional("TARGET", flags->target, /*required=*/true,
                     "a pod's name, or RESOURCE/NAME: deployment/web, service/web");
  command.Positionals(
      "PORT", flags->ports,
      "LOCAL:REMOTE, REMOTE for both, :REMOTE for a free local one; REMOTE is a number or "
      "the port's name",
      /*required=*/false);
  command.Option("-n,--namespace", flags->namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Option("--address", flags->addresses, "ADDRESSES",
                 "addresses of this machine to listen on, with commas between; localhost without "
                 "it");
  AddConnectionFlags(command, flags->connection);
  command.Run([flags] { return RunForward(*flags); });
}

}  // namespace kinformer::cli
