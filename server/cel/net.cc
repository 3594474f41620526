#include "cel/net.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/text/number_in.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::size_t kV4Offset = 12;

}  // namespace

std::optional<Ip> IpIn(std::string_view text) {
  const std::string copy(text);
  if (copy.find('\0') != std::string::npos) return std::nullopt;
  Ip ip;
  if (copy.find(':') == std::string::npos) {
    ip.is_v4 = true;
    if (inet_pton(AF_INET, copy.c_str(), &ip.bytes[kV4Offset]) == 1) return ip;
    return std::nullopt;
  }
  if (inet_pton(AF_INET6, copy.c_str(), ip.bytes.data()) != 1) return std::nullopt;
  const bool mapped = ip.bytes[10] == 0xff && ip.bytes[11] == 0xff &&
                      std::all_of(ip.bytes.begin(), ip.bytes.begin() + 10,
                                  [](std::uint8_t byte) { return byte == 0; });
  if (mapped) return std::nullopt;
  return ip;
}

std::string IpText(const Ip& ip) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (ip.is_v4) {
    inet_ntop(AF_INET, &ip.bytes[kV4Offset], text.data(), text.size());
    return text.data();
  }
  // In groups, since inet_ntop writes some addresses with dots.
  std::array<unsigned, 8> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i] = static_cast<unsigned>(ip.bytes[2 * i]) << 8U | ip.bytes[2 * i + 1];
  }
  std::size_t best = 8;
  std::size_t length = 1;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t zeros = 0;
    while (i + zeros < 8 && groups[i + zeros] == 0) ++zeros;
    if (zeros > length) {
      best = i;
      length = zeros;
    }
  }
  std::string out;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == best) {
      out += "::";
      i += length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    constexpr std::string_view kDigits = "0123456789abcdef";
    bool any = false;
    for (int shift = 12; shift >= 0; shift -= 4) {
      const unsigned digit = groups[i] >> static_cast<unsigned>(shift) & 15U;
      any = any || digit != 0 || shift == 0;
      if (any) out += kDigits[digit];
    }
  }
  return out;
}

std::optional<Cidr> CidrIn(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto ip = IpIn(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  const auto prefix = base::NumberIn<int>(digits);
  if (!ip || !prefix || *prefix < 0 || *prefix > (ip->is_v4 ? 32 : 128)) return std::nullopt;
  if (digits.front() == '-' || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  return Cidr{*ip, *prefix};
}

std::string CidrText(const Cidr& cidr) {
  return IpText(cidr.ip) + "/" + std::to_string(cidr.prefix);
}

Cidr Masked(const Cidr& cidr) {
  Cidr out = cidr;
  const int first = (cidr.ip.is_v4 ? 96 : 0) + cidr.prefix;
  for (int bit = first; bit < 128; ++bit) {
    out.ip.bytes[static_cast<std::size_t>(bit / 8)] &=
        static_cast<std::uint8_t>(~(0x80U >> static_cast<unsigned>(bit % 8)));
  }
  return out;
}

bool Contains(const Cidr& cidr, const Ip& ip) {
  return cidr.ip.is_v4 == ip.is_v4 && Masked({ip, cidr.prefix}).ip == Masked(cidr).ip;
}

}  // namespace kinformer::internal::cel
