// OpenAPI v3 documents: the list of paths by its ETag, the documents by the hashes in their URLs.

#include <optional>
#include <utility>

#include "client/discovery_tasks.h"
#include "client/off_loop_call.h"

namespace kinformer::internal::client {
namespace {

// Limit of the documents in memory; those of a large cluster have about 10 MiB.
constexpr std::size_t kMostSchemaBytes = std::size_t{64} << 20;
constexpr std::string_view kPathsTarget = "/openapi/v3";

using Schema = std::shared_ptr<const std::string>;
using Document = std::optional<DiscoveryFiles::Document>;

Task<Result<Document>> LoadDocument(Discovery discovery, std::string path, std::stop_token stop) {
  if (discovery.cache->files == nullptr) co_return Document();
  std::function<Document()> work = [cache = discovery.cache, path = std::move(path)] {
    return cache->files->LoadDocument(path);
  };
  Result<Document> read =
      co_await OffLoop<Document>(discovery.core->env(), std::move(stop), std::move(work));
  co_return read;
}

Task<Result<void>> StoreDocument(Discovery discovery, std::string path,
                                 DiscoveryFiles::Document document,
                                 std::shared_ptr<const OpenApiPaths> keep, std::stop_token stop) {
  if (discovery.cache->files == nullptr || document.tag.empty()) co_return Result<void>();
  const WallTime now = discovery.core->env().WallNow();
  std::function<Result<void>()> work = [cache = discovery.cache, path = std::move(path),
                                        document = std::move(document), keep = std::move(keep),
                                        now] {
    if (keep != nullptr) cache->files->KeepDocuments(*keep, now);
    return cache->files->StoreDocument(path, document, now);
  };
  Result<Result<void>> stored =
      co_await OffLoop<Result<void>>(discovery.core->env(), std::move(stop), std::move(work));
  if (stored && !*stored) {
    discovery.core->env().log().Log(LogLevel::kInfo, "discovery is not kept in files",
                                    {{"reason", stored->error().message()}});
  }
  co_return Result<void>();
}

// The list of paths with the ETag that it had.
struct Tagged {
  std::string etag{};
  std::shared_ptr<const OpenApiPaths> paths{};
};

Task<Result<Tagged>> EarlierPaths(Discovery discovery, std::stop_token stop) {
  Tagged out;
  {
    const std::lock_guard<std::mutex> lock(discovery.cache->mutex);
    out.etag = discovery.cache->paths_etag;
    out.paths = discovery.cache->tagged_paths;
  }
  if (out.paths != nullptr) co_return out;
  const std::string none;
  Result<Document> file = co_await LoadDocument(std::move(discovery), none, std::move(stop));
  if (!file) co_return std::move(file).error();
  if (!*file) co_return out;
  const Result<json::Value> document = json::Parse((*file)->body);
  if (!document) co_return out;
  Result<OpenApiPaths> paths = ReadOpenApiPaths(*document);
  if (!paths) co_return out;
  out.etag = (*file)->tag;
  out.paths = std::make_shared<const OpenApiPaths>(*std::move(paths));
  co_return out;
}

struct KnownPaths {
  std::shared_ptr<const OpenApiPaths> paths{};
  bool fetched = false;  // by this call
};

Task<Result<KnownPaths>> FindPaths(Discovery discovery, CallOptions call, bool again) {
  KnownPaths out;
  std::uint64_t epoch = 0;
  {
    const std::lock_guard<std::mutex> lock(discovery.cache->mutex);
    out.paths = discovery.cache->paths;
    epoch = discovery.cache->epoch;
  }
  if (out.paths != nullptr && !again) co_return out;
  Result<Tagged> earlier = co_await EarlierPaths(discovery, call.stop);
  if (!earlier) co_return std::move(earlier).error();
  const std::string etag = earlier->paths == nullptr ? std::string() : earlier->etag;
  const std::string target(kPathsTarget);
  const std::string accept(kJsonMediaType);
  Result<Fetched> fetched = co_await GetJson(discovery.core, target, accept, etag, call);
  if (!fetched && IsNotFound(fetched.error())) {
    co_return Error(Reason::kNotFound, discovery.core->engine()->Describe() +
                                           " has no OpenAPI v3 documents under /openapi/v3");
  }
  if (!fetched) co_return std::move(fetched).error();
  out.fetched = true;
  out.paths = earlier->paths;
  if (!fetched->not_modified) {
    Result<OpenApiPaths> paths = ReadOpenApiPaths(fetched->document);
    if (!paths) co_return std::move(paths).error();
    out.paths = std::make_shared<const OpenApiPaths>(*std::move(paths));
  }
  {
    const std::lock_guard<std::mutex> lock(discovery.cache->mutex);
    if (discovery.cache->epoch == epoch) discovery.cache->paths = out.paths;
    discovery.cache->paths_etag = fetched->not_modified ? etag : fetched->etag;
    discovery.cache->tagged_paths = discovery.cache->paths_etag.empty() ? nullptr : out.paths;
  }
  if (!fetched->not_modified) {
    DiscoveryFiles::Document document;
    document.tag = std::move(fetched->etag);
    document.body = std::move(fetched->body);
    const std::string none;
    (void)co_await StoreDocument(discovery, none, std::move(document), out.paths, call.stop);
  }
  co_return out;
}

void KeepSchema(DiscoveryCache& cache, const std::string& url, const Schema& schema) {
  const std::lock_guard<std::mutex> lock(cache.mutex);
  if (schema->size() > kMostSchemaBytes) return;
  if (cache.schema_bytes + schema->size() > kMostSchemaBytes) {
    cache.schemas.clear();
    cache.schema_bytes = 0;
  }
  if (cache.schemas.emplace(url, schema).second) cache.schema_bytes += schema->size();
}

Schema SchemaInMemory(DiscoveryCache& cache, const std::string& url) {
  const std::lock_guard<std::mutex> lock(cache.mutex);
  const auto found = cache.schemas.find(url);
  return found == cache.schemas.end() ? nullptr : found->second;
}

// Returns a document that has this hash, or asks for one that has none.
Task<Result<Schema>> FindSchema(Discovery discovery, std::string path, OpenApiV3Path place,
                                CallOptions call) {
  const std::string url = place.serverRelativeURL;
  const bool hashed = !place.hash.empty();
  if (hashed) {
    if (Schema known = SchemaInMemory(*discovery.cache, url)) co_return known;
    Result<Document> file = co_await LoadDocument(discovery, path, call.stop);
    if (!file) co_return std::move(file).error();
    if (*file && (*file)->tag == url) {
      Schema known = std::make_shared<const std::string>(std::move((*file)->body));
      KeepSchema(*discovery.cache, url, known);
      co_return known;
    }
  }
  const std::string accept(kJsonMediaType);
  const std::string none;
  Result<Fetched> fetched = co_await GetJson(discovery.core, url, accept, none, call);
  if (!fetched) co_return std::move(fetched).error();
  Schema schema = std::make_shared<const std::string>(std::move(fetched->body));
  if (!hashed) co_return schema;
  KeepSchema(*discovery.cache, url, schema);
  DiscoveryFiles::Document document;
  document.tag = url;
  document.body = *schema;
  (void)co_await StoreDocument(discovery, std::move(path), std::move(document), nullptr, call.stop);
  co_return schema;
}

// A document that has changed since the list of paths: gone, or elsewhere.
bool HasMoved(const Error& error) {
  return IsNotFound(error) || (error.http_status() >= 300 && error.http_status() < 400);
}

}  // namespace

Task<Result<OpenApiPaths>> FindOpenApiPaths(Discovery discovery, CallOptions call) {
  const Result<KnownPaths> known =
      co_await FindPaths(std::move(discovery), std::move(call), /*again=*/false);
  if (!known) co_return known.error();
  co_return *known->paths;
}

Task<Result<Schema>> FindOpenApiSchema(Discovery discovery, std::string path, CallOptions call) {
  for (bool again = false;; again = true) {
    const Result<KnownPaths> known = co_await FindPaths(discovery, call, again);
    if (!known) co_return known.error();
    const auto found = known->paths->find(path);
    if (found != known->paths->end()) {
      const OpenApiV3Path place = found->second;
      Result<Schema> schema = co_await FindSchema(discovery, path, place, call);
      if (schema || known->fetched || !HasMoved(schema.error())) co_return schema;
    } else if (known->fetched) {
      co_return Error(Reason::kNotFound, "the server has no OpenAPI v3 document \"" + path + "\"");
    }
  }
}

}  // namespace kinformer::internal::client
