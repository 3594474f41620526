// kinformer/controller/source.h
//
// Source: origin of a controller's requests.
//
//   auto by_watch = source::Kind<corev1::Pod>(
//       factory, handler::EnqueueRequestForObject<corev1::Pod>());
//   auto by_clock = source::Ticker(env, std::chrono::hours(1), Request{"", "everything"});
//
// For events from other parts of the program: event_channel.h. Counterpart: controller-runtime's
// package source.

#ifndef KINFORMER_CONTROLLER_SOURCE_H_
#define KINFORMER_CONTROLLER_SOURCE_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/controller/handler.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/controller/request_queue.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/own_events.h"
#include "kinformer/object/object_meta.h"

namespace kinformer::source {

// Interface of all sources, whatever their requests. Methods are called one at a time, except
// ProgressAge.
class AnySource {
 public:
  virtual ~AnySource() = default;
  // Blocks until the requests for the initial state have been added. Fails if that cannot happen,
  // if `timeout` has passed (kDeadlineExceeded), or if `stop` is requested (kCanceled).
  virtual Result<void> WaitForSync(const std::stop_token& stop, Duration timeout) {
    static_cast<void>(stop);
    static_cast<void>(timeout);
    return {};
  }
  // Stops the source: after it has returned, nothing is added to the queue. Waits for a running
  // handler. Called once, also after a failed Start.
  virtual void Stop() = 0;
  // Returns "pods", for messages.
  [[nodiscard]] virtual std::string Describe() const = 0;
  // Returns the time since its data was last confirmed to be complete. Empty: it has no cache, or
  // the cache has not been filled yet. Thread-safe.
  [[nodiscard]] virtual std::optional<Duration> ProgressAge() const { return {}; }
};

// A source of requests of type R. Belongs to one controller. Counterpart: source.TypedSource.
template <class R>
class TypedSource : public AnySource {
 public:
  // Begins to add requests to the queue, which exists until Stop. Called once. Should return soon;
  // otherwise it must return when `stop` is requested: the controller ends, or another of its
  // sources did not start or sync. Work that continues afterwards may check `stop` too.
  virtual Result<void> Start(const std::stop_token& stop, const RequestQueue<R>& queue) = 0;
};
// A source of requests that name an object.
using Source = TypedSource<Request>;

// ---- Events of a watch

// Returns the informer to use; called when the source starts.
template <class T>
using InformerProvider = std::function<SharedInformer<T>()>;

namespace internal {

// Passes an informer's events to a controller's handler.
template <class T, class R>
class Adapter final : public ResourceEventHandler<T> {
 public:
  Adapter(std::shared_ptr<handler::EventHandler<T, R>> handler, predicate::Predicate<T> accepts,
          RequestQueue<R> queue)
      : handler_(std::move(handler)), accepts_(std::move(accepts)), queue_(queue) {}

  void OnAdd(const Added<T>& event) override {
    if (!accepts_.Create(event)) return;
    const kinformer::internal::HandledEvent handled(
        event.is_in_initial_list ? CauseType::kInitialList : CauseType::kAdded, nullptr,
        kinformer::internal::BlockOfView(event.object));
    handler_->Create(event, event.is_in_initial_list ? queue_.WithUsual(kLowPriority) : queue_);
  }
  void OnUpdate(const Updated<T>& event) override {
    if (!accepts_.Update(event)) return;
    const bool changed = event.old_object.metadata().resourceVersion() !=
                         event.new_object.metadata().resourceVersion();
    const kinformer::internal::HandledEvent handled(
        event.is_resync() ? CauseType::kResync : CauseType::kUpdated,
        kinformer::internal::BlockOfView(event.old_object),
        kinformer::internal::BlockOfView(event.new_object));
    if (!changed) return handler_->Update(event, queue_.WithUsual(kLowPriority));
    if (!queue_.FiltersOwnEvents()) return handler_->Update(event, queue_);
    const metav1::ObjectMeta before = event.old_object.metadata();
    const metav1::ObjectMeta now = event.new_object.metadata();
    if (before.uid() != now.uid()) return handler_->Update(event, queue_);
    handler_->Update(event, queue_.OfUpdate({.namespace_ = now.namespace_(),
                                             .name = now.name(),
                                             .uid = now.uid(),
                                             .from = before.resourceVersion(),
                                             .to = now.resourceVersion()}));
  }
  void OnDelete(const Deleted<T>& event) override {
    if (!accepts_.Delete(event)) return;
    const kinformer::internal::HandledEvent handled(CauseType::kDeleted, nullptr,
                                                    kinformer::internal::BlockOfView(event.object));
    handler_->Delete(event, queue_);
  }
  // Returns false with predicates: they are the program's functions and may be slow.
  [[nodiscard]] bool IsPrompt() const {
    return handler_->OnlyEnqueues() && !accepts_.create && !accepts_.update && !accepts_.delete_;
  }

