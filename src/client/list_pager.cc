#include "client/list_pager.h"

#include <utility>

namespace kinformer::internal::client {

bool ListPager::Took(const ListMeta& page) {
  if (resource_version_.empty()) resource_version_ = page.resourceVersion;
  if (page.continue_.empty()) return false;
  paginated_ = true;
  request_ = options_;
  request_.resourceVersion.clear();
  request_.resourceVersionMatch.clear();
  if (in_one_piece_) request_.limit = 0;
  request_.continue_ = page.continue_;
  return true;
}

bool ListPager::StartsOver(const Error& error) {
  const bool expired = IsResourceExpired(error) || IsGone(error);
  if (!expired || !paginated_ || in_one_piece_) return false;
  in_one_piece_ = true;
  resource_version_.clear();
  request_ = options_;
  request_.limit = 0;
  request_.continue_.clear();
  return true;
}

}  // namespace kinformer::internal::client
