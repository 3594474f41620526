// kinformer/projection.h
//
// Projection: which fields of its objects an informer keeps. What is cut away is skipped on the way in, as bytes: it is
// never decoded, and its memory never exists.
//
//   auto pods = factory.InformerFor<corev1::Pod>(
//       {.projection = Projection::Keep<corev1::Pod>({"spec.nodeName", "status.podIP"}).OrExit()});
//
// A path is the fields' JSON names with dots between them. It goes through lists into all of their elements
// ("spec.containers.image" keeps the image of every container) and into maps by key; a name that has dots or brackets is
// written ["a.b/c"]: spec.selector["app.kubernetes.io/name"]. A path that names an inner field stands for all below it.
//
// Always kept: kind, apiVersion and the metadata, its managedFields aside (InformerOptions::drop_managed_fields). A path
// into the metadata may be dropped, but none of name, namespace, uid and resourceVersion.
//
// Objects so cut are partial, whether or not there was something to cut: their views read what is gone as absent, and
// Update refuses a struct that was copied from one (kInvalidArgument), since the server would delete what it lacks. A Patch
// of the fields that are there does no harm.

#ifndef KINFORMER_PROJECTION_H_
#define KINFORMER_PROJECTION_H_

#include <memory>
#include <string>
#include <vector>

#include "kinformer/internal/type_info.h"
#include "kinformer/result.h"

namespace kinformer {

namespace internal {
class ProjectionTree;  // object/projection_tree.h
}  // namespace internal

// Empty by default: everything is kept. A value, cheap to copy; copies share. Thread-compatible; nothing in it changes.
// Counterpart: none in client-go, where a TransformFunc clears fields that were decoded before.
class Projection {
 public:
  Projection() = default;

  // Only these. kInvalidArgument for a path that cannot be read.
  static Result<Projection> Keep(const std::vector<std::string>& paths);
  // All but these.
  static Result<Projection> Drop(const std::vector<std::string>& paths);

  // The same, where besides every path must be one of T's fields.
  template <class T>
  static Result<Projection> Keep(const std::vector<std::string>& paths) {
    return Checked(Keep(paths), T::type_info());
  }
  template <class T>
  static Result<Projection> Drop(const std::vector<std::string>& paths) {
    return Checked(Drop(paths), T::type_info());
  }

  // kInvalidArgument naming the first path that is no field of that type. Dynamic types have any.
  [[nodiscard]] Result<void> CheckFor(const internal::TypeInfo& type) const;

  [[nodiscard]] bool empty() const { return tree_ == nullptr; }
  // "keep spec.nodeName, status.podIP", the paths in order; "keep everything". Equal projections have equal texts.
  [[nodiscard]] std::string ToString() const;
  friend bool operator==(const Projection& a, const Projection& b) {
    return a.tree_ == b.tree_ || a.ToString() == b.ToString();
  }

  [[nodiscard]] const internal::ProjectionTree* tree() const { return tree_.get(); }

 private:
  static Result<Projection> Make(bool keep, const std::vector<std::string>& paths);
  static Result<Projection> Checked(Result<Projection> made, const internal::TypeInfo& type);

  std::shared_ptr<const internal::ProjectionTree> tree_;
};

}  // namespace kinformer

#endif  // KINFORMER_PROJECTION_H_