 private:
  const std::shared_ptr<handler::EventHandler<T, R>> handler_;
  const predicate::Predicate<T> accepts_;
  const RequestQueue<R> queue_;
};

// Passes the events of an informer, of whatever kind, to a handler for Objects.
template <class R>
class KindSource final : public TypedSource<R> {
 public:
  using Provider = std::function<std::shared_ptr<kinformer::internal::InformerCore>()>;
  KindSource(std::string name, Provider provider,
             std::shared_ptr<handler::EventHandler<Object, R>> handler,
             predicate::Predicate<Object> accepts);
  ~KindSource() override;

  Result<void> Start(const std::stop_token& stop, const RequestQueue<R>& queue) override;
  Result<void> WaitForSync(const std::stop_token& stop, Duration timeout) override;
  void Stop() override;
  [[nodiscard]] std::string Describe() const override;
  [[nodiscard]] std::optional<Duration> ProgressAge() const override;

 private:
  using Informer = std::shared_ptr<kinformer::internal::InformerCore>;
  const std::string name_;
  const Provider provider_;
  const std::shared_ptr<handler::EventHandler<Object, R>> handler_;
  const predicate::Predicate<Object> accepts_;
  EventHandlerRegistration registration_;
  mutable std::mutex mutex_;
  Informer informer_;  // while it runs
};

template <class R>
KindSource<R>::KindSource(std::string name, Provider provider,
                          std::shared_ptr<handler::EventHandler<Object, R>> handler,
                          predicate::Predicate<Object> accepts)
    : name_(std::move(name)),
      provider_(std::move(provider)),
      handler_(std::move(handler)),
      accepts_(std::move(accepts)) {}
template <class R>
KindSource<R>::~KindSource() = default;
template <class R>
Result<void> KindSource<R>::Start(const std::stop_token& /*stop*/, const RequestQueue<R>& queue) {
  if (handler_ == nullptr) return Error(Reason::kInvalidArgument, name_ + ": no event handler");
  if (!provider_) return Error(Reason::kInvalidArgument, name_ + ": no informer");
  Informer informer = provider_();
  auto listener = informer->AddHandler(
      std::make_shared<kinformer::internal::HandlerAdapter<Object, Adapter<Object, R>>>(
          std::make_shared<Adapter<Object, R>>(handler_, accepts_, queue)),
      {.name = "controller"});
  if (!listener) return listener.error();
  informer->Start();
  registration_ = EventHandlerRegistration(std::move(*listener));
  const std::lock_guard lock(mutex_);
  informer_ = std::move(informer);
  return {};
}
template <class R>
Result<void> KindSource<R>::WaitForSync(const std::stop_token& stop, Duration timeout) {
  Result<void> cached =
      kinformer::internal::WaitForSync(informer_->env(), {informer_}, stop, {.timeout = timeout});
  return cached ? registration_.WaitForSync(stop, timeout) : cached;
}
template <class R>
void KindSource<R>::Stop() {
  Informer informer;
  {
    const std::lock_guard lock(mutex_);
    informer.swap(informer_);
  }
  if (informer) static_cast<void>(informer->RemoveHandler(registration_.listener()));
}
template <class R>
std::string KindSource<R>::Describe() const {
  return name_;
}
template <class R>
std::optional<Duration> KindSource<R>::ProgressAge() const {
  const Informer informer = [this] {
    const std::lock_guard lock(mutex_);
    return informer_;
  }();
  return informer ? informer->Status().progress_age : std::nullopt;
}
extern template class KindSource<Request>;  // compiled in the library

}  // namespace internal

// Returns a source of an informer's events. `provider` is called only at the start, so that unused
// informers are not created. `name` is for messages. The source starts the informer, which stays
// with its factory when the source ends. Initial objects, and updates that changed nothing, are
// added with kLowPriority. Counterpart: source.Kind.
template <class T, class R = Request>
[[nodiscard]] std::shared_ptr<TypedSource<R>> Kind(
    std::string name, InformerProvider<T> provider,
    std::shared_ptr<handler::EventHandler<T, R>> handler, predicate::PredicateFor<T> accepts = {}) {
  typename internal::KindSource<R>::Provider core;
  if (provider) core = [provider = std::move(provider)] { return provider().core(); };
  return std::make_shared<internal::KindSource<R>>(std::move(name), std::move(core),
                                                   handler::internal::Untyped(std::move(handler)),
                                                   std::move(accepts).Untyped());
}
// Returns a source with the factory's informer for T. The factory must outlive the source.
template <kinformer::Resource T, class R = Request>
[[nodiscard]] std::shared_ptr<TypedSource<R>> Kind(
    SharedInformerFactory& factory, std::shared_ptr<handler::EventHandler<T, R>> handler,
    predicate::PredicateFor<T> accepts = {}) {
  return Kind<T, R>(
      std::string(T::kind_info().resource), [&factory] { return factory.InformerFor<T>(); },
      std::move(handler), std::move(accepts));
}
// Returns a source with the given informer. Counterpart: source.Informer.
template <class T, class R = Request>
[[nodiscard]] std::shared_ptr<TypedSource<R>> Informer(
    SharedInformer<T> informer, std::shared_ptr<handler::EventHandler<T, R>> handler,
    predicate::PredicateFor<T> accepts = {}) {
  return Kind<T, R>(
      "informer", [informer] { return informer; }, std::move(handler), std::move(accepts));
}

// ---- Other sources

namespace internal {

template <class R>
class FuncSource final : public TypedSource<R> {
 public:
  using Function = std::function<Result<void>(const std::stop_token&, const RequestQueue<R>&)>;
  FuncSource(std::string name, Function start) : name_(std::move(name)), start_(std::move(start)) {}
  Result<void> Start(const std::stop_token& stop, const RequestQueue<R>& queue) override {
    const std::stop_callback given_up(stop, [this] { stop_.request_stop(); });
    return start_(stop_.get_token(), queue);
  }
  void Stop() override {
    stop_.request_stop();
    start_ = nullptr;
  }
  [[nodiscard]] std::string Describe() const override { return name_; }

