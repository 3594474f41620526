#include "cel/net.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/text/go_text.h"
#include "base/text/number_in.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::size_t kV4Offset = 12;

bool IsMapped(const std::array<std::uint8_t, 16>& bytes) {
  return bytes[10] == 0xff && bytes[11] == 0xff &&
         std::all_of(bytes.begin(), bytes.begin() + 10,
                     [](std::uint8_t byte) { return byte == 0; });
}

// Returns whether the text is an address of IPv6 that stands for one of IPv4.
bool IsMappedText(std::string_view text) {
  std::array<std::uint8_t, 16> bytes{};
  return inet_pton(AF_INET6, std::string(text).c_str(), bytes.data()) == 1 && IsMapped(bytes);
}

// Returns what Go says of a text with dots that is no address of IPv4.
std::string V4Problem(std::string_view text) {
  constexpr int kMax = 255;
  int value = 0;
  int digits = 0;
  int dots = 0;
  const auto at = [&](std::size_t i) { return " (at " + base::GoQuoted(text.substr(i)) + ")"; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      if (digits == 1 && value == 0) return "IPv4 field has octet with leading zero";
      value = value * 10 + (c - '0');
      ++digits;
      if (value > kMax) return "IPv4 field has value >255";
    } else if (c == '.') {
      if (digits == 0 || i + 1 == text.size()) {
        return "IPv4 field must have at least one digit" + at(i);
      }
      if (++dots > 3) return "IPv4 address too long";
      value = digits = 0;
    } else {
      return "unexpected character" + at(i);
    }
  }
  return "IPv4 address too short";
}

std::string ParseProblem(std::string_view text) {
  const std::size_t sign = text.find_first_of(".:%");
  std::string problem = "unable to parse IP";
  if (sign != std::string_view::npos && text[sign] == '.') problem = V4Problem(text);
  if (sign != std::string_view::npos && text[sign] == '%') problem = "missing IPv6 address";
  return "ParseAddr(" + base::GoQuoted(text) + "): " + problem;
}

bool HasZone(std::string_view text) {
  const std::size_t zone = text.find('%');
  return zone != std::string_view::npos && zone + 1 < text.size() && text.find(':') < zone &&
         (IpIn(text.substr(0, zone)) || IsMappedText(text.substr(0, zone)));
}

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
  if (IsMapped(ip.bytes)) return std::nullopt;
  return ip;
}

std::string IpProblem(std::string_view text) {
  if (IsMappedText(text))
    return "IPv4-mapped IPv6 address " + base::GoQuoted(text) + " is not allowed";
  if (HasZone(text)) {
    return "IP address " + base::GoQuoted(text) + " with zone value is not allowed";
  }
  return "IP Address " + base::GoQuoted(text) +
         " parse error during conversion from string: " + ParseProblem(text);
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

std::string CidrProblem(std::string_view text) {
  constexpr const char* kFailed = "network address parse error during conversion from string: ";
  const std::size_t slash = text.rfind('/');
  const std::string_view address = text.substr(0, slash);
  if (slash != std::string_view::npos && IsMappedText(address)) {
    return kFailed + ("IPv4-mapped IPv6 address " + base::GoQuoted(text)) + " is not allowed";
  }
  std::string problem = "no '/'";
  if (slash != std::string_view::npos) {
    const std::string_view digits = text.substr(slash + 1);
    const bool number = !digits.empty() && (digits == "0" || digits.front() != '0') &&
                        digits.find_first_not_of("0123456789") == std::string_view::npos;
    problem = HasZone(address) ? "IPv6 zones cannot be present in a prefix"
              : !IpIn(address) ? ParseProblem(address)
              : !number        ? "bad bits after slash: " + base::GoQuoted(digits)
                               : "prefix length out of range";
  }
  return std::string(kFailed) + kFailed + "netip.ParsePrefix(" + base::GoQuoted(text) +
         "): " + problem;
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
