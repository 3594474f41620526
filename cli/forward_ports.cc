#include "cli/forward_ports.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text/number_in.h"

namespace kinformer::cli {
namespace {

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

// Returns the number of a port; nothing for a name.
std::optional<std::uint16_t> PortNumber(const std::string& text) {
  const auto number = internal::base::NumberIn<std::uint16_t>(text);
  return number == 0 ? std::nullopt : number;
}

Result<std::uint16_t> PodPort(const std::string& name, const corev1::Pod& pod) {
  if (const auto number = PortNumber(name)) return *number;
  const auto find = [&](const auto& containers) -> std::optional<std::uint16_t> {
    for (const auto& container : containers) {
      for (const auto& port : container.ports()) {
        if (port.name() == name) return static_cast<std::uint16_t>(port.containerPort());
      }
    }
    return std::nullopt;
  };
  std::optional<std::uint16_t> found = find(pod.spec().containers());
  if (!found) found = find(pod.spec().initContainers());
  if (found) return *found;
  return Invalid("pod " + std::string(pod.metadata().name()) + " has no port \"" + name + "\"");
}

Result<std::uint16_t> ServicePort(const std::string& text, const json::Value& service,
                                  const corev1::Pod& pod) {
  const std::optional<std::uint16_t> number = PortNumber(text);
  for (const json::Value& port : service["spec"]["ports"].items()) {
    const bool is_it =
        number ? port["port"].AsInt64() == *number : port["name"].StringOrEmpty() == text;
    if (!is_it) continue;
    const json::Value& target = port["targetPort"];
    // A service without an address of its own leads to the pod's port itself.
    if (service["spec"]["clusterIP"].StringOrEmpty() == "None" && number) return *number;
    if (target.is_string()) return PodPort(target.StringOrEmpty(), pod);
    return static_cast<std::uint16_t>(
        target.AsInt64().value_or(port["port"].AsInt64().value_or(0)));
  }
  return Invalid("service " + service["metadata"]["name"].StringOrEmpty() + " has no port \"" +
                 text + "\"");
}

// Returns the port of this machine where a spec names none: what stands for the other side, if that
// is a number.
std::string LocalOf(const std::string& remote, std::uint16_t resolved) {
  return PortNumber(remote) ? remote : std::to_string(resolved);
}

}  // namespace

Result<std::vector<std::string>> ResolvePorts(const std::vector<std::string>& specs,
                                              const json::Value& owner, const corev1::Pod& pod) {
  const bool service = owner["kind"].StringOrEmpty() == "Service";
  std::vector<std::string> resolved;
  for (const std::string& spec : specs) {
    const std::size_t colon = spec.find(':');
    const std::string remote = colon == std::string::npos ? spec : spec.substr(colon + 1);
    if (remote.empty() || remote.find(':') != std::string::npos) {
      return Invalid("\"" + spec + "\" is no port: write 80, 8080:80 or :80");
    }
    const Result<std::uint16_t> port =
        service ? ServicePort(remote, owner, pod) : PodPort(remote, pod);
    if (!port) return port.error();
    const std::string local =
        colon == std::string::npos ? LocalOf(remote, *port) : spec.substr(0, colon);
    resolved.push_back(local + ":" + std::to_string(*port));
  }
  return resolved;
}

std::vector<std::string> ForwardingLines(const std::vector<std::string>& addresses,
                                         const std::vector<ForwardedPort>& ports, bool has_ipv6) {
  std::vector<std::string> shown;
  const auto show = [&](const std::string& address) {
    if (std::find(shown.begin(), shown.end(), address) == shown.end()) shown.push_back(address);
  };
  for (const std::string& address : addresses) {
    if (address == "localhost") {
      show("127.0.0.1");
      if (has_ipv6) show("[::1]");
    } else {
      show(address.find(':') == std::string::npos ? address : "[" + address + "]");
    }
  }
  std::vector<std::string> lines;
  for (const ForwardedPort& port : ports) {
    for (const std::string& address : shown) {
      lines.push_back("Forwarding from " + address + ":" + std::to_string(port.local) + " -> " +
                      std::to_string(port.remote));
    }
  }
  return lines;
}

}  // namespace kinformer::cli
