// kinformer/object/projection.h
//
// Projection: the set of fields of its objects that an informer keeps. Other fields are skipped in
// the received bytes: they are never decoded, and take no memory.
//
//   auto pods = factory.InformerFor<corev1::Pod>(
//       {.projection = Projection::Keep<corev1::Pod>({"spec.nodeName", "status.podIP"}).OrExit()});
//
// A path consists of JSON names of fields, separated by dots. It goes through lists into all of
// their elements ("spec.containers.image" keeps the image of every container) and into maps by key;
// a name with dots or brackets is written ["a.b/c"]: spec.selector["app.kubernetes.io/name"]. A
// path that names an inner field covers everything below it. In built-in kinds, fields that hold an
// object of any kind (RawExtension) can only be named as a whole: their content is kept as it was
// sent.
//
// Always kept: kind, apiVersion and the metadata except its managedFields
// (InformerOptions::drop_managed_fields). A path into the metadata may be dropped, but not name,
// namespace, uid and resourceVersion.
//
// Such objects are partial, even if nothing was cut: their views read missing fields as absent, and
// Update refuses a struct that was copied from one (kInvalidArgument), since the server would
// delete the missing fields. A Patch of existing fields is safe.

#ifndef KINFORMER_OBJECT_PROJECTION_H_
#define KINFORMER_OBJECT_PROJECTION_H_

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/field_facts.h"
#include "kinformer/object/kind_info.h"

namespace kinformer {

namespace internal {
class ProjectionTree;  // object/transcode/projection_tree.h

// Appends the paths of a user's struct (fields.h) below `prefix`. A struct inside one of its own
// type is kept whole, and so is one that keeps unknown fields.
template <class S, class... Outer>
void AppendFieldPaths(const std::string& prefix, std::vector<std::string>& paths) {
  if constexpr (HasBag<S>()) {
    paths.push_back(prefix);
  } else {
    EachFieldType<S>([&](const FieldFacts& field, auto type) {
      using Inner = typename FieldElement<typename decltype(type)::type>::type;
      const std::string path = prefix + "[\"" + std::string(field.name) + "\"]";
      if constexpr (!HasFields<Inner> ||
                    (std::is_same_v<Inner, S> || ... || std::is_same_v<Inner, Outer>)) {
        paths.push_back(path);
      } else {
        AppendFieldPaths<Inner, S, Outer...>(path, paths);
      }
    });
  }
}
}  // namespace internal

// Member that marks a json::Value as a copy of a partial object, by Unstructured::DeepCopy. Structs
// have a member is_partial.
inline constexpr std::string_view kPartialMember = "kinformer.partial";

// The fields to keep; by default all. An immutable value, cheap to copy; copies share.
// Thread-compatible. Counterpart: none in client-go, where a TransformFunc clears fields that were
// decoded before.
class Projection {
 public:
  Projection() = default;

  // Keeps only these paths. kInvalidArgument: a path is malformed.
  static Result<Projection> Keep(const std::vector<std::string>& paths);
  // Keeps all but these paths.
  static Result<Projection> Drop(const std::vector<std::string>& paths);

  // Do the same, and require that every path is a field of T.
  template <class T>
  static Result<Projection> Keep(const std::vector<std::string>& paths) {
    return Checked(Keep(paths), T::kind_info());
  }
  template <class T>
  static Result<Projection> Drop(const std::vector<std::string>& paths) {
    return Checked(Drop(paths), T::kind_info());
  }

  // Keeps the fields that a user's struct (fields.h) declares. Keeps everything if the
  // struct keeps unknown fields.
  template <class S>
  static Projection For() {
    std::vector<std::string> paths;
    internal::AppendFieldPaths<S>("", paths);
    return paths.size() == 1 && paths[0].empty() ? Projection()
                                                 : Keep(paths).value_or(Projection());
  }

  // Returns kInvalidArgument with the first path that is no field. Dynamic types have any field.
  [[nodiscard]] Result<void> CheckFor(const KindInfo& type) const;

  [[nodiscard]] bool empty() const { return tree_ == nullptr; }
  // Returns "keep spec.nodeName, status.podIP", the paths in order; "keep everything". Equal
  // projections have equal texts.
  [[nodiscard]] std::string ToString() const;
  friend bool operator==(const Projection& a, const Projection& b) {
    return a.tree_ == b.tree_ || a.ToString() == b.ToString();
  }

  [[nodiscard]] const internal::ProjectionTree* tree() const { return tree_.get(); }

 private:
  static Result<Projection> Make(bool keep, const std::vector<std::string>& paths);
  static Result<Projection> Checked(Result<Projection> made, const KindInfo& type);

  std::shared_ptr<const internal::ProjectionTree> tree_;
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_PROJECTION_H_
