// The indexes of a StoreCore: adding, removing and naming them.

#include <algorithm>
#include <cassert>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/core/user_call.h"
#include "cache/store/reclamation.h"
#include "cache/store/store_core.h"
#include "cache/store/store_writer.h"
#include "cache/store/value_collector.h"

namespace kinformer::internal::cache {

namespace {

// Number of entries filled between two checks of the clock.
constexpr std::uint32_t kFillStep = 64;

bool HasName(const IndexList& indexes, std::string_view name) {
  return std::any_of(indexes.begin(), indexes.end(),
                     [&](const auto& index) { return index->name() == name; });
}

}  // namespace

Result<void> StoreCore::BeginIndexes(NamedIndexFunctions indexes) {
  StoreWriter& w = *writer_;
  assert(w.filling == nullptr);
  if (indexes.empty()) return {};
  auto filling = std::make_unique<IndexFill>();
  for (auto& [name, function] : indexes) {
    if (HasName(*w.next.indexes, name) || HasName(filling->indexes, name)) {
      return Error(Reason::kAlreadyExists,
                   "an index \"" + name + "\" exists already; none was added");
    }
    filling->indexes.push_back(
        std::make_shared<StoreIndex>(std::move(name), std::move(function), false, state_->retired));
  }
  w.filling = std::move(filling);
  return {};
}

bool StoreCore::FillIndexes(SteadyTime until) {
  StoreWriter& w = *writer_;
  if (w.filling == nullptr) return !w.open;
  while (w.filling->end < state_->entries_end) {
    w.FillNextEntry();
    if (w.filling->end % kFillStep == 0 && w.env.Now() >= until) return false;
  }
  auto list = std::make_shared<IndexList>(*w.next.indexes);
  list->insert(list->end(), w.filling->indexes.begin(), w.filling->indexes.end());
  w.WillWrite();
  w.next.indexes = std::move(list);
  w.filling.reset();
  w.Wrote();
  return !w.open;
}

Result<void> StoreCore::RemoveIndexes(const std::vector<std::string>& names) {
  StoreWriter& w = *writer_;
  for (const std::string& name : names) {
    if (HasName(*w.next.indexes, name)) continue;
    return Error(Reason::kNotFound, "there is no index \"" + name + "\"; none was removed");
  }
  auto list = std::make_shared<IndexList>(*w.next.indexes);
  IndexList gone;
  std::erase_if(*list, [&](const auto& index) {
    if (std::find(names.begin(), names.end(), index->name()) == names.end()) return false;
    gone.push_back(index);
    return true;
  });
  if (gone.empty()) return {};
  const auto is_gone = [&](const StoreIndex* of) {
    return std::any_of(gone.begin(), gone.end(),
                       [&](const auto& index) { return index.get() == of; });
  };
  w.WillWrite();
  // No longer written: snapshots that have them read the values of their last version.
  w.replaced.EraseIf([&](const Replaced& r) { return r.index != nullptr && is_gone(r.index); });
  for (const auto& index : gone) state_->versions.DropIndex(index.get());
  w.next.indexes = std::move(list);
  w.Wrote();
  static_cast<void>(CollectSome(0));
  return {};
}

Result<void> StoreCore::DropExisting(NamedIndexFunctions& indexes) const {
  ReadGuard guard;
  Result<void> result;
  std::erase_if(indexes, [&](const auto& wanted) {
    const auto& [name, function] = wanted;
    const StoreIndex* const there = StoreState::FindIndex(state_->versions.Current(), name);
    if (there == nullptr) return false;
    const bool other = there->by_namespace()
                           ? function.identity != nullptr && !function.by_namespace
                           : function.IsOther(there->function());
    const bool lacks_order = function.ordered && there->order() == nullptr;
    if (lacks_order && !other && result) {
      result = Error(Reason::kAlreadyExists,
                     "there is an index \"" + name +
                         "\" already, of the same function, which is not ordered and stays so");
    }
    if (other && result) {
      result =
          Error(Reason::kAlreadyExists,
                "there is an index \"" + name +
                    "\" already, of another function, which stays; give yours another name, or "
                    "where both are one, copies of one IndexFunc");
    }
    return true;
  });
  return result;
}

bool StoreCore::HasIndex(std::string_view name) const {
  ReadGuard guard;
  return StoreState::FindIndex(state_->versions.Current(), name) != nullptr;
}

Result<std::vector<std::string>> StoreCore::ValuesOf(std::string_view index,
                                                     const Block& object) const {
  IndexFunction function;
  bool by_namespace = false;
  {
    ReadGuard guard;
    const StoreIndex* found = StoreState::FindIndex(state_->versions.Current(), index);
    if (found == nullptr) {
      return Error(Reason::kNotFound, "there is no index \"" + std::string(index) + "\"");
    }
    function = found->function();
    by_namespace = found->by_namespace();
  }
  if (by_namespace) return std::vector<std::string>{std::string(object.namespace_())};
  ValueCollector values;
  try {
    function(object, values);
  } catch (...) {
    return Error(Reason::kInternalError,
                 "the function of index \"" + std::string(index) + "\" threw: " + base::Thrown());
  }
  const SortedValues& sorted = values.Sorted();
  return std::vector<std::string>(sorted.begin(), sorted.end());
}

std::vector<std::string> StoreCore::IndexNames() const {
  ReadGuard guard;
  std::vector<std::string> names;
  for (const auto& index : *state_->versions.Current().content.indexes) {
    names.push_back(index->name());
  }
  return names;
}

}  // namespace kinformer::internal::cache
