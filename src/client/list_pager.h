// client/list_pager.h
//
// ListPager: which request comes next while a list is taken in pages, and what becomes of it when
// its pages outlive the server's snapshot.
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

#include "kinformer/error.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/list_options.h"
#include "kinformer/list_watch.h"

#include "client/page_tokens.h"

namespace kinformer::internal::client {

// Thread-compatible. Counterpart: client-go tools/pager.
class ListPager {
 public:
  // `options`: of the first page, its limit the size of all of them. `full_list_if_expired`: pages
  // that outlive their snapshot are given up for one full list.
  explicit ListPager(ListOptions options, bool full_list_if_expired = true)
      : options_(options),
        request_(std::move(options)),
        full_list_if_expired_(full_list_if_expired) {}

  // What to ask for next.
  [[nodiscard]] const ListOptions& request() const { return request_; }
  // The page that was asked for has come. Whether there is another one; an error where the list
  // goes in a circle.
  Result<bool> Took(const ListMeta& page);
  // The request has failed. Whether all is to be asked for once more, in one piece: pages of
  // different times do not make a list. What has come is of no use then.
  bool StartsOver(const Error& error);

  // Of the whole list: the first page's. REQUIRES: Took has been called.
  [[nodiscard]] const std::string& resourceVersion() const { return resource_version_; }
  // Whether there was more than one page.
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

// Adds the objects of one page to those of the pages before. The metadata of `all` stays.
void AppendPage(ListedObjects page, ListedObjects& all);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIST_PAGER_H_
