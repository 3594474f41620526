#include "cache/watch/collection_version.h"

#include <utility>

#include "cache/store/resource_version.h"

namespace kinformer::internal::cache {
namespace {

constexpr std::int64_t kDefaultPageSize = 500;

}  // namespace

bool CollectionVersion::Listed(std::string_view resourceVersion) {
  unavailable_ = false;
  const bool went_back = !std::exchange(epoch_begun_, false) && IsNewerThan(resourceVersion);
  last_ = resourceVersion;
  return went_back;
}

bool CollectionVersion::IsNewerThan(std::string_view resourceVersion) const {
  return IsOlderResourceVersion(resourceVersion, last_);
}

std::string CollectionVersion::ListFrom() const {
  if (unavailable_) return "";
  return last_.empty() ? "0" : last_;
}

std::int64_t CollectionVersion::PageSize() const {
  if (page_size_ != 0) return page_size_;
  if (no_watch_cache_ || unavailable_ || last_.empty()) return kDefaultPageSize;
  // With a limit the server would read from etcd rather than from its watch cache.
  return last_ == "0" ? kDefaultPageSize : 0;
}

}  // namespace kinformer::internal::cache
