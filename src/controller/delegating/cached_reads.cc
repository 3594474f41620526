#include "controller/delegating/cached_reads.h"

#include <utility>

#include "kinformer/internal/indexer_core.h"

#include "controller/delegating/cached_list.h"
#include "controller/delegating/placement.h"

namespace kinformer::internal::delegating {
namespace {

Result<ReadPlace> PlaceOf(DelegatingState& state, const ObjectForm& form,
                          Result<ObjectName> placed) {
  if (!placed) return std::move(placed).error();
  Result<ReadSource> source = state.SourceOf(form);
  if (!source) return std::move(source).error();
  return ReadPlace{*std::move(placed), *std::move(source)};
}

}  // namespace

Result<ReadPlace> PlaceOfGet(DelegatingState& state, const ObjectForm& form,
                             const ObjectName& asked, const CallBounds& bounds) {
  return PlaceOf(state, form, PlacedRead(*form.type, asked, bounds.namespace_));
}

Result<ReadPlace> PlaceOfList(DelegatingState& state, const ObjectForm& form,
                              const ReadOptions& asked, const CallBounds& bounds) {
  return PlaceOf(state, form, Placed(*form.type, {asked.namespace_, ""}, bounds.namespace_));
}

Result<ObjectRef> CachedObjectAt(const ReadPlace& place, const KindInfo& type) {
  const std::shared_ptr<IndexerCore> cache = IndexerOf(place.source.informer);
  Result<ObjectRef> object =
      cache->GetOrWhyNot(type.resource, place.which.namespace_, place.which.name);
  if (object) return object;
  return OfStoppedCache(std::move(object).error(), type);
}

Result<std::vector<ObjectRef>> CachedListAt(const ReadPlace& place, const KindInfo& type,
                                            ReadOptions asked) {
  asked.namespace_ = place.which.namespace_;
  const std::shared_ptr<IndexerCore> cache = IndexerOf(place.source.informer);
  Result<std::vector<ObjectRef>> all = ListCached(*cache, type.resource, asked);
  if (all) return all;
  return OfStoppedCache(std::move(all).error(), type);
}

}  // namespace kinformer::internal::delegating
