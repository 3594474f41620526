// client/list_pager.h
//
// ListPager: which request comes next while a list is taken in pages, and what becomes of it when
// its pages outlive the server's snapshot.
//
//   ListPager pager(options);
//   for (bool more = true; more;) {
//     const Result<ListMeta> page = List(pager.request(), items);
//     if (!page && !pager.StartsOver(page.error())) return page.error();
//     if (!page) items.clear();
//     more = !page || pager.Took(*page);
//   }

#ifndef KINFORMER_CLIENT_LIST_PAGER_H_
#define KINFORMER_CLIENT_LIST_PAGER_H_

#include <string>

#include "kinformer/error.h"
#include "kinformer/list_options.h"
#include "kinformer/list_watch.h"

namespace kinformer::internal::client {

// Thread-compatible. Counterpart: client-go tools/pager, with FullListIfExpired.
class ListPager {
 public:
  // `options`: of the first page, its limit the size of all of them.
  explicit ListPager(ListOptions options) : options_(options), request_(std::move(options)) {}

  // What to ask for next.
  [[nodiscard]] const ListOptions& request() const { return request_; }
  // The page that was asked for has come. Whether there is another one.
  bool Took(const ListMeta& page);
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
  std::string resource_version_;
  bool paginated_ = false;
  bool in_one_piece_ = false;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIST_PAGER_H_
