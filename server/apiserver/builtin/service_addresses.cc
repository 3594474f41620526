#include "apiserver/builtin/service_addresses.h"

#include <arpa/inet.h>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "apiserver/builtin/service_families.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver {
namespace {

constexpr std::int64_t kFirstPort = 30000;
constexpr std::int64_t kLastPort = 32767;
constexpr std::string_view kHeadless = "None";

template <class Number>
std::optional<Number> ParseNumber(std::string_view text, Number most) {
  const std::optional<Number> value = internal::base::NumberIn<Number>(text);
  return value && *value <= most ? value : std::nullopt;
}

std::optional<std::uint32_t> ParseAddress(std::string_view text) {
  in_addr address{};
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::string AddressText(std::uint32_t address) {
  const in_addr bytes{.s_addr = htonl(address)};
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &bytes, text.data(), text.size());
  return text.data();
}

bool HasAddress(const json::Value& spec) { return spec["type"].StringOrEmpty() != "ExternalName"; }
bool HasNodePorts(const json::Value& spec) {
  const std::string& type = spec["type"].StringOrEmpty();
  return type == "NodePort" || type == "LoadBalancer";
}
bool HasHealthPort(const json::Value& spec) {
  return spec["type"].StringOrEmpty() == "LoadBalancer" &&
         spec["externalTrafficPolicy"].StringOrEmpty() == "Local";
}
// Returns whether the Service is reachable from outside of the cluster.
bool IsReachable(const json::Value& spec) {
  return HasNodePorts(spec) ||
         (spec["type"].StringOrEmpty() == "ClusterIP" && spec["externalIPs"].size() > 0);
}

template <class Each>
void ForEachPort(const json::Value& spec, const Each& each) {
  for (const json::Value& port : spec["ports"].items()) {
    if (const auto number = port["nodePort"].AsInt64()) each(*number);
  }
  if (const auto number = spec["healthCheckNodePort"].AsInt64()) each(*number);
}

using Port = std::pair<std::optional<std::int64_t>, std::string>;
Port PortOf(const json::Value& port) {
  return {port["port"].AsInt64(), port["protocol"].StringOrEmpty()};
}

// Keeps assigned values that an update omits, where they still apply to the Service's type.
void KeepAssigned(const json::Value& old, json::Value& spec) {
  const json::Value& given = spec;
  if (HasAddress(old) && HasAddress(spec)) {
    if (given["clusterIP"].StringOrEmpty().empty() && given["clusterIPs"].size() == 0) {
      for (const char* name : {"clusterIP", "clusterIPs"}) spec.Set(name, json::Value(old[name]));
    }
  }
  if (old["type"].StringOrEmpty() == "LoadBalancer" &&
      given["type"].StringOrEmpty() != "LoadBalancer" &&
      given["allocateLoadBalancerNodePorts"] == old["allocateLoadBalancerNodePorts"]) {
    spec.Erase("allocateLoadBalancerNodePorts");
  }
  const auto drop = [&](bool had, bool has, const char* name) {
    if (had && !has && given[name] == old[name]) spec.Erase(name);
  };
  drop(IsReachable(old), IsReachable(spec), "externalTrafficPolicy");
  drop(HasHealthPort(old), HasHealthPort(spec), "healthCheckNodePort");
  drop(old["type"].StringOrEmpty() == "LoadBalancer",
       given["type"].StringOrEmpty() == "LoadBalancer", "loadBalancerClass");
  json::Value* list = spec.Find("ports");
  json::Array* ports = list == nullptr ? nullptr : list->IfArray();
  if (ports == nullptr || !HasNodePorts(old)) return;
  const bool keeps = HasNodePorts(spec);
  std::set<std::int64_t> numbers;
  std::map<Port, std::int64_t> by_port;  // first of each
  for (const json::Value& before : old["ports"].items()) {
    const auto number = before["nodePort"].AsInt64();
    if (!number) continue;
    numbers.insert(*number);
    by_port.emplace(PortOf(before), *number);
  }
  for (json::Value& port : *ports) {
    if (!keeps) {
      const auto number = std::as_const(port)["nodePort"].AsInt64();
      if (number && numbers.contains(*number)) port.Erase("nodePort");
    } else if (std::as_const(port)["nodePort"].is_null()) {
      const auto had = by_port.find(PortOf(port));
      if (had != by_port.end()) port.Set("nodePort", had->second);
    }
  }
  if (HasHealthPort(old) && HasHealthPort(spec) && given["healthCheckNodePort"].is_null()) {
    spec.Set("healthCheckNodePort", json::Value(old["healthCheckNodePort"]));
  }
}

}  // namespace

ServiceAddresses::ServiceAddresses(std::string_view range) : next_port_(kFirstPort) {
  const std::size_t slash = range.find('/');
  const auto base = ParseAddress(range.substr(0, slash));
  const auto bits = slash == std::string_view::npos
                        ? std::nullopt
                        : ParseNumber<std::uint32_t>(range.substr(slash + 1), 30);
  if (!base || !bits || *bits == 0) return;
  const std::uint32_t size = 1U << (32U - *bits);
  first_ = *base & ~(size - 1);
  last_ = first_ + (size - 1);
  // The address before it is reserved for the server itself.
  next_ = first_ + 2;
}

std::string ServiceAddresses::OfServer(std::string_view range) {
  const ServiceAddresses addresses(range);
  return addresses.last_ == 0 ? std::string() : AddressText(addresses.first_ + 1);
}

std::string ServiceAddresses::FreeAddress() {
  if (last_ == 0) return {};
  // One of so many different ones is free, unless all are taken.
  for (std::size_t tried = 0; tried <= addresses_.size(); ++tried) {
    if (!InRange(next_)) next_ = first_ + 2;
    const std::uint32_t address = next_++;
    if (!addresses_.contains(address)) return AddressText(address);
  }
  return {};
}

