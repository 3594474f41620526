// kinformer/cache/reader.h
//
// Reader<T>: reads objects from where its factory has them: a cache, or the server.
//
//   Reader<corev1::Secret> secrets = factory.ReaderFor<corev1::Secret>();
//   Result<Ref<corev1::Secret>> secret = secrets.Get("default", "token");
//   if (!secret && IsAbsent(secret.error())) ...
//
// So the factory's options (ResourceCacheOptions::cached) decide in one place which resources are
// cached, independent of readers. For indexes, snapshots or handlers use an informer.

#ifndef KINFORMER_CACHE_READER_H_
#define KINFORMER_CACHE_READER_H_

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/cache/lister.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/live_reader.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Reads one resource. A copyable handle. Thread-safe.
//
// From a cache: never blocks; the reader is a handle on the informer, as a Lister is. From the
// server: each call is a request, and blocks until it is answered, retries included, within the
// limits of `call`; kWouldDeadlock on a loop's thread. It uses the client's rate limit, and returns
// the newest state. Its objects are complete: selectors, projections and transforms apply to caches
// only. The factory's namespaces apply to both; a List of several sends a request for each.
//
// Counterpart: client.Reader of controller-runtime. Here a cache that has not synced is an error;
// reads do not wait for it.
template <class T>
class Reader {
  static_assert(ObjectView<T>, "Reader<T>: T must be a view that is made from a block");

 public:
  explicit Reader(kinformer::Lister<T> cache) : source_(std::move(cache)) {}
  explicit Reader(internal::LiveReader server) : source_(std::move(server)) {}

  // Returns one object; an empty namespace means that the kind has none. Errors as for Lister::Get:
  // kNotFound (it does not exist), kOutOfScope (the factory does not cover it), kInvalidArgument
  // (namespace missing, or given for a kind without), and other reasons for which a cache does not
  // know; from the server kNotSynced means that it does not have the resource. Also those of
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

  // Returns all objects of a namespace with matching labels, in unspecified order; empty: of all
  // namespaces that the factory covers. All or an error: kUnreadable if one of them is malformed.
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

  // Returns true if each call is a request to the server.
  [[nodiscard]] bool IsLive() const {
    return std::holds_alternative<internal::LiveReader>(source_);
  }

 private:
  std::variant<kinformer::Lister<T>, internal::LiveReader> source_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_READER_H_
