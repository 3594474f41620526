// kinformer/internal/list_pager_core.h
//
// ListPagerCore: untyped half of ListPager.

#ifndef KINFORMER_INTERNAL_LIST_PAGER_CORE_H_
#define KINFORMER_INTERNAL_LIST_PAGER_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/resource_core.h"

namespace kinformer {

// Options of a ListPager. Counterpart: the fields of pager.ListPager.
struct ListPagerOptions {
  std::int64_t page_size{500};  // objects; default of ListOptions::limit
  // List: replaces pages by one full list if their version expires on the server.
  bool full_list_if_expired{true};
  // EachListItem: pages kept while one is visited. One more is being fetched.
  std::size_t page_buffer_size{10};
};

namespace internal {

struct PagedObjects {
  ListedObjects objects{};
  bool paginated = false;
};

// Thread-safe.
class ListPagerCore {
 public:
  using PageFunc = std::function<Result<ListedObjects>(const ListOptions&, const CallOptions&)>;

  ListPagerCore(Env& env, PageFunc page, ListPagerOptions options);

  Result<PagedObjects> List(ListOptions options, const CallOptions& call) const;
  Result<void> EachListItem(ListOptions options, const CallOptions& call,
                            const std::function<Result<void>(const ObjectRef&)>& visit) const;

 private:
  class Fetcher;

  [[nodiscard]] ListOptions WithLimit(ListOptions options) const;

  Env& env_;
  const PageFunc page_;
  const ListPagerOptions options_;
};

}  // namespace internal
}  // namespace kinformer

#endif  // KINFORMER_INTERNAL_LIST_PAGER_CORE_H_
