// kinformer/internal/reading_side.h
//
// ReadingSide: a handle that reads a store: a Store, Indexer, Lister or SharedInformer.

#ifndef KINFORMER_INTERNAL_READING_SIDE_H_
#define KINFORMER_INTERNAL_READING_SIDE_H_

#include <memory>
#include <utility>

#include "kinformer/internal/indexer_core.h"

namespace kinformer::internal {

// Returns the store that it reads, and keeps it alive. Calls indexer() of an informer, so that this
// header needs no informers.
template <class Source>
  requires requires(const Source& s) { s.core(); }
[[nodiscard]] std::shared_ptr<IndexerCore> ReadingSideOf(const Source& source) {
  if constexpr (requires { source.indexer(); }) {
    return source.indexer().core();
  } else {
    return source.core();
  }
}

template <class Source>
concept ReadingSide = requires(const Source& source) {
  { ReadingSideOf(source) };
  source.Snapshot();
};

// The T of a Store<T> or similar.
template <class Source>
using ViewOf = typename decltype(std::declval<const Source&>().Snapshot())::value_type;

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_READING_SIDE_H_
