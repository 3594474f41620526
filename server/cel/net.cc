#include "cel/net.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/text/number_in.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::size_t kV4Offset = 12;

bool IsHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

bool HasValidEscapes(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (at + 2 >= text.size() || !IsHex(text[at + 1]) || !IsHex(text[at + 2])) return false;
  }
  return true;
}

// "host", "host:80", "[::1]:80".
bool IsHost(std::string_view host) {
  std::string_view port;
  if (host.starts_with("[")) {
    const std::size_t end = host.rfind(']');
    if (end == std::string_view::npos) return false;
    port = host.substr(end + 1);
  } else if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
    port = host.substr(colon);
  }
  if (!port.empty() &&
      (port.front() != ':' || port.find_first_not_of("0123456789", 1) != std::string_view::npos)) {
    return false;
  }
  return host.find_first_of(" \"<>\\^`{|}") == std::string_view::npos && HasValidEscapes(host);
}

// Returns the length of the scheme; 0 without one, npos if it is none.
std::size_t SchemeLength(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) continue;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.') {
      if (i == 0) return 0;
      continue;
    }
    if (c == ':') return i == 0 ? std::string_view::npos : i;
    return 0;
  }
  return 0;
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

std::optional<Url> UrlIn(std::string_view text) {
  const bool odd = std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  if (text.empty() || odd) return std::nullopt;
  Url url;
  url.text = text;
  std::string_view rest = text.substr(0, text.find('#'));
  const std::size_t scheme = SchemeLength(rest);
  if (scheme == std::string_view::npos) return std::nullopt;
  if (scheme > 0) {
    url.scheme = rest.substr(0, scheme);
    std::ranges::transform(url.scheme, url.scheme.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    rest.remove_prefix(scheme + 1);
  }
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    url.query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  if (!rest.starts_with("/")) {
    // "mailto:a" has a scheme and nothing that could be read; anything else is relative.
    if (scheme == 0) return std::nullopt;
    return url;
  }
  if (scheme > 0 && rest.starts_with("//") && !rest.starts_with("///")) {
    const std::size_t end = std::min(rest.find('/', 2), rest.size());
    std::string_view host = rest.substr(2, end - 2);
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
      host.remove_prefix(at + 1);
    }
    if (!IsHost(host)) return std::nullopt;
    url.host = host;
    rest.remove_prefix(end);
  } else if (scheme > 0 && rest.starts_with("///")) {
    rest.remove_prefix(2);
  }
  if (!HasValidEscapes(rest)) return std::nullopt;
  url.path = rest;
  return url;
}

}  // namespace kinformer::internal::cel