 private:
  const std::string name_;
  Function start_;
  std::stop_source stop_;
};

// Calls `tick` at once and then every `period`, on the loop, until the result is destroyed.
std::shared_ptr<void> StartTicking(Env& env, Duration period, std::function<void()> tick);

}  // namespace internal

// Returns a source made of a function, which arranges for requests to be added, and returns. When
// its token is stopped, nothing may be added any more; the function's state is then destroyed.
// Counterpart: source.Func.
template <class R = Request>
[[nodiscard]] std::shared_ptr<TypedSource<R>> Func(
    std::string name, typename internal::FuncSource<R>::Function start) {
  return std::make_shared<internal::FuncSource<R>>(std::move(name), std::move(start));
}

// Returns a source that adds a request at the start and then every `period`. `env` must outlive it.
template <class R = Request>
[[nodiscard]] std::shared_ptr<TypedSource<R>> Ticker(Env& env, Duration period, R request) {
  return Func<R>(
      "ticker",
      [&env, period, request = std::move(request), ticking = std::shared_ptr<void>()](
          const std::stop_token&, const RequestQueue<R>& queue) mutable -> Result<void> {
        if (period <= Duration::zero()) {
          return Error(Reason::kInvalidArgument, "ticker: the period must be above zero");
        }
        ticking = internal::StartTicking(env, period, [queue, request] { queue.Add(request); });
        return {};
      });
}

}  // namespace kinformer::source

#endif  // KINFORMER_CONTROLLER_SOURCE_H_
