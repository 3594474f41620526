#include "client/discovery_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <openssl/sha.h>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "kinformer/json/json.h"

#include "base/text/regular_file.h"
#include "base/text/replace_file.h"

namespace kinformer::internal::client {
namespace {

constexpr std::size_t kLargestFile = std::size_t{64} << 20;
// Clocks of machines that share a folder may differ by this.
constexpr Duration kClockSkew = std::chrono::minutes(5);
constexpr Duration kForgotten = std::chrono::hours(24);
constexpr std::size_t kMostSwept = 50'000;
constexpr std::string_view kGroupsFile = "servergroups.json";
constexpr std::string_view kResourcesFile = "serverresources.json";

Error Failed(const char* what, const std::string& path) {
  return Error(Reason::kConfig,
               std::string(what) + " " + path + ": " + std::generic_category().message(errno));
}

// kubectl's name of a server's folder: without the scheme, and with "_" for all that is neither a
// letter, a digit, "/", "." nor "_".
std::string FolderOf(std::string_view server) {
  const std::size_t scheme = server.find("://");
  if (scheme != std::string_view::npos) server.remove_prefix(scheme + 3);
  std::string out;
  for (const char c : server) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '/' || c == '.' || c == '_';
    // Nothing leads out of the directory.
    const bool climbs = c == '.' && (out.empty() || out.back() == '.' || out.back() == '/');
    out += kept && !climbs ? c : '_';
  }
  return out;
}

std::string Sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string out;
  for (const unsigned char byte : digest) {
    out += "0123456789abcdef"[byte >> 4U];
    out += "0123456789abcdef"[byte & 15U];
  }
  return out;
}

Result<void> MakeFolders(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != 0; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), 0750) != 0 && errno != EEXIST) return Failed("cannot make", part);
    if (at == std::string::npos) break;
  }
  return {};
}

// Replaces the file by one with this text, which was written at `now`.
Result<void> Replace(const std::string& path, std::string_view text, WallTime now) {
  if (text.size() > kLargestFile) {
    return Error(Reason::kOverLimit, path + ": the document is too large for a file");
  }
  Result<void> made = MakeFolders(path.substr(0, path.rfind('/')));
  if (!made) return made;
  return base::ReplaceFile(path, text,
                           {.mode = 0660, .many_writers = true, .modified = now, .durable = false});
}

std::optional<WallTime> TimeOf(const std::string& path) {
  struct stat about{};
  if (::lstat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  return WallTime(std::chrono::seconds(about.st_mtim.tv_sec) +
                  std::chrono::nanoseconds(about.st_mtim.tv_nsec));
}

}  // namespace

DiscoveryFiles::DiscoveryFiles(const std::string& directory, std::string_view server, Duration ttl)
    : folder_(directory + "/" + FolderOf(server)), ttl_(ttl) {}

std::string DiscoveryFiles::PathOf(const ApiGroupVersion& version) const {
  return folder_ + "/" + version.groupVersion() + "/" + std::string(kResourcesFile);
}

// Paths of documents may have any characters.
std::string DiscoveryFiles::PathOfDocument(std::string_view path) const {
  return folder_ + "/openapi/v3/" + (path.empty() ? "paths" : Sha256(path));
}

namespace {

// A JSON document of this kind that is young enough.
std::optional<json::Value> ReadDocument(const std::string& path, std::string_view kind,
                                        WallTime now, Duration ttl, WallTime& written) {
  const std::optional<WallTime> time = TimeOf(path);
  if (!time || now - *time >= ttl || *time - now > kClockSkew) return std::nullopt;
  const Result<std::string> text = base::ReadRegularFile(path, kLargestFile);
  if (!text) return std::nullopt;
  Result<json::Value> document = json::Parse(*text);
  if (!document || (*document)["kind"].StringOrEmpty() != kind) return std::nullopt;
  written = std::min(written, *time);
  return *std::move(document);
}

}  // namespace

