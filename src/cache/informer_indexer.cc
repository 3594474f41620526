// The reading side of an informer: what its Lister, Indexer and Snapshot are over.

#include <memory>
#include <string>
#include <utility>

#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/informer_core.h"

#include "cache/store_core.h"

namespace kinformer::internal {

namespace {

class InformerScope final : public ReadScope {
 public:
  explicit InformerScope(std::shared_ptr<InformerCore> informer) : informer_(std::move(informer)) {}

  [[nodiscard]] Result<void> Complete() const override {
    if (informer_->HasSynced()) return {};
    const NotSynced why = informer_->WhyNotSynced();
    std::string message = "the informer of " + informer_->Describe() + " has not synced";
    if (!why.started) {
      message += ": it was not started; call Start, then WaitForCacheSync";
    } else if (why.last_error) {
      message += ": " + why.last_error->ToString();
    } else {
      message += " yet; wait with WaitForCacheSync";
    }
    return Error(Reason::kNotSynced, std::move(message));
  }
  [[nodiscard]] std::string_view ScopeNamespace() const override {
    return informer_->ScopeNamespace();
  }
  [[nodiscard]] bool IsUnreadable(std::string_view namespace_,
                                  std::string_view name) const override {
    return informer_->IsUnreadable(namespace_, name);
  }
  Result<void> AddIndex(std::string name, IndexFunction function) override {
    return informer_->AddIndex(std::move(name), std::move(function));
  }

 private:
  const std::shared_ptr<InformerCore> informer_;
};

}  // namespace

std::shared_ptr<IndexerCore> IndexerOf(const std::shared_ptr<InformerCore>& informer) {
  return std::make_shared<IndexerCore>(informer->shared_store(),
                                       std::make_shared<InformerScope>(informer));
}

Result<void> AddIndexesTo(InformerCore& informer, NamedIndexFunctions indexes, bool skip_existing) {
  return IndexerOf(informer.shared_from_this())->AddIndexes(std::move(indexes), skip_existing);
}

}  // namespace kinformer::internal
