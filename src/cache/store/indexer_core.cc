#include "kinformer/internal/indexer_core.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kinformer/base/log.h"

#include "cache/store/coverage.h"
#include "cache/store/empty_name.h"
#include "cache/store/store_core.h"
#include "object/values/object_key.h"

namespace kinformer::internal {

namespace {

Result<void> CheckKey(const ObjectRef& object) {
  if (object && !object->name().empty()) return {};
  return Error(
      Reason::kInvalidArgument,
      "couldn't create key for object: it has no metadata.name, under which a store would keep it");
}

// Returns pods "default/web-0".
std::string Quoted(std::string_view resource, std::string_view namespace_, std::string_view name) {
  return std::string(resource) + " \"" + ObjectKey(namespace_, name) + '"';
}

// A name with a slash is probably a key, as client-go's stores take it.
Error NamespaceMissing(std::string_view resource, std::string_view name) {
  const auto [namespace_, rest] = SplitObjectKey(name);
  const std::string what = std::string(resource) + " \"" + std::string(name) + '"';
  if (!namespace_.empty()) {
    return Error(Reason::kInvalidArgument,
                 what + ": this is a key, and a name is wanted; take it apart: Get(\"" +
                     std::string(namespace_) + "\", \"" + std::string(rest) + "\")");
  }
  return Error(Reason::kInvalidArgument,
               what +
                   ": these objects have a namespace, and none is given; name it: Get(\"default\", "
                   "\"" +
                   std::string(name) + "\")");
}

// Lists the first kMost namespaces and the number of the others.
std::string Listed(const cache::NamespaceSet& namespaces) {
  constexpr std::size_t kMost = 10;
  std::string text;
  std::size_t count = 0;
  for (const auto& [name, place] : namespaces.places) {
    if (++count > kMost) continue;
    text += (text.empty() ? "\"" : ", \"") + name + '"';
  }
  if (count > kMost) text += " and " + std::to_string(count - kMost) + " more";
  return text;
}

// `namespace_`: the requested one.
Error OutOfScope(const std::string& what, const cache::Coverage& coverage,
                 std::string_view namespace_) {
  const cache::Scope& scope = coverage.ScopeOf(namespace_);
  std::string where;
  const auto add = [&](std::string_view condition, std::string_view value) {
    if (!where.empty()) where += " and ";
    where += condition;
    where += value;
  };
  const bool nowhere = coverage.namespaces != nullptr && !coverage.namespaces->all &&
                       coverage.namespaces->PlaceOf(namespace_) == nullptr;
  if (nowhere) {
    add("one of the namespaces ", Listed(*coverage.namespaces));
  } else if (!scope.namespace_.empty()) {
    add("namespace ", '"' + scope.namespace_ + '"');
  }
  if (scope.without.contains(namespace_)) {
    add("another namespace than ", '"' + std::string(namespace_) + '"');
  }
  if (!scope.name.empty()) add("the name ", '"' + scope.name + '"');
  if (!scope.conditions.empty()) add("", scope.conditions);
  return Error(Reason::kOutOfScope,
               what + ": this cache looks at objects with " + where +
                   " only, so it cannot tell; ask the API server, or an informer that looks there");
}

// Returns OK if no object of the namespace (empty: of any) is unreadable.
Result<void> AllReadable(const cache::Coverage& coverage, std::string_view resource,
                         std::string_view namespace_) {
  if (coverage.unreadable == nullptr) return {};
  std::size_t count = 0;
  const ObjectName* first = nullptr;
  for (const ObjectName& name : *coverage.unreadable) {
    if (!namespace_.empty() && name.namespace_ != namespace_) continue;
    if (count++ == 0) first = &name;
  }
  if (first == nullptr) return {};
  std::string what = Quoted(resource, first->namespace_, first->name);
  if (count > 1) what += " and " + std::to_string(count - 1) + " more";
  return Error(Reason::kUnreadable, "the list is incomplete: what the server sent of " + what +
                                        " is malformed or does not fit; the log says how");
}

}  // namespace

IndexerCore::IndexerCore(Env& env)
    : store_(std::make_shared<cache::StoreCore>(env, cache::StoreCoreOptions{.name = "indexer"})) {}

IndexerCore::IndexerCore(std::shared_ptr<cache::StoreCore> store, StoreOwner& owner)
    : store_(std::move(store)), owner_(&owner) {}

IndexerCore::~IndexerCore() = default;

Result<void> IndexerCore::MayWrite() const {
  if (owner_ == nullptr) return {};
  return Error(Reason::kInvalidArgument,
               "this store belongs to an informer, which alone writes it; change the object at the "
               "API server, or copy what you need into an Indexer of your own");
}

Result<void> IndexerCore::Put(ObjectRef object) {
  auto outcome = Apply({Write{std::move(object)}});
  if (!outcome) return std::move(outcome).error();
  if (outcome->error) return std::move(*outcome->error);
  return {};
}

Result<void> IndexerCore::Delete(std::string_view namespace_, std::string_view name,
                                 std::string_view resource_version) {
  if (auto may = MayWrite(); !may) return may;
  std::lock_guard lock(mu_);
  store_->Begin();
  static_cast<void>(store_->Erase(namespace_, name));
  if (!resource_version.empty()) store_->AdvanceResourceVersion(resource_version);
  store_->Commit();
  return {};
}

Result<void> IndexerCore::Replace(const std::vector<ObjectRef>& objects,
                                  std::string_view resource_version) {
  if (auto may = MayWrite(); !may) return may;
  for (const ObjectRef& object : objects) {
    if (auto key = CheckKey(object); !key) return key;
  }
  std::lock_guard lock(mu_);
  store_->Begin();
  std::set<std::pair<std::string_view, std::string_view>> keep;
  for (const ObjectRef& object : objects) keep.emplace(object->namespace_(), object->name());
  const auto snapshot = store_->Snapshot();
  SnapshotCore::Cursor cursor;
  while (const Block* block = snapshot->Next(cursor)) {
    if (!keep.contains({block->namespace_(), block->name()})) {
      static_cast<void>(store_->Erase(block->namespace_(), block->name()));
    }
  }
  // `keep` refers to these objects, so they stay alive until the end.
  for (const ObjectRef& object : objects) static_cast<void>(store_->Put(object));
  store_->SetResourceVersion(resource_version);
  store_->Commit();
  return {};
}

Result<WriteOutcome> IndexerCore::Apply(std::vector<Write> writes) {
  if (auto may = MayWrite(); !may) return may.error();
  WriteOutcome outcome;
  std::lock_guard lock(mu_);
  store_->Begin();
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const ObjectRef& object = writes[i].object;
    if (auto key = CheckKey(object); !key) {
      if (!outcome.error) outcome.error = key.error();
      continue;
    }
    if (writes[i].deletes) {
      static_cast<void>(store_->Erase(object->namespace_(), object->name()));
    } else {
      static_cast<void>(store_->Put(object));
    }
    if (!object->resourceVersion().empty()) {
      store_->AdvanceResourceVersion(object->resourceVersion());
    }
    outcome.successful.push_back(i);
  }
  store_->Commit();
  return outcome;
}

