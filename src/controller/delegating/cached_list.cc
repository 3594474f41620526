#include "controller/delegating/cached_list.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "kinformer/cache/index.h"
#include "kinformer/object/object.h"

namespace kinformer::internal::delegating {
namespace {

using Blocks = std::vector<const Block*>;

Error NoIndex(std::string_view resource, std::string_view field) {
  return Error(Reason::kInvalidArgument,
               "listing " + std::string(resource) + " by the field " + std::string(field) +
                   ": it has no index; call IndexField for it, or filter the objects");
}

// Whether the cache has an index for the field. Asking it for a missing index would log an error
// whose remedy does not apply to this client's users.
bool HasIndex(const IndexerCore& cache, std::string_view field) {
  const std::vector<std::string> names = cache.IndexNames();
  return std::find(names.begin(), names.end(), IndexOfField(field)) != names.end();
}

// Returns objects with the first field's value in its index, filtered by the other fields.
Result<Blocks> ByFields(const IndexerCore& cache, const SnapshotCore& snapshot,
                        std::string_view resource, const FieldSelector& fields) {
  const std::vector<FieldSelector::Requirement>& requirements = fields.requirements();
  for (const FieldSelector::Requirement& required : requirements) {
    if (!required.negated) continue;
    return Error(Reason::kInvalidArgument,
                 "listing " + std::string(resource) + " by " + fields.ToString() +
                     ": an index knows field=value only; filter the objects, or ask the "
                     "server, by APIReader");
  }
  if (!HasIndex(cache, requirements[0].field)) return NoIndex(resource, requirements[0].field);
  Result<Blocks> found =
      snapshot.ByIndex(IndexOfField(requirements[0].field), requirements[0].value);
  if (!found) return NoIndex(resource, requirements[0].field);
  for (std::size_t i = 1; i < requirements.size(); ++i) {
    const auto& [field, negated, value] = requirements[i];
    Blocks both;
    for (const Block* block : *found) {
      const Result<std::vector<std::string>> values =
          cache.ValuesOf(IndexOfField(field), *snapshot.Whole(block));
      if (!values && values.error().reason() == Reason::kNotFound) return NoIndex(resource, field);
      if (!values) return values.error();
      if (std::find(values->begin(), values->end(), value) != values->end()) both.push_back(block);
    }
    found = std::move(both);
  }
  return found;
}

}  // namespace

std::string IndexOfField(std::string_view field) { return "field:" + std::string(field); }

Result<std::vector<ObjectRef>> ListCached(const IndexerCore& cache, std::string_view resource,
                                          const ReadOptions& options) {
  std::vector<ObjectRef> all;
  const std::shared_ptr<const SnapshotCore> snapshot = cache.SnapshotAsItIs();
  if (Result<void> complete = cache.Complete(*snapshot, resource, options.namespace_); !complete) {
    return std::move(complete).error();
  }
  // Returns false if the limit is reached.
  const auto take = [&](const Block* packed) {
    if (!options.namespace_.empty() && packed->namespace_() != options.namespace_) return true;
    const Block* block = snapshot->Whole(packed);
    if (!options.label_selector.Matches(Object(block).metadata().labels())) return true;
    all.push_back(ObjectRef::Share(block));
    return options.limit == 0 || all.size() < options.limit;
  };
  if (options.field_selector.MatchesEverything() && options.namespace_.empty()) {
    SnapshotCore::Cursor cursor;
    while (const Block* block = snapshot->Next(cursor)) {
      if (!take(block)) break;
    }
    return all;
  }
  const Result<Blocks> found = options.field_selector.MatchesEverything()
                                   ? snapshot->ByIndex(kNamespaceIndex, options.namespace_)
                                   : ByFields(cache, *snapshot, resource, options.field_selector);
  if (!found) return found.error();
  for (const Block* block : *found) {
    if (!take(block)) break;
  }
  return all;
}

}  // namespace kinformer::internal::delegating
