// client/list_pager.h
//
// ListPager: determines the next request of a list in pages, and the way to continue when the
// server's snapshot expires.
//
//   ListPager pager(options);
//   for (bool more = true; more;) {
//     Result<ListedObjects> page = ListPage(pager.request());
//     if (page) {
//       const Result<bool> took = pager.Took(page->metadata);
//       if (!took.ok()) return took.error();
//       more = *took;
//       AppendPage(*std::move(page), all);
//     } else {
//       if (!pager.StartsOver(page.error())) return page.error();
//       all = {};
//     }
//   }

#ifndef KINFORMER_CLIENT_LIST_PAGER_H_
#define KINFORMER_CLIENT_LIST_PAGER_H_

#include <string>

#include "kinformer/base/error.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/resource_core.h"

#include "client/page_tokens.h"

namespace kinformer::internal::client {

// Thread-compatible. Counterpart: client-go tools/pager.
class ListPager {
 public:
  // `options`: of the first page; their limit applies to every page. `full_list_if_expired`:
  // restarts with one full list if the snapshot expires between pages.
  explicit ListPager(ListOptions options, bool full_list_if_expired = true)
      : options_(options),
        request_(std::move(options)),
        full_list_if_expired_(full_list_if_expired) {}

  // Options of the next request.
  [[nodiscard]] const ListOptions& request() const { return request_; }
  // Records the page received. Returns whether another one follows, or an error if the continue
  // tokens repeat.
  Result<bool> Took(const ListMeta& page);
  // Records a failed request. Returns true if the whole list must be requested again, in one piece,
  // since pages of different versions make no list; all pages received must be dropped.
  bool StartsOver(const Error& error);

  // resourceVersion of the whole list: the first page's. REQUIRES: Took has been called.
  [[nodiscard]] const std::string& resourceVersion() const { return resource_version_; }
  // Returns whether there was more than one page.
  [[nodiscard]] bool paginated() const { return paginated_; }

 private:
  const ListOptions options_;
  ListOptions request_;
  const bool full_list_if_expired_;
  PageTokens tokens_;
  std::string resource_version_;
  bool paginated_ = false;
  bool in_one_piece_ = false;
};

// Appends the objects of a page to those of earlier pages. Keeps the metadata of `all`.
void AppendPage(ListedObjects page, ListedObjects& all);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIST_PAGER_H_
