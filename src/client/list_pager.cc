#include "client/list_pager.h"

#include <iterator>
#include <utility>

namespace kinformer::internal::client {

Result<bool> ListPager::Took(const ListMeta& page) {
  if (resource_version_.empty()) resource_version_ = page.resourceVersion;
  if (page.continue_.empty()) return false;
  if (Result<void> next = tokens_.Next(page.continue_); !next) return std::move(next).error();
  paginated_ = true;
  request_.resourceVersion.clear();
  request_.resourceVersionMatch.clear();
  request_.continue_ = page.continue_;
  return true;
}

bool ListPager::StartsOver(const Error& error) {
  const bool expired = IsResourceExpired(error) || IsGone(error);
  if (!expired || !paginated_ || in_one_piece_ || !full_list_if_expired_) return false;
  in_one_piece_ = true;
  resource_version_.clear();
  tokens_ = {};
  request_ = options_;
  request_.limit = 0;
  request_.continue_.clear();
  return true;
}

void AppendPage(ListedObjects page, ListedObjects& all) {
  all.unreadable += page.unreadable;
  if (all.items.empty()) {
    all.items = std::move(page.items);
    return;
  }
  all.items.insert(all.items.end(), std::make_move_iterator(page.items.begin()),
                   std::make_move_iterator(page.items.end()));
}

}  // namespace kinformer::internal::client
