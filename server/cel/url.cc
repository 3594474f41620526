#include "cel/url.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>

#include "base/text/go_text.h"

namespace kinformer::internal::cel {
namespace {

// Tells what is wrong; empty if nothing is.
using Problem = std::string;

bool IsHex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }
unsigned HexValue(char c) {
  return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}
bool IsIn(char c, std::string_view signs) { return signs.find(c) != std::string_view::npos; }

constexpr std::string_view kUnreserved = "-_.~";

enum class Part { kPath, kHost };

Problem CheckEscapes(std::string_view text, Part part) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const std::string_view escape = text.substr(i, 3);
      const bool whole = escape.size() == 3 && IsHex(escape[1]) && IsHex(escape[2]);
      // Hosts have escapes of other signs than those of ASCII only.
      if (!whole || (part == Part::kHost && HexValue(escape[1]) < 8 && escape != "%25")) {
        return "invalid URL escape " + base::GoQuoted(escape);
      }
      i += 2;
    } else if (part == Part::kHost && IsAscii(text[i]) && !IsAlnum(text[i]) &&
               !IsIn(text[i], kUnreserved) && !IsIn(text[i], "!$&'()*+,;=:[]<>\"")) {
      return "invalid character " + base::GoQuoted(text.substr(i, 1)) + " in host name";
    }
  }
  return {};
}

