#include "transport/curl_handle.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kinformer::internal::transport {
namespace {

// Limit of one transport. A handle takes about 8 KB.
constexpr std::size_t kMost = 16;

}  // namespace

CurlHandle CurlHandles::Take(ConnectionPool pool, const std::shared_ptr<const TlsMaterial>& tls) {
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const CurlHandle& handle) {
    return handle.pool == pool && handle.tls == tls;
  });
  if (found == kept_.rend()) return {};
  CurlHandle taken = std::move(*found);
  kept_.erase(std::prev(found.base()));
  return taken;
}

void CurlHandles::Keep(CurlHandle handle) {
  // It is a member of the exchange.
  curl_easy_setopt(handle.easy.get(), CURLOPT_ERRORBUFFER, nullptr);
  // Handles with replaced certificates are never taken again, and are the oldest ones.
  if (kept_.size() >= kMost) kept_.erase(kept_.begin());
  kept_.push_back(std::move(handle));
}

}  // namespace kinformer::internal::transport