Result<void> IndexerCore::Bookmark(std::string_view resource_version) {
  if (auto may = MayWrite(); !may) return may;
  std::lock_guard lock(mu_);
  store_->Begin();
  store_->AdvanceResourceVersion(resource_version);
  store_->Commit();
  return {};
}

Result<void> IndexerCore::AddIndexes(NamedIndexFunctions indexes, bool skip_existing) {
  // Without the lock: the owner may wait for its loop thread.
  if (owner_ != nullptr) return owner_->AddIndexes(std::move(indexes), skip_existing);
  std::lock_guard lock(mu_);
  Result<void> same;
  if (skip_existing) same = store_->DropExisting(indexes);
  if (Result<void> begun = store_->BeginIndexes(std::move(indexes)); !begun) return begun;
  static_cast<void>(store_->FillIndexes(SteadyTime::max()));
  return same;
}

Result<void> IndexerCore::RemoveIndexes(std::vector<std::string> names) {
  if (std::find(names.begin(), names.end(), "namespace") != names.end()) {
    return Error(Reason::kInvalidArgument,
                 "the index \"namespace\" stays: listers need it; none was removed");
  }
  if (owner_ != nullptr) return owner_->RemoveIndexes(std::move(names));
  std::lock_guard lock(mu_);
  return store_->RemoveIndexes(names);
}