std::optional<DiscoveryFiles::Loaded> DiscoveryFiles::Load(WallTime now) const {
  Loaded out;
  out.written = now;
  const std::optional<json::Value> groups = ReadDocument(folder_ + "/" + std::string(kGroupsFile),
                                                         "APIGroupList", now, ttl_, out.written);
  if (!groups || !AddGroupList(*groups, out.groups) || out.groups.empty()) return std::nullopt;
  std::size_t resources = 0;
  for (std::size_t i = 0; i < out.groups.size(); ++i) {
    ApiGroupVersion& version = out.groups[i];
    const std::optional<json::Value> list =
        ReadDocument(PathOf(version), "APIResourceList", now, ttl_, out.written);
    const bool whole = list && (*list)["groupVersion"].StringOrEmpty() == version.groupVersion() &&
                       FillFromResourceList(*list, version) && !version.resources.empty();
    if (!whole) {
      version.resources.clear();
      out.missing.push_back(i);
    }
    resources += version.resources.size();
    if (resources > kMostResources) return std::nullopt;
  }
  return out;
}

Result<void> DiscoveryFiles::Store(const ApiGroupVersions& groups, WallTime now) const {
  for (const ApiGroupVersion& version : groups) {
    Result<void> stored = StoreVersion(version, now);
    if (!stored) return stored;
  }
  Result<void> stored =
      Replace(folder_ + "/" + std::string(kGroupsFile), GroupListOf(groups).Dump(), now);
  if (stored) Sweep(now);
  return stored;
}

Result<void> DiscoveryFiles::StoreVersion(const ApiGroupVersion& version, WallTime now) const {
  if (!version.error.empty() || version.resources.empty()) return {};
  return Replace(PathOf(version), ResourceListOf(version).Dump(), now);
}

void DiscoveryFiles::Sweep(WallTime now) const {
  namespace fs = std::filesystem;
  std::error_code failure;
  std::set<fs::path> folders;
  std::size_t seen = 0;
  for (fs::recursive_directory_iterator entry(folder_, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (++seen > kMostSwept) break;
    if (entry.depth() > 2) entry.disable_recursion_pending();
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kGroupsFile) && !name.starts_with(kResourcesFile)) continue;
    const std::optional<WallTime> time = TimeOf(entry->path().string());
    if (!time || now - *time < std::max(ttl_, kForgotten)) continue;
    ::unlink(entry->path().c_str());
    folders.insert(entry->path().parent_path());
  }
  // Only folders that are empty are removed.
  for (const fs::path& folder : folders) {
    if (::rmdir(folder.c_str()) == 0) ::rmdir(folder.parent_path().c_str());
  }
}

std::optional<DiscoveryFiles::Document> DiscoveryFiles::LoadDocument(std::string_view path) const {
  const Result<std::string> text = base::ReadRegularFile(PathOfDocument(path), kLargestFile);
  if (!text) return std::nullopt;
  const std::string_view all(*text);
  const std::size_t sum = all.find('\n');
  if (sum == std::string_view::npos) return std::nullopt;
  const std::string_view rest = all.substr(sum + 1);
  const std::size_t tag = rest.find('\n');
  if (tag == std::string_view::npos || Sha256(rest) != all.substr(0, sum)) return std::nullopt;
  return Document{std::string(rest.substr(0, tag)), std::string(rest.substr(tag + 1))};
}

Result<void> DiscoveryFiles::StoreDocument(std::string_view path, const Document& document,
                                           WallTime now) const {
  if (document.tag.find('\n') != std::string::npos) return {};
  const std::string rest = document.tag + "\n" + document.body;
  return Replace(PathOfDocument(path), Sha256(rest) + "\n" + rest, now);
}

void DiscoveryFiles::KeepDocuments(const OpenApiPaths& paths, WallTime now) const {
  namespace fs = std::filesystem;
  std::set<std::string> kept{PathOfDocument("")};
  for (const auto& [path, place] : paths) kept.insert(PathOfDocument(path));
  std::error_code failure;
  std::size_t seen = 0;
  for (fs::directory_iterator entry(folder_ + "/openapi/v3", failure), end;
       !failure && entry != end; entry.increment(failure)) {
    if (++seen > kMostSwept) break;
    // Temporary names have an extension; they stay if a process ends in the middle of writing.
    const std::string name = entry->path().string();
    const bool temporary = entry->path().has_extension();
    const std::optional<WallTime> time = TimeOf(name);
    if (temporary && time && now - *time < kForgotten) continue;
    if (!kept.contains(name)) ::unlink(name.c_str());
  }
}

}  // namespace kinformer::internal::client
