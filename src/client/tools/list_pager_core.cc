#include "kinformer/internal/list_pager_core.h"

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "base/core/user_call.h"
#include "base/core/would_deadlock.h"
#include "client/list_pager.h"
#include "client/patience.h"

namespace kinformer::internal {
namespace {

Error OnLoop(Env& env) {
  return base::WouldDeadlock(
      env,
      "taking a list in pages on an event loop's thread: do it from a handler, a worker "
      "or main");
}

// Returns the options of the thread's requests, which it ends itself.
CallOptions OptionsOf(const CallOptions& call, std::stop_token stop) {
  CallOptions options = call;
  options.stop = std::move(stop);
  return options;
}

}  // namespace

// A thread that fetches pages, and the queue of fetched pages.
class ListPagerCore::Fetcher {
 public:
  Fetcher(const ListPagerCore& pager, ListOptions options, const CallOptions& call)
      : pager_(pager),
        pages_(std::move(options)),
        patience_(pager.env_, OptionsOf(call, stopping_.get_token()), "the list"),
        stop_(call.stop),
        on_stop_(call.stop, [this] { Stop(); }),
        thread_(pager.env_.NewThread("list-pager", [this] { Run(); })) {}
  ~Fetcher() {
    Stop();
    thread_->Join();
  }
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  // Waits for the next page. Returns empty at the end.
  Result<std::optional<ListedObjects>> Next() {
    MonitorLock lock(*monitor_);
    wanted_ = true;
    monitor_->NotifyAll();
    while (fetched_.empty() && !ended_ && !stop_.stop_requested()) lock.Wait();
    wanted_ = false;
    if (fetched_.empty() && error_) return *error_;
    if (fetched_.empty() && complete_) return std::optional<ListedObjects>();
    if (stop_.stop_requested()) {
      return Error(Reason::kCanceled, "the caller has stopped the list");
    }
    std::optional<ListedObjects> page = std::move(fetched_.front());
    fetched_.pop_front();
    monitor_->NotifyAll();
    return page;
  }

 private:
  void Stop() {
    stopping_.request_stop();
    const MonitorLock lock(*monitor_);
    monitor_->NotifyAll();
  }

  void Run() {
    bool more = true;
    while (more) {
      Result<ListedObjects> page = Fetch();
      if (page) {
        const Result<bool> took = pages_.Took(page->metadata);
        if (!took.ok()) page = took.error();
        more = took.ok() && *took;
      }
      MonitorLock lock(*monitor_);
      if (!page) {
        error_ = std::move(page).error();
        break;
      }
      while (!HasRoomLocked() && !stopping_.stop_requested()) lock.Wait();
      if (stopping_.stop_requested()) break;
      fetched_.push_back(*std::move(page));
      complete_ = !more;
      monitor_->NotifyAll();
    }
    const MonitorLock lock(*monitor_);
    ended_ = true;
    monitor_->NotifyAll();
  }

  Result<ListedObjects> Fetch() {
    Result<CallOptions> left = patience_.Left();
    if (!left) return std::move(left).error();
    Result<ListedObjects> page = ListedObjects();
    const Result<void> called =
        base::CallUser(pager_.env_, "the function that asks for a page",
                       [&] { page = pager_.page_(pages_.request(), *left); });
    if (!called) return called.error();
    return page;
  }

  // A page that is waited for needs none.
  [[nodiscard]] bool HasRoomLocked() const {
    return fetched_.size() < pager_.options_.page_buffer_size || (wanted_ && fetched_.empty());
  }

  const ListPagerCore& pager_;
  client::ListPager pages_;  // of the thread
  std::stop_source stopping_;
  const client::Patience patience_;
  const std::stop_token stop_;  // the caller's
  const std::unique_ptr<Monitor> monitor_ = pager_.env_.NewMonitor();
  // Under the monitor's lock.
  std::deque<ListedObjects> fetched_;
  std::optional<Error> error_;
  bool complete_ = false;  // the last page has been fetched
  bool ended_ = false;     // complete, failed or stopped: no further page comes
  bool wanted_ = false;

  const std::stop_callback<std::function<void()>> on_stop_;
  const std::unique_ptr<Thread> thread_;
};

ListPagerCore::ListPagerCore(Env& env, PageFunc page, ListPagerOptions options)
    : env_(env), page_(std::move(page)), options_(options) {}

ListOptions ListPagerCore::WithLimit(ListOptions options) const {
  if (options.limit == 0) options.limit = options_.page_size;
  return options;
}

Result<PagedObjects> ListPagerCore::List(ListOptions options, const CallOptions& call) const {
  if (env_.OnLoopThread()) return OnLoop(env_);
  const client::Patience patience(env_, call, "the list");
  client::ListPager pages(WithLimit(std::move(options)), options_.full_list_if_expired);
  PagedObjects all;
  bool more = true;
  while (more) {
    const Result<CallOptions> left = patience.Left();
    if (!left) return left.error();
    Result<ListedObjects> page = page_(pages.request(), *left);
    if (page) {
      const Result<bool> took = pages.Took(page->metadata);
      if (!took.ok()) return took.error();
      more = *took;
      client::AppendPage(*std::move(page), all.objects);
    } else {
      if (!pages.StartsOver(page.error())) return std::move(page).error();
      all.objects = ListedObjects();
    }
  }
  all.objects.metadata.resourceVersion = pages.resourceVersion();
  all.paginated = pages.paginated();
  return all;
}

Result<void> ListPagerCore::EachListItem(
    ListOptions options, const CallOptions& call,
    const std::function<Result<void>(const ObjectRef&)>& visit) const {
  if (env_.OnLoopThread()) return OnLoop(env_);
  Fetcher fetcher(*this, WithLimit(std::move(options)), call);
  for (;;) {
    const Result<std::optional<ListedObjects>> page = fetcher.Next();
    if (!page) return page.error();
    if (!*page) return {};
    for (const ObjectRef& object : (*page)->items) {
      if (Result<void> visited = visit(object); !visited) return visited;
    }
  }
}

}  // namespace kinformer::internal