std::int64_t ServiceAddresses::FreePort(const std::set<std::int64_t>& taken_here) {
  for (std::int64_t tried = kFirstPort; tried <= kLastPort; ++tried) {
    if (next_port_ > kLastPort) next_port_ = kFirstPort;
    const std::int64_t port = next_port_++;
    if (!ports_.contains(port) && !taken_here.contains(port)) return port;
  }
  return 0;
}

std::vector<StatusCause> ServiceAddresses::Assign(const json::Value& old, json::Value& service) {
  std::vector<StatusCause> causes;
  json::Value& spec = service.Ensure("spec");
  const json::Value& before = old["spec"];
  if (before.is_object()) KeepAssigned(before, spec);
  if (HasAddress(spec)) {
    AssignAddress(before, spec, causes);
  } else {
    for (const char* name : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      spec.Erase(name);
    }
  }
  if (!causes.empty()) return causes;
  std::set<std::int64_t> had;
  ForEachPort(before, [&](std::int64_t number) { had.insert(number); });
  const json::Array& ports = std::as_const(spec)["ports"].items();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::int64_t port = ports[i]["nodePort"].AsInt64().value_or(0);
    if (port == 0) continue;
    std::string problem;
    if (port < kFirstPort || port > kLastPort) {
      problem = "provided port is not in the valid range. The range of valid ports is 30000-32767";
    } else if (!had.contains(port) && ports_.contains(port)) {
      problem = "provided port is already allocated";
    }
    if (!problem.empty()) {
      causes.push_back(InvalidValue("spec.ports[" + std::to_string(i) + "].nodePort",
                                    std::to_string(port), problem));
    }
  }
  if (causes.empty()) AssignPorts(before, spec);
  return causes;
}

void ServiceAddresses::AssignAddress(const json::Value& old, json::Value& spec,
                                     std::vector<StatusCause>& causes) {
  const json::Value& given = spec;
  std::string address = given["clusterIP"].StringOrEmpty();
  const std::string had = HasAddress(old) ? old["clusterIP"].StringOrEmpty() : std::string();
  if (!had.empty() && address != had) {
    causes.push_back(InvalidValue("spec.clusterIPs[0]", json::Value::MakeArray({address}).Dump(),
                                  "may not change once set"));
    return;
  }
  const bool headless = address == kHeadless;
  causes = SettleFamilies(HasAddress(old) ? old : json::Value(), spec);
  if (!causes.empty()) return;
  if (headless && HasNodePorts(spec)) {
    causes.push_back(InvalidValue(
        "spec.clusterIPs[0]", JsonString(kHeadless),
        "may not be set to 'None' for " + given["type"].StringOrEmpty() + " services"));
    return;
  }
  if (address.empty()) {
    address = FreeAddress();
    if (address.empty()) return;
    spec.Set("clusterIP", address);
  } else if (had.empty() && last_ != 0) {
    const auto number = ParseAddress(address);
    std::string problem;
    if (number && !InRange(*number)) {
      problem = "the provided network does not match the current range";
    } else if (number && addresses_.contains(*number)) {
      problem = "provided IP is already allocated";
    }
    if (!problem.empty()) {
      causes.push_back(InvalidValue("spec.clusterIPs", json::Value::MakeArray({address}).Dump(),
                                    "failed to allocate IP " + address + ": " + problem));
      return;
    }
  }
  if (given["clusterIPs"].size() == 0) spec.Set("clusterIPs", json::Value::MakeArray({address}));
}

void ServiceAddresses::AssignPorts(const json::Value& old, json::Value& spec) {
  const json::Value& given = spec;
  std::set<std::int64_t> here;
  ForEachPort(spec, [&](std::int64_t number) { here.insert(number); });
  const bool wanted = given["type"].StringOrEmpty() == "NodePort" ||
                      given["allocateLoadBalancerNodePorts"].AsBool().value_or(true);
  json::Value* list = spec.Find("ports");
  json::Array* ports = list == nullptr ? nullptr : list->IfArray();
  if (HasNodePorts(spec) && wanted && ports != nullptr) {
    for (json::Value& port : *ports) {
      if (!std::as_const(port)["nodePort"].is_null()) continue;
      const std::int64_t number = FreePort(here);
      if (number == 0) return;
      here.insert(number);
      port.Set("nodePort", number);
    }
  }
  if (!HasHealthPort(spec)) {
    if (old["healthCheckNodePort"] == given["healthCheckNodePort"]) {
      spec.Erase("healthCheckNodePort");
    }
  } else if (given["healthCheckNodePort"].is_null()) {
    if (const std::int64_t number = FreePort(here)) spec.Set("healthCheckNodePort", number);
  }
}

void ServiceAddresses::Take(const std::string& key, const json::Value& service) {
  Release(key);
  const json::Value& spec = service["spec"];
  Held held{.address = ParseAddress(spec["clusterIP"].StringOrEmpty())};
  if (held.address) addresses_.insert(*held.address);
  ForEachPort(spec, [&](std::int64_t port) {
    ports_.insert(port);
    held.ports.push_back(port);
  });
  held_.emplace(key, std::move(held));
}

void ServiceAddresses::Release(const std::string& key) {
  const auto found = held_.find(key);
  if (found == held_.end()) return;
  const Held& held = found->second;
  if (held.address) addresses_.erase(*held.address);
  for (const std::int64_t port : held.ports) {
    if (const auto at = ports_.find(port); at != ports_.end()) ports_.erase(at);
  }
  held_.erase(found);
}

}  // namespace kinformer::apiserver
