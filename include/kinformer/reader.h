// kinformer/reader.h
//
// Reader<T>: reads objects where its factory has them: in a cache, or at the server.
//
//   Reader<corev1::Secret> secrets = factory.ReaderFor<corev1::Secret>();
//   Result<Ref<corev1::Secret>> secret = secrets.Get("default", "token");
//   if (!secret && IsAbsent(secret.error())) ...
//
// So what is cached is decided in one place, the factory's options (ResourceCacheOptions::cached),
// and who reads need not know. Who needs indexes, snapshots or handlers takes an informer.

#ifndef KINFORMER_READER_H_
#define KINFORMER_READER_H_

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kinformer/internal/live_reader.h"
#include "kinformer/label_selector.h"
#include "kinformer/lister.h"
#include "kinformer/ref.h"
#include "kinformer/request_options.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"

namespace kinformer {

// A copyable handle. Thread-safe.
//
// From a cache: never blocks, and is a handle on the informer, as a Lister is. From the server:
// each call is a request, and blocks until it is answered, retries included, or `call` says
// otherwise; kWouldDeadlock on a loop's thread. It takes part in the client's rate limit, and gives
// the newest state. Its objects are whole: selectors, projections and transforms are for caches.
// The factory's namespaces count for both; a List of several is a request for each.
//
// Counterpart: client.Reader of controller-runtime. A cache that has not synced is an error here
// and not a wait.
template <class T>
class Reader {
  static_assert(ObjectView<T>, "Reader<T>: T must be a view that is made from a block");

 public:
  explicit Reader(kinformer::Lister<T> cache) : source_(std::move(cache)) {}
  explicit Reader(internal::LiveReader server) : source_(std::move(server)) {}

  // One object; an empty namespace means that the kind has none. The errors of Lister::Get:
  // kNotFound (it does not exist), kOutOfScope (the factory does not look there), kInvalidArgument
  // (a namespace is missing, or one too many), and what else keeps a cache from telling; of the
  // server kNotSynced means that it does not have the resource. Besides, those of
  // ResourceClient::Get.
  [[nodiscard]] Result<Ref<T>> Get(std::string_view namespace_, std::string_view name,
                                   const CallOptions& call = {}) const {
    if (const auto* cache = std::get_if<kinformer::Lister<T>>(&source_)) {
      return cache->Get(namespace_, name);
    }
    Result<internal::ObjectRef> object =
        std::get<internal::LiveReader>(source_).Get(namespace_, name, call);
    if (!object) return std::move(object).error();
    return Ref<T>(*std::move(object));
  }

  // All objects of a namespace whose labels match, in unspecified order; empty: of all namespaces
  // that the factory looks at. All or an error: kUnreadable where one of them is malformed.
  [[nodiscard]] Result<std::vector<Ref<T>>> List(std::string_view namespace_ = {},
                                                 const LabelSelector& selector = {},
                                                 const CallOptions& call = {}) const {
    std::vector<Ref<T>> all;
    if (const auto* cache = std::get_if<kinformer::Lister<T>>(&source_)) {
      const ObjectRange<T> range = cache->Namespace(namespace_).List(selector);
      if (!range.ok()) return range.error();
      all.reserve(range.size());
      for (const T object : range) all.push_back(range.Retain(object));
      return all;
    }
    Result<std::vector<internal::ObjectRef>> listed =
        std::get<internal::LiveReader>(source_).List(namespace_, selector, call);
    if (!listed) return std::move(listed).error();
    all.reserve(listed->size());
    for (internal::ObjectRef& object : *listed) all.emplace_back(std::move(object));
    return all;
  }

  // Whether each call is a request to the server.
  [[nodiscard]] bool IsLive() const {
    return std::holds_alternative<internal::LiveReader>(source_);
  }

 private:
  std::variant<kinformer::Lister<T>, internal::LiveReader> source_;
};

}  // namespace kinformer

#endif  // KINFORMER_READER_H_
