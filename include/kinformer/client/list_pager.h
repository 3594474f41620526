// kinformer/client/list_pager.h
//
// ListPager: reads a list in pages, so that neither the server nor the program has to hold all of a
// large collection at once.
//
//   ListPager<corev1::Pod> pager(client.For<corev1::Pod>("default"), {.page_size = 100});
//   pager.EachListItem({}, [](const Ref<corev1::Pod>& pod) -> Result<void> {
//     std::cout << pod->metadata().name() << '\n';
//     return {};
//   }).OrExit();
//
// To follow a collection, use an informer.

#ifndef KINFORMER_CLIENT_LIST_PAGER_H_
#define KINFORMER_CLIENT_LIST_PAGER_H_

#include <functional>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/list_pager_core.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Requests one page. Called on the thread that calls the pager, or, by EachListItem, on one of the
// pager's; exceptions there are logged and end the list with an error. Counterpart:
// pager.ListPageFunc.
template <ObjectView T>
using ListPageFunc =
    std::function<Result<ObjectList<T>>(const ListOptions& options, const CallOptions& call)>;

// A list, and whether it took more than one page.
template <ObjectView T>
struct PagedList {
  ObjectList<T> list;
  bool paginated = false;
};

// Requests each page after the first with the token of the one before, and without resourceVersion
// and match rule, which a server rejects together with a token.
//
// Thread-safe. Both methods block until the end, and return kWouldDeadlock on a loop's thread.
// `env`, or the client's, must outlive it. CallOptions are for all pages together: `stop` is
// checked before each (kCanceled), `timeout` starts with the call (kDeadlineExceeded). Counterpart:
// pager.ListPager.
template <ObjectView T>
class ListPager {
 public:
  explicit ListPager(const ResourceClient<T>& client, ListPagerOptions options = {})
      : ListPager(
            client.env(),
            [client](const ListOptions& o, const CallOptions& call) {
              return client.ListPage(o, call);
            },
            options) {}
  ListPager(Env& env, ListPageFunc<T> page, ListPagerOptions options = {})
      : core_(
            env,
            [page = std::move(page)](const ListOptions& o,
                                     const CallOptions& call) -> Result<internal::ListedObjects> {
              Result<ObjectList<T>> listed = page(o, call);
              if (!listed) return std::move(listed).error();
              return (*std::move(listed)).TakeObjects();
            },
            options) {}

  // Returns the whole list, with the first page's resourceVersion. kExpired: a page expired and
  // full_list_if_expired is off, or the first page or the full list itself had expired.
  Result<PagedList<T>> List(const ListOptions& options = {}, const CallOptions& call = {}) const {
    Result<internal::PagedObjects> listed = core_.List(options, call);
    if (!listed) return std::move(listed).error();
    return PagedList<T>{ObjectList<T>(std::move(listed->objects)), listed->paginated};
  }

  // Calls `visit` on the calling thread for each object in the server's order, while further pages
  // are being fetched. An error from it ends the list and is returned; an exception ends the list
  // and passes through. An error of the server is returned after the objects received before it:
  // kExpired if visiting took longer than the server keeps the version. A page that was begun is
  // completed in spite of `call.stop`.
  Result<void> EachListItem(const ListOptions& options,
                            const std::function<Result<void>(const Ref<T>&)>& visit,
                            const CallOptions& call = {}) const {
    return core_.EachListItem(options, call, [&visit](const internal::ObjectRef& object) {
      return visit(Ref<T>(object));
    });
  }

 private:
  internal::ListPagerCore core_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_LIST_PAGER_H_