ObjectRef IndexerCore::Get(std::string_view namespace_, std::string_view name) const {
  cache::StoreAnswer answer = store_->Ask(namespace_, name);
  if (!answer.object && owner_ != nullptr) owner_->OnRead(answer.coverage.get());
  return std::move(answer.object);
}

Result<ObjectRef> IndexerCore::GetOrWhyNot(std::string_view resource, std::string_view namespace_,
                                           std::string_view name) const {
  cache::StoreAnswer answer = store_->Ask(namespace_, name);
  if (answer.object) return std::move(answer.object);
  return WhyAbsent(answer.coverage.get(), resource, namespace_, name);
}

Error IndexerCore::WhyAbsent(const cache::Coverage* coverage, std::string_view resource,
                             std::string_view namespace_, std::string_view name) const {
  // For a kind known only at run time, a stored object tells whether the kind has namespaces.
  const auto any_object = [this] {
    const std::shared_ptr<const SnapshotCore> snapshot = store_->Snapshot();
    SnapshotCore::Cursor cursor;
    return ObjectRef::Share(snapshot->Next(cursor));
  };
  if (name.empty()) {
    const ObjectRef any = any_object();
    const bool namespaced = !any || !any->namespace_().empty();
    return cache::EmptyName(resource, namespaced, namespace_, cache::NameForm::kArguments);
  }
  if (coverage != nullptr) {
    const std::string what = Quoted(resource, namespace_, name);
    if (!coverage->Includes(namespace_, name)) return OutOfScope(what, *coverage, namespace_);
    if (coverage->IsLeftOut(namespace_, name)) {
      return Error(Reason::kOverLimit,
                   what +
                       " exists, but found no room in the cache (max_objects, max_bytes); ask "
                       "the API server, or raise the limit");
    }
    if (Result<void> complete = owner_->Complete(*coverage, namespace_); !complete) {
      return Error(complete.error()).WithContext(what + " is not in the cache");
    }
    if (coverage->IsUnreadable(namespace_, name)) {
      return Error(Reason::kUnreadable,
                   what + " exists, but what the server sent of it is malformed; the log says how");
    }
    if (!coverage->ScopeOf(namespace_).conditions.empty()) {
      return OutOfScope(what, *coverage, namespace_);
    }
  }
  if (namespace_.empty()) {
    const ObjectRef any = any_object();
    if (any && !any->namespace_().empty()) return NamespaceMissing(resource, name);
  }
  Error error(Reason::kNotFound,
              std::string(resource) + " \"" + std::string(name) + "\" not found");
  error.WithHttpStatus(404).WithDetails({.name = std::string(name), .kind = std::string(resource)});
  return error;
}

Result<void> IndexerCore::Complete(const SnapshotCore& snapshot, std::string_view resource,
                                   std::string_view namespace_) const {
  const cache::Coverage* coverage = snapshot.coverage();
  if (coverage == nullptr) return {};
  if (!namespace_.empty() && !coverage->Includes(namespace_)) {
    return OutOfScope(std::string(resource) + " in namespace \"" + std::string(namespace_) + '"',
                      *coverage, namespace_);
  }
  if (Result<void> complete = owner_->Complete(*coverage, namespace_); !complete) return complete;
  return AllReadable(*coverage, resource, namespace_);
}

