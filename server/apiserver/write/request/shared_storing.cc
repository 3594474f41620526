#include "apiserver/write/request/shared_storing.h"

#include <optional>
#include <utility>

#include "apiserver/registry/shared_commits.h"

namespace kinformer::apiserver {
namespace {

using Committed = SharedCommits::Committed;

// Stores the change, and sets `version`. Returns false if another write came first.
Task<Result<bool>> Store(ServerState& state, SharedChange change,
                         std::optional<std::int64_t>& version) {
  Called<Committed> storing([&](Called<Committed>::Done done) {
    return state.shared->Commit(std::move(change), std::move(done));
  });
  Committed committed = co_await storing;
  if (!committed.ok()) co_return std::move(committed).error();
  version = *committed;
  co_return version.has_value();
}

}  // namespace

Task<Result<bool>> StoreShared(ServerState& state, Draft& draft) {
  if (state.shared == nullptr) co_return true;
  std::optional<SharedChange> change = ObjectWriter::ChangeOf(draft);
  if (!change) co_return true;
  co_return co_await Store(state, *std::move(change), draft.committed);
}

Task<Result<bool>> StoreShared(ServerState& state, const WriteTarget& target, Deletion& deletion) {
  if (state.shared == nullptr) co_return true;
  std::optional<SharedChange> mark = ObjectWriter::MarkOf(target, deletion);
  if (mark) {
    Result<bool> marked = co_await Store(state, *std::move(mark), deletion.committed_mark);
    if (!marked.ok() || !*marked) co_return marked;
  }
  std::optional<SharedChange> removal = ObjectWriter::RemovalOf(target, deletion);
  if (!removal) co_return true;
  co_return co_await Store(state, *std::move(removal), deletion.committed_removal);
}

}  // namespace kinformer::apiserver
