#include "kinformer/object/projection.h"

#include <utility>

#include "object/transcode/projection_tree.h"

namespace kinformer {

Result<Projection> Projection::Keep(const std::vector<std::string>& paths) {
  return Make(true, paths);
}

Result<Projection> Projection::Drop(const std::vector<std::string>& paths) {
  return Make(false, paths);
}

Result<Projection> Projection::Make(bool keep, const std::vector<std::string>& paths) {
  Result<internal::ProjectionTree> tree = internal::ProjectionTree::Make(keep, paths);
  if (!tree) return std::move(tree).error();
  Projection projection;
  projection.tree_ = std::make_shared<const internal::ProjectionTree>(*std::move(tree));
  return projection;
}

Result<Projection> Projection::Checked(Result<Projection> made, const KindInfo& type) {
  if (!made) return made;
  if (Result<void> good = made->CheckFor(type); !good) return std::move(good).error();
  return made;
}

Result<void> Projection::CheckFor(const KindInfo& type) const {
  if (tree_ == nullptr || type.message == nullptr) return {};
  return tree_->CheckFor(*type.message);
}

std::string Projection::ToString() const {
  return tree_ == nullptr ? "keep everything" : tree_->text();
}

}  // namespace kinformer