std::shared_ptr<const SnapshotCore> IndexerCore::Snapshot() const {
  std::shared_ptr<const SnapshotCore> snapshot = store_->Snapshot();
  if (owner_ != nullptr) owner_->OnRead(snapshot->coverage());
  return snapshot;
}

std::shared_ptr<const SnapshotCore> IndexerCore::SnapshotAsItIs() const {
  return store_->Snapshot();
}

std::vector<std::shared_ptr<const SnapshotCore>> IndexerCore::JointSnapshots(
    std::span<const IndexerCore* const> stores) {
  std::vector<const cache::StoreCore*> cores;
  cores.reserve(stores.size());
  for (const IndexerCore* store : stores) cores.push_back(store->store_.get());
  std::vector<std::shared_ptr<const SnapshotCore>> joint = cache::StoreCore::JointSnapshots(cores);
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (stores[i]->owner_ != nullptr) stores[i]->owner_->OnRead(joint[i]->coverage());
  }
  return joint;
}

void IndexerCore::KeepChanges(std::size_t events, std::size_t bytes) {
  store_->KeepChanges(events, bytes);
}

Result<NetChanges> IndexerCore::ChangesSince(std::uint64_t version, std::uint64_t epoch) const {
  return store_->ChangesSince(version, epoch);
}

std::string IndexerCore::ResourceVersion() const { return store_->ResourceVersion(); }

std::vector<std::string> IndexerCore::IndexNames() const { return store_->IndexNames(); }

Result<std::vector<std::string>> IndexerCore::ValuesOf(std::string_view index,
                                                       const Block& object) const {
  return store_->ValuesOf(index, object);
}

Result<void> CheckNamespace(const KindInfo& type, std::string_view namespace_,
                            std::string_view name) {
  if (name.empty()) {
    return cache::EmptyName(type.resource, type.namespaced, namespace_,
                            cache::NameForm::kArguments);
  }
  if (type.namespaced && namespace_.empty()) return NamespaceMissing(type.resource, name);
  if (type.namespaced || namespace_.empty()) return {};
  return Error(Reason::kInvalidArgument,
               Quoted(type.resource, namespace_, name) +
                   ": these objects have no namespace, and one is given; leave it empty: Get(\"\", "
                   "\"" +
                   std::string(name) + "\")");
}

std::pair<std::string_view, std::string_view> SplitStoreKey(std::string_view key) {
  return SplitObjectKey(key);
}

std::string KeyOfBlock(const Block& block) { return ObjectKey(block.namespace_(), block.name()); }

std::vector<std::string> KeysOf(const SnapshotCore& snapshot) {
  std::vector<std::string> keys;
  keys.reserve(snapshot.size());
  SnapshotCore::Cursor cursor;
  while (const Block* block = snapshot.Next(cursor)) keys.push_back(KeyOfBlock(*block));
  return keys;
}

std::vector<std::string> KeysOf(const std::vector<const Block*>& blocks) {
  std::vector<std::string> keys;
  keys.reserve(blocks.size());
  for (const Block* block : blocks) keys.push_back(KeyOfBlock(*block));
  std::sort(keys.begin(), keys.end());
  return keys;
}

void LogError(Env& env, const Result<void>& result) {
  if (result) return;
  env.log().Log(LogLevel::kError, "the store has refused a change",
                {{"err", result.error().ToString()}});
}

std::vector<const Block*> ByIndexValues(const SnapshotCore& snapshot, std::string_view index,
                                        const std::vector<std::string>& values) {
  std::vector<const Block*> found;
  for (const std::string& value : values) {
    auto some = snapshot.ByIndex(index, value);
    if (some) found.insert(found.end(), some->begin(), some->end());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace kinformer::internal
