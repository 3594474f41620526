// kinformer/projection.h
//
// Projection: which fields of its objects an informer keeps. What is cut away is skipped on the way
// in, as bytes: it is never decoded, and its memory never exists.
//
//   auto pods = factory.InformerFor<corev1::Pod>(
//       {.projection = Projection::Keep<corev1::Pod>({"spec.nodeName", "status.podIP"}).OrExit()});
//
// A path is the fields' JSON names with dots between them. It goes through lists into all of their
// elements ("spec.containers.image" keeps the image of every container) and into maps by key; a
// name that has dots or brackets is written ["a.b/c"]: spec.selector["app.kubernetes.io/name"]. A
// path that names an inner field stands for all below it. Of built-in kinds, fields that hold an
// object of any kind (RawExtension) can only be named whole: what is in them is kept as it was
// sent.
//
// Always kept: kind, apiVersion and the metadata, its managedFields aside
// (InformerOptions::drop_managed_fields). A path into the metadata may be dropped, but none of
// name, namespace, uid and resourceVersion.
//
// Objects so cut are partial, whether or not there was something to cut: their views read what is
// gone as absent, and Update refuses a struct that was copied from one (kInvalidArgument), since
// the server would delete what it lacks. A Patch of the fields that are there does no harm.

#ifndef KINFORMER_PROJECTION_H_
#define KINFORMER_PROJECTION_H_

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "kinformer/internal/type_info.h"
#include "kinformer/result.h"

namespace kinformer {

namespace internal {
class ProjectionTree;  // object/transcode/projection_tree.h

// The paths of a struct with kFields (fields.h) below `prefix`. A struct inside one of its own kind
// is kept whole, and so is one that keeps unknown fields.
template <class S, class... Outer>
void AppendFieldPaths(const std::string& prefix, std::vector<std::string>& paths);

// What the member's own fields are those of: itself, or of a list or an optional, its element.
template <class M>
struct FieldsOfMember {
  using type = M;
};
template <class M>
  requires(
      !requires { M::kFields; } &&
      requires(M& m) {
        typename M::value_type;
        requires requires { M::value_type::kFields; };
      })
struct FieldsOfMember<M> {
  using type = typename M::value_type;
};

template <class S, class... Outer, class Member>
void AppendMemberPaths(const std::string& path, Member S::* /*member*/,
                       std::vector<std::string>& paths) {
  using Inner = typename FieldsOfMember<Member>::type;
  if constexpr (!requires { Inner::kFields; } ||
                (std::is_same_v<Inner, S> || ... || std::is_same_v<Inner, Outer>)) {
    paths.push_back(path);
  } else {
    AppendFieldPaths<Inner, S, Outer...>(path, paths);
  }
}

template <class S, class... Outer>
void AppendFieldPaths(const std::string& prefix, std::vector<std::string>& paths) {
  const bool keeps_unknown = std::apply(
      [](const auto&... field) { return (... || !requires { field.name; }); }, S::kFields);
  if (keeps_unknown) return paths.push_back(prefix);
  std::apply(
      [&](const auto&... field) {
        const auto append = [&](const auto& one) {
          if constexpr (requires { one.name; }) {
            const std::string name = "[\"" + std::string(one.name) + "\"]";
            AppendMemberPaths<S, Outer...>(prefix + name, one.member, paths);
          }
        };
        (append(field), ...);
      },
      S::kFields);
}
}  // namespace internal

// What marks the json::Value that Unstructured::DeepCopy makes of a partial object. Structs have a
// member is_partial.
inline constexpr std::string_view kPartialMember = "kinformer.partial";

// Empty by default: everything is kept. A value, cheap to copy; copies share. Thread-compatible;
// nothing in it changes.
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

  // What a struct of the user's with kFields (fields.h) reads. Empty, and so everything, for a
  // struct that keeps unknown fields.
  template <class S>
  static Projection For() {
    std::vector<std::string> paths;
    internal::AppendFieldPaths<S>("", paths);
    return paths.size() == 1 && paths[0].empty() ? Projection()
                                                 : Keep(paths).value_or(Projection());
  }

  // kInvalidArgument naming the first path that is no field of that type. Dynamic types have any.
  [[nodiscard]] Result<void> CheckFor(const internal::TypeInfo& type) const;

  [[nodiscard]] bool empty() const { return tree_ == nullptr; }
  // "keep spec.nodeName, status.podIP", the paths in order; "keep everything". Equal projections
  // have equal texts.
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
