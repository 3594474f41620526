#include "cli/listening_ports.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <netinet/in.h>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;

// State "listen" of a socket in /proc/net/tcp.
constexpr std::string_view kListens = "0A";

// Returns where a link points; empty: unknown.
std::string PointsTo(const fs::path& link) {
  std::error_code error;
  return fs::read_symlink(link, error).string();
}

// Returns the inodes of the sockets that the process has open.
Result<std::set<std::string>> SocketsOf(const fs::path& process, const std::string& name) {
  std::set<std::string> inodes;
  std::error_code error;
  fs::directory_iterator files(process / "fd", error);
  if (error) {
    return Error(Reason::kForbidden, name + ": its open files cannot be read: " + error.message() +
                                         ". Run this as its user or as root, or give --url");
  }
  constexpr std::string_view kBegin = "socket:[";
  for (const fs::directory_entry& file : files) {
    const std::string target = PointsTo(file.path());
    if (!target.starts_with(kBegin)) continue;
    inodes.insert(target.substr(kBegin.size(), target.size() - kBegin.size() - 1));
  }
  return inodes;
}

// Parses an address of these files: words of four bytes in the machine's order, in hexadecimal.
std::optional<std::array<unsigned char, 16>> BytesOf(std::string_view hex) {
  std::array<unsigned char, 16> bytes{};
  if (hex.size() != 8 && hex.size() != 32) return std::nullopt;
  for (std::size_t i = 0; i < hex.size() / 8; ++i) {
    std::uint32_t word = 0;
    const std::string_view part = hex.substr(8 * i, 8);
    const auto [end, wrong] = std::from_chars(part.data(), part.data() + 8, word, 16);
    if (wrong != std::errc() || end != part.data() + 8) return std::nullopt;
    std::memcpy(bytes.data() + 4 * i, &word, 4);
  }
  return bytes;
}

// Returns the address by which a client reaches that one.
std::string ReachedAt(const std::array<unsigned char, 16>& bytes, bool v6) {
  const auto end = bytes.begin() + (v6 ? 16 : 4);
  if (std::all_of(bytes.begin(), end, [](unsigned char byte) { return byte == 0; })) {
    return "127.0.0.1";
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (!v6) return inet_ntop(AF_INET, bytes.data(), text.data(), text.size());
  in6_addr address{};
  std::memcpy(&address, bytes.data(), sizeof address);
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    return inet_ntop(AF_INET, bytes.data() + 12, text.data(), text.size());
  }
  return "[" + std::string(inet_ntop(AF_INET6, bytes.data(), text.data(), text.size())) + "]";
}

// Adds the addresses in a file like /proc/net/tcp whose sockets are among `inodes`.
void AddListening(const fs::path& file, bool v6, const std::set<std::string>& inodes,
                  std::map<unsigned, std::string>& by_port) {
  std::ifstream lines(file);
  std::string line;
  std::getline(lines, line);  // the titles
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string slot, local, remote, state, queues, timer, retransmits, uid, timeout, inode;
    if (!(fields >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> uid >>
          timeout >> inode)) {
      continue;
    }
    if (state != kListens || !inodes.contains(inode)) continue;
    const std::size_t colon = local.find(':');
    const auto bytes = BytesOf(std::string_view(local).substr(0, colon));
    unsigned port = 0;
    if (colon == std::string::npos || !bytes ||
        std::from_chars(local.data() + colon + 1, local.data() + local.size(), port, 16).ec !=
            std::errc()) {
      continue;
    }
    by_port.try_emplace(port, ReachedAt(*bytes, v6) + ":" + std::to_string(port));
  }
}

}  // namespace

Result<std::vector<std::string>> ListeningAddressesOf(std::int64_t pid, const std::string& proc) {
  const fs::path process = fs::path(proc) / std::to_string(pid);
  const std::string name = "process " + std::to_string(pid);
  std::error_code error;
  if (!fs::exists(process, error)) return Error(Reason::kNotFound, name + " does not exist");
  const Result<std::set<std::string>> inodes = SocketsOf(process, name);
  if (!inodes) return inodes.error();
  const std::string network = PointsTo(process / "ns" / "net");
  if (network != PointsTo(fs::path(proc) / "self" / "ns" / "net")) {
    return Error(Reason::kForbidden,
                 name +
                     " has a network of its own, such as that of a container: run kinformer in "
                     "it (nsenter --net --target " +
                     std::to_string(pid) + "), or use kubectl port-forward and --url");
  }
  std::map<unsigned, std::string> by_port;
  AddListening(process / "net" / "tcp", false, *inodes, by_port);
  AddListening(process / "net" / "tcp6", true, *inodes, by_port);
  if (by_port.empty()) return Error(Reason::kNotFound, name + " listens on no TCP port");
  std::vector<std::string> addresses;
  for (auto& [port, address] : by_port) addresses.push_back(std::move(address));
  return addresses;
}

}  // namespace kinformer::cli
