#include "cli/listening_addresses.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <netinet/in.h>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace kinformer::cli {
namespace {

namespace fs = std::filesystem;

// The inodes of the sockets that the process has open.
Result<std::set<std::string>> SocketsOf(const fs::path& folder, const std::string& pid) {
  constexpr std::string_view kSocket = "socket:[";
  std::error_code failure;
  std::set<std::string> inodes;
  for (fs::directory_iterator at(folder / "fd", failure), end; !failure && at != end;
       at.increment(failure)) {
    std::error_code gone;  // closed meanwhile
    const std::string target = fs::read_symlink(at->path(), gone).string();
    if (target.starts_with(kSocket)) {
      inodes.insert(target.substr(kSocket.size(), target.size() - kSocket.size() - 1));
    }
  }
  if (!failure) return inodes;
  const bool missing = failure == std::errc::no_such_file_or_directory;
  return Error(Reason::kConfig, missing ? "there is no process " + pid
                                        : "process " + pid + ": " + failure.message() +
                                              ": ask as its user, or give its address with --url");
}

// Writes an address as the kernel has it: words of the machine's own order, in hexadecimal digits.
std::string AddressOf(const std::string& hex) {
  std::array<std::uint32_t, 4> words{};
  const std::size_t count = hex.size() / 8;
  for (std::size_t i = 0; i < std::min(count, words.size()); ++i) {
    words[i] = static_cast<std::uint32_t>(std::stoul(hex.substr(8 * i, 8), nullptr, 16));
  }
  const bool any = std::ranges::all_of(words, [](std::uint32_t word) { return word == 0; });
  if (any) return count == 1 ? "127.0.0.1" : "[::1]";
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (count == 1) return inet_ntop(AF_INET, words.data(), text.data(), text.size());
  return "[" + std::string(inet_ntop(AF_INET6, words.data(), text.data(), text.size())) + "]";
}

bool IsHex(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789ABCDEFabcdef") == std::string::npos;
}

// Adds what a table lists: "sl local_address rem_address st ... inode".
void AddListening(const fs::path& table, const std::set<std::string>& inodes,
                  std::multimap<std::uint32_t, std::string>& by_port) {
  constexpr const char* kListens = "0A";
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);  // the titles
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::vector<std::string> columns;
    for (std::string word; words >> word;) columns.push_back(word);
    if (columns.size() < 10 || columns[3] != kListens || !inodes.contains(columns[9])) continue;
    const std::string& local = columns[1];
    const std::size_t colon = local.find(':');
    if (colon != 8 && colon != 32) continue;
    const std::string port = local.substr(colon + 1);
    if (!IsHex(local.substr(0, colon)) || !IsHex(port) || port.size() > 4) continue;
    const auto number = static_cast<std::uint32_t>(std::stoul(port, nullptr, 16));
    by_port.emplace(number, AddressOf(local.substr(0, colon)) + ":" + std::to_string(number));
  }
}

}  // namespace

Result<std::vector<std::string>> ListeningAddresses(const std::string& pid,
                                                    const std::string& proc) {
  if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos) {
    return Error(Reason::kInvalidArgument, "--pid takes a number, not \"" + pid + "\"");
  }
  const fs::path folder = fs::path(proc) / pid;
  const Result<std::set<std::string>> inodes = SocketsOf(folder, pid);
  if (!inodes) return inodes.error();
  std::multimap<std::uint32_t, std::string> by_port;
  for (const char* const table : {"tcp", "tcp6"}) {
    AddListening(folder / "net" / table, *inodes, by_port);
  }
  std::vector<std::string> addresses;
  for (auto& [port, address] : by_port) addresses.push_back(std::move(address));
  return addresses;
}

}  // namespace kinformer::cli
