// kinformer/list_pager.h
//
// ListPager: takes a list in pages, so that neither the server nor the program has all of a large
// collection in hand at once.
//
//   ListPager<corev1::Pod> pager(client.For<corev1::Pod>("default"), {.page_size = 100});
//   pager.EachListItem({}, [](const Ref<corev1::Pod>& pod) -> Result<void> {
//     std::cout << pod->metadata().name() << '\n';
//     return {};
//   }).OrExit();
//
// To follow a collection, use an informer.

#ifndef KINFORMER_LIST_PAGER_H_
#define KINFORMER_LIST_PAGER_H_

#include <functional>
#include <utility>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/list_pager_core.h"
#include "kinformer/list_options.h"
#include "kinformer/ref.h"
#include "kinformer/request_options.h"
#include "kinformer/resource.h"
#include "kinformer/resource_client.h"
#include "kinformer/result.h"

namespace kinformer {

// Asks for one page. Called on the thread that calls the pager, or, from EachListItem, on one of
// the pager's; what it throws there is logged and ends the list with an error. Counterpart:
// pager.ListPageFunc.
template <ObjectView T>
using ListPageFunc =
    std::function<Result<ObjectList<T>>(const ListOptions& options, const CallOptions& call)>;

// A list, and whether it took more than one page to get it.
template <ObjectView T>
struct PagedList {
  ObjectList<T> list;
  bool paginated = false;
};

// Every page after the first is asked for with the token of the one before it, and without the
// resourceVersion and its match rule, which a server refuses beside a token.
//
// Thread-safe. Both methods block until all has come, and return kWouldDeadlock on a loop's thread.
// `env`, or the client's, must outlive it. CallOptions are for all pages together: `stop` is looked
// at before each (kCanceled), `timeout` counts from the call on (kDeadlineExceeded).
// Counterpart: pager.ListPager.
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

  // All of the list, under the first page's resourceVersion. kExpired, where full_list_if_expired
  // is off, or the first page or the full list itself had expired.
  Result<PagedList<T>> List(const ListOptions& options = {}, const CallOptions& call = {}) const {
    Result<internal::PagedObjects> listed = core_.List(options, call);
    if (!listed) return std::move(listed).error();
    return PagedList<T>{ObjectList<T>(std::move(listed->objects)), listed->paginated};
  }

  // Calls `visit` on the calling thread for each object in the server's order, while further pages
  // are on their way. An error from it ends the list and is returned; so does what it throws, which
  // is thrown on. An error of the server comes after the objects that came before it: kExpired
  // where going through the pages took longer than the server remembers. A page that has been begun
  // is gone through in spite of `call.stop`.
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

#endif  // KINFORMER_LIST_PAGER_H_
