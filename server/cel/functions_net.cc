// Functions of URLs, addresses and networks.

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "base/text/go_text.h"
#include "cel/evaluator.h"
#include "cel/functions.h"
#include "cel/net.h"
#include "cel/url.h"

namespace kinformer::internal::cel {
namespace {

using enum ValueKind;

// The most of a text that an error shows.
constexpr std::size_t kMaxShown = 100;

// ---- URLs

Value UrlFunction(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  auto url = ParseUrl(a[0].text());
  if (url) return Value::OfUrl(*std::move(url));
  return Value::Error("URL parse error during conversion from string: " + url.error().message());
}
Value IsUrl(Evaluation& evaluation, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  if (!evaluation.ChargeText(a[0].text().size())) return Evaluation::OverBudget();
  return Value::Bool(ParseUrl(a[0].text()).ok());
}

Value Query(const Url& url) {
  std::map<std::string, std::vector<Value>> values;
  std::string_view rest = url.query;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (part.empty() || part.find(';') != std::string_view::npos) continue;
    const std::size_t equals = part.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    std::string key;
    std::string text;
    if (UnescapeQuery(part.substr(0, equals), key) && UnescapeQuery(value, text)) {
      values[key].push_back(Value::String(std::move(text)));
    }
  }
  std::vector<std::pair<Value, Value>> entries;
  for (auto& [name, list] : values) {
    entries.emplace_back(Value::String(name), Value::List(std::move(list)));
  }
  return Value::Map(std::move(entries));
}

Value UrlPart(Evaluation& evaluation, const Node& call, Arguments a) {
  if (!a[0].is(kUrl)) return NoSuchOverload();
  const Url& url = a[0].url();
  if (!evaluation.ChargeText(url.text.size())) return Evaluation::OverBudget();
  if (call.name == "getScheme") return Value::String(url.scheme);
  if (call.name == "getHost") return Value::String(url.host);
  if (call.name == "getHostname") return Value::String(SplitHost(url.host).name);
  if (call.name == "getPort") return Value::String(SplitHost(url.host).port);
  if (call.name == "getEscapedPath") return Value::String(url.path);
  return Query(url);
}

// ---- Addresses and networks

Value IpFunction(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (a[0].is(kCidr)) return Value::OfIp(a[0].cidr().ip);
  if (!a[0].is(kString)) return NoSuchOverload();
  if (const auto ip = IpIn(a[0].text())) return Value::OfIp(*ip);
  return Value::Error(IpProblem(a[0].text().substr(0, kMaxShown)));
}
Value IsIp(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kString) ? Value::Bool(IpIn(a[0].text()).has_value()) : NoSuchOverload();
}
Value IsCanonical(Evaluation& evaluation, const Node& call, Arguments a) {
  Value ip = IpFunction(evaluation, call, a);
  if (!ip.is(kIp)) return ip;
  return Value::Bool(IpText(ip.ip()) == a[0].text());
}

Value IpTest(Evaluation& /*evaluation*/, const Node& call, Arguments a) {
  if (!a[0].is(kIp)) return NoSuchOverload();
  const Ip& ip = a[0].ip();
  const std::array<std::uint8_t, 16>& b = ip.bytes;
  const bool zero =
      std::all_of(b.begin(), b.end() - 1, [](std::uint8_t byte) { return byte == 0; });
  const bool unspecified = zero && b[15] == 0;
  const bool loopback = ip.is_v4 ? b[12] == 127 : zero && b[15] == 1;
  const bool link_multicast =
      ip.is_v4 ? b[12] == 224 && b[13] == 0 && b[14] == 0 : b[0] == 0xff && (b[1] & 15) == 2;
  const bool multicast = ip.is_v4 ? (b[12] & 0xf0) == 0xe0 : b[0] == 0xff;
  const bool link_unicast =
      ip.is_v4 ? b[12] == 169 && b[13] == 254 : b[0] == 0xfe && (b[1] & 0xc0) == 0x80;
  const bool broadcast = ip.is_v4 && std::all_of(b.begin() + 12, b.end(),
                                                 [](std::uint8_t byte) { return byte == 255; });
  if (call.name == "family") return Value::Int(ip.is_v4 ? 4 : 6);
  if (call.name == "isUnspecified") return Value::Bool(unspecified);
  if (call.name == "isLoopback") return Value::Bool(loopback);
  if (call.name == "isLinkLocalMulticast") return Value::Bool(link_multicast);
  if (call.name == "isLinkLocalUnicast") return Value::Bool(link_unicast);
  return Value::Bool(!unspecified && !loopback && !multicast && !link_unicast && !broadcast);
}

Value CidrFunction(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  if (!a[0].is(kString)) return NoSuchOverload();
  if (const auto cidr = CidrIn(a[0].text())) return Value::OfCidr(*cidr);
  return Value::Error(CidrProblem(a[0].text().substr(0, kMaxShown)));
}
Value IsCidr(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kString) ? Value::Bool(CidrIn(a[0].text()).has_value()) : NoSuchOverload();
}
Value ContainsIp(Evaluation& evaluation, const Node& call, Arguments a) {
  if (!a[0].is(kCidr)) return NoSuchOverload();
  Value ip = a[1].is(kString) ? IpFunction(evaluation, call, a.subspan(1)) : a[1];
  return ip.is(kIp) ? Value::Bool(Contains(a[0].cidr(), ip.ip())) : NoSuchOverload();
}
Value ContainsCidr(Evaluation& evaluation, const Node& call, Arguments a) {
  if (!a[0].is(kCidr)) return NoSuchOverload();
  Value other = a[1].is(kString) ? CidrFunction(evaluation, call, a.subspan(1)) : a[1];
  if (other.is_error()) return other;
  if (!other.is(kCidr)) return NoSuchOverload();
  return Value::Bool(Contains(a[0].cidr(), other.cidr().ip) &&
                     a[0].cidr().prefix <= other.cidr().prefix);
}
Value PrefixLength(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kCidr) ? Value::Int(a[0].cidr().prefix) : NoSuchOverload();
}
Value MaskedFunction(Evaluation& /*evaluation*/, const Node& /*call*/, Arguments a) {
  return a[0].is(kCidr) ? Value::OfCidr(Masked(a[0].cidr())) : NoSuchOverload();
}

}  // namespace

std::span<const FunctionEntry> NetFunctions() {
  static constexpr FunctionEntry kEntries[] = {
      {"url", UrlFunction},
      {"isURL", IsUrl},
      {"getScheme", UrlPart},
      {"getHost", UrlPart},
      {"getHostname", UrlPart},
      {"getPort", UrlPart},
      {"getEscapedPath", UrlPart},
      {"getQuery", UrlPart},
      {"ip", IpFunction},
      {"isIP", IsIp},
      {"ip.isCanonical", IsCanonical},
      {"family", IpTest},
      {"isUnspecified", IpTest},
      {"isLoopback", IpTest},
      {"isLinkLocalMulticast", IpTest},
      {"isLinkLocalUnicast", IpTest},
      {"isGlobalUnicast", IpTest},
      {"cidr", CidrFunction},
      {"isCIDR", IsCidr},
      {"containsIP", ContainsIp},
      {"containsCIDR", ContainsCidr},
      {"prefixLength", PrefixLength},
      {"masked", MaskedFunction},
  };
  return kEntries;
}

}  // namespace kinformer::internal::cel