// REQUIRES: the escapes are whole.
std::string Unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      out += static_cast<char>(HexValue(text[i + 1]) << 4U | HexValue(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Returns the path as it is written in URLs. REQUIRES: the escapes are whole.
std::string EscapedPath(std::string_view path) {
  constexpr std::string_view kKept = "$&+,/:;=@";
  const bool plain = std::ranges::all_of(path, [&](char c) {
    return IsAlnum(c) || IsIn(c, kUnreserved) || IsIn(c, kKept) || IsIn(c, "!'()*[]%");
  });
  if (plain) return std::string(path);
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : Unescaped(path)) {
    if (IsAlnum(c) || IsIn(c, kUnreserved) || IsIn(c, kKept)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

// Returns the length of the scheme; 0 without one, npos if it is none.
std::size_t SchemeLength(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) continue;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || IsIn(c, "+-.")) {
      if (i == 0) return 0;
      continue;
    }
    if (c == ':') return i == 0 ? std::string_view::npos : i;
    return 0;
  }
  return 0;
}

bool IsPort(std::string_view port) {
  return port.empty() ||
         (port.front() == ':' && port.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

bool IsV6(std::string text) {
  if (const std::size_t zone = text.find('%'); zone != std::string::npos) {
    if (zone + 1 == text.size()) return false;
    text.resize(zone);
  }
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return text.find('\0') == std::string::npos &&
         inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

Problem ReadLiteral(std::string_view host, std::string& out) {
  const std::size_t end = host.rfind(']');
  if (end == std::string_view::npos) return "missing ']' in host";
  const std::string_view port = host.substr(end + 1);
  if (!IsPort(port)) return "invalid port " + base::GoQuoted(port) + " after host";
  const std::string_view inside = host.substr(1, end - 1);
  const std::size_t zone = std::min(inside.find("%25"), inside.size());
  if (Problem problem = CheckEscapes(inside.substr(0, zone), Part::kHost); !problem.empty()) {
    return problem;
  }
  if (Problem problem = CheckEscapes(inside.substr(zone), Part::kPath); !problem.empty()) {
    return problem;
  }
  const std::string address = Unescaped(inside);
  if (!IsV6(address)) {
    return "invalid host: ParseAddr(" + base::GoQuoted(address) + "): unable to parse IP";
  }
  out = "[" + address + "]" + std::string(port);
  return {};
}

Problem ReadHost(const std::string& scheme, std::string_view host, std::string& out) {
  const std::size_t bracket = host.rfind('[');
  if (bracket == 0) return ReadLiteral(host, out);
  if (bracket != std::string_view::npos) return "invalid IP-literal";
  const bool strict = scheme == "http" || scheme == "https";
  const std::size_t colon = strict ? host.find(':') : host.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? "" : host.substr(colon);
  if (!IsPort(port)) return "invalid port " + base::GoQuoted(port) + " after host";
  Problem problem = CheckEscapes(host, Part::kHost);
  if (problem.empty()) out = Unescaped(host);
  return problem;
}

Problem ReadAuthority(std::string_view authority, Url& url, std::string& user) {
  const std::size_t at = authority.rfind('@');
  const std::string_view host = at == std::string_view::npos ? authority : authority.substr(at + 1);
  if (Problem problem = ReadHost(url.scheme, host, url.host); !problem.empty()) return problem;
  if (at == std::string_view::npos) return {};
  const std::string_view info = authority.substr(0, at);
  const bool valid =
      std::ranges::all_of(info, [](char c) { return IsAlnum(c) || IsIn(c, "-._:~!$&'()*+,;=%@"); });
  if (!valid) return "net/url: invalid userinfo";
  for (const char c : info) {
    if (c == '@') {
      user += "%40";
    } else {
      user += c;
    }
  }
  user += '@';
  return CheckEscapes(info, Part::kPath);
}

// `rest`: without the fragment, unless `request`: then it is no fragment.
Problem Read(std::string_view rest, bool request, Url& url) {
  url = Url();
  if (std::ranges::any_of(
          rest, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; })) {
    return "net/url: invalid control character in URL";
  }
  if (rest.empty()) return request ? "empty url" : "";
  url.text = rest;
  if (rest == "*") {
    url.path = rest;
    return {};
  }
  const std::size_t scheme = SchemeLength(rest);
  if (scheme == std::string_view::npos) return "missing protocol scheme";
  if (scheme > 0) {
    url.scheme = rest.substr(0, scheme);
    std::ranges::transform(url.scheme, url.scheme.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    rest.remove_prefix(scheme + 1);
  }
  std::string tail;
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    url.query = rest.substr(mark + 1);
    tail = rest.substr(mark);
    rest = rest.substr(0, mark);
  }
  const std::string start = scheme > 0 ? url.scheme + ":" : "";
  if (!rest.starts_with('/')) {
    // "mailto:a" has a scheme and nothing that could be read; anything else is relative.
    url.text = start + std::string(rest) + tail;
    return scheme > 0 ? "" : "invalid URI for request";
  }
  std::string user;
  const bool authority =
      rest.starts_with("//") && (scheme > 0 || (!request && !rest.starts_with("///")));
  if (authority) {
    const std::size_t end = std::min(rest.find('/', 2), rest.size());
    Problem problem = ReadAuthority(rest.substr(2, end - 2), url, user);
    if (!problem.empty()) return problem;
    rest.remove_prefix(end);
  }
  if (Problem problem = CheckEscapes(rest, Part::kPath); !problem.empty()) return problem;
  url.path = EscapedPath(rest);
  url.text = start;
  if (authority) url.text.append("//").append(user).append(url.host);
  url.text.append(url.path).append(tail);
  return {};
}

Error Refused(std::string_view text, const Problem& problem) {
  return Error(Reason::kInvalidArgument, "parse " + base::GoQuoted(text) + ": " + problem);
}

}  // namespace

Result<Url> ParseUrl(std::string_view text) {
  // Twice, as a real server does: a URL must be one for a request, and may have a fragment.
  Url url;
  if (const Problem problem = Read(text, /*request=*/true, url); !problem.empty()) {
    return Refused(text, problem);
  }
  const std::size_t mark = text.find('#');
  if (mark == std::string_view::npos && !text.starts_with("//")) return url;
  const std::string_view rest = text.substr(0, mark);
  if (const Problem problem = Read(rest, /*request=*/false, url); !problem.empty()) {
    return Refused(rest, problem);
  }
  if (mark == std::string_view::npos) return url;
  const std::string_view fragment = text.substr(mark + 1);
  if (const Problem problem = CheckEscapes(fragment, Part::kPath); !problem.empty()) {
    return Refused(text, problem);
  }
  if (!fragment.empty()) url.text.append("#").append(EscapedPath(fragment));
  return url;
}

HostAndPort SplitHost(const std::string& host) {
  HostAndPort out{.name = host};
  const std::size_t colon = host.rfind(':');
  if (colon != std::string::npos && IsPort(std::string_view(host).substr(colon))) {
    out = {.name = host.substr(0, colon), .port = host.substr(colon + 1)};
  }
  if (out.name.starts_with('[') && out.name.ends_with(']')) {
    out.name = out.name.substr(1, out.name.size() - 2);
  }
  return out;
}

bool UnescapeQuery(std::string_view text, std::string& out) {
  if (!CheckEscapes(text, Part::kPath).empty()) return false;
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  out = Unescaped(spaced);
  return true;
}

}  // namespace kinformer::internal::cel
