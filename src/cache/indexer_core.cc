#include "kinformer/internal/indexer_core.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cache/store_core.h"

namespace kinformer::internal {

namespace {

Result<void> CheckKey(const ObjectRef& object) {
  if (object && !object->name().empty()) return {};
  return Error(
      Reason::kInvalidArgument,
      "couldn't create key for object: it has no metadata.name, under which a store would keep it");
}

std::string Join(std::string_view namespace_, std::string_view name) {
  return ObjectName{std::string(namespace_), std::string(name)}.ToString();
}

}  // namespace

IndexerCore::IndexerCore(Env& env)
    : store_(std::make_shared<StoreCore>(env, StoreCoreOptions{.name = "indexer"})) {}

IndexerCore::IndexerCore(std::shared_ptr<StoreCore> store, std::shared_ptr<ReadScope> scope)
    : store_(std::move(store)), scope_(std::move(scope)) {}

IndexerCore::~IndexerCore() = default;

Result<void> IndexerCore::MayWrite() const {
  if (scope_ == nullptr) return {};
  return Error(Reason::kInvalidArgument,
               "this store belongs to an informer, which alone writes it; change the object at the "
               "API server, or copy what you need into an Indexer of your own");
}

Result<void> IndexerCore::Put(ObjectRef object) {
  auto outcome = Apply({{WriteKind::kUpdate, std::move(object)}});
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
  if (!resource_version.empty()) store_->SetResourceVersion(resource_version);
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
  // `keep` looks into these: they stay until the end.
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
    if (writes[i].kind == WriteKind::kDelete) {
      static_cast<void>(store_->Erase(object->namespace_(), object->name()));
    } else {
      static_cast<void>(store_->Put(object));
    }
    if (!object->resourceVersion().empty()) store_->SetResourceVersion(object->resourceVersion());
    outcome.successful.push_back(i);
  }
  store_->Commit();
  return outcome;
}

Result<void> IndexerCore::Bookmark(std::string_view resource_version) {
  if (auto may = MayWrite(); !may) return may;
  std::lock_guard lock(mu_);
  store_->Begin();
  store_->SetResourceVersion(resource_version);
  store_->Commit();
  return {};
}

Result<void> IndexerCore::AddIndexes(NamedIndexFunctions indexes, bool skip_existing) {
  std::lock_guard lock(mu_);
  if (!skip_existing) {
    for (const auto& [name, function] : indexes) {
      if (store_->HasIndex(name)) {
        return Error(Reason::kAlreadyExists,
                     "an index \"" + name + "\" exists already; none was added");
      }
    }
  }
  for (auto& [name, function] : indexes) {
    if (skip_existing && store_->HasIndex(name)) continue;
    Result<void> added = scope_ != nullptr ? scope_->AddIndex(std::move(name), std::move(function))
                                           : store_->AddIndex(std::move(name), std::move(function));
    if (!added && !(skip_existing && IsAlreadyExists(added.error()))) return added;
  }
  return {};
}

ObjectRef IndexerCore::Get(std::string_view namespace_, std::string_view name) const {
  // The store keeps the last readable state for the handlers; it is not what the object is.
  if (scope_ != nullptr && scope_->IsUnreadable(namespace_, name)) return {};
  return store_->Get(namespace_, name);
}

Error IndexerCore::WhyAbsent(std::string_view resource, std::string_view namespace_,
                             std::string_view name) const {
  const std::string what = std::string(resource) + " \"" + Join(namespace_, name) + "\"";
  if (scope_ != nullptr) {
    const std::string_view scope = scope_->ScopeNamespace();
    if (!scope.empty() && scope != namespace_) {
      return Error(Reason::kOutOfScope, what + ": this cache looks in namespace \"" +
                                            std::string(scope) + "\" only, not in \"" +
                                            std::string(namespace_) + "\"");
    }
    if (Result<void> complete = scope_->Complete(); !complete) {
      return std::move(Error(complete.error()).WithContext(what + " is not in the cache"));
    }
    if (scope_->IsUnreadable(namespace_, name)) {
      return Error(Reason::kUnreadable,
                   what + " exists, but what the server sent of it is malformed; the log says how");
    }
  }
  Error error(Reason::kNotFound,
              std::string(resource) + " \"" + std::string(name) + "\" not found");
  error.WithHttpStatus(404).WithDetails({.name = std::string(name), .kind = std::string(resource)});
  return error;
}

Result<void> IndexerCore::Complete() const {
  return scope_ == nullptr ? Result<void>() : scope_->Complete();
}

std::string_view IndexerCore::ScopeNamespace() const {
  return scope_ == nullptr ? std::string_view() : scope_->ScopeNamespace();
}

std::shared_ptr<const SnapshotCore> IndexerCore::Snapshot() const { return store_->Snapshot(); }

std::string IndexerCore::ResourceVersion() const { return store_->ResourceVersion(); }

std::vector<std::string> IndexerCore::IndexNames() const { return store_->IndexNames(); }

Result<std::vector<std::string>> IndexerCore::ValuesOf(std::string_view index,
                                                       const Block& object) const {
  return store_->ValuesOf(index, object);
}

std::pair<std::string_view, std::string_view> SplitStoreKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {{}, key};
  return {key.substr(0, slash), key.substr(slash + 1)};
}

std::string KeyOfBlock(const Block& block) { return Join(block.namespace_(), block.name()); }

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

}  // namespace kinformer::internal
