// client/discovery_files.h
//
// DiscoveryFiles: what a server said, in files that processes share: kubectl's names and content,
// and OpenAPI documents with a checksum. All functions block, on the disk.

#ifndef KINFORMER_CLIENT_DISCOVERY_FILES_H_
#define KINFORMER_CLIENT_DISCOVERY_FILES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

#include "client/discovery_documents.h"

namespace kinformer::internal::client {

// Files are replaced as a whole, and a file that is damaged, too old or too large counts as absent.
// Thread-safe.
class DiscoveryFiles {
 public:
  // `server`: its URL.
  DiscoveryFiles(const std::string& directory, std::string_view server, Duration ttl);

  struct Loaded {
    ApiGroupVersions groups{};
    std::vector<std::size_t> missing{};  // positions in `groups` of those without a file
    WallTime written{};                  // when the oldest file was
  };
  // Returns nullopt if the groups are unknown.
  [[nodiscard]] std::optional<Loaded> Load(WallTime now) const;
  // Writes the list of groups, and the resources of each version that is known; removes files that
  // nobody has renewed for a day or longer.
  Result<void> Store(const ApiGroupVersions& groups, WallTime now) const;
  // Writes the resources of one version.
  Result<void> StoreVersion(const ApiGroupVersion& version, WallTime now) const;

  struct Document {
    std::string tag{};  // the URL with its hash, or an ETag
    std::string body{};
  };
  // OpenAPI documents by path, "" for the list of paths. Documents have no age: the tag decides.
  [[nodiscard]] std::optional<Document> LoadDocument(std::string_view path) const;
  Result<void> StoreDocument(std::string_view path, const Document& document, WallTime now) const;
  // Removes the documents of all other paths.
  void KeepDocuments(const OpenApiPaths& paths, WallTime now) const;

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] Duration ttl() const { return ttl_; }

 private:
  [[nodiscard]] std::string PathOf(const ApiGroupVersion& version) const;
  [[nodiscard]] std::string PathOfDocument(std::string_view path) const;
  void Sweep(WallTime now) const;

  const std::string folder_;  // of the server
  const Duration ttl_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_DISCOVERY_FILES_H_
