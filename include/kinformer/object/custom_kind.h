// kinformer/object/custom_kind.h
//
// CustomKind: the line by which a struct of the program says which resource it is.
//
//   struct Website {
//     static constexpr kinformer::CustomKind kKind{.group = "example.com", .version = "v1"};
//     WebsiteSpec spec{};
//     WebsiteStatus status{};
//   };
//   using Websites = kinformer::CustomResource<Website>;  // custom_resource.h
//
// Counterpart: the markers +kubebuilder:resource, printcolumn and subresource.

#ifndef KINFORMER_OBJECT_CUSTOM_KIND_H_
#define KINFORMER_OBJECT_CUSTOM_KIND_H_

#include <optional>
#include <string_view>

namespace kinformer {

// A column that `get` shows.
struct PrinterColumn {
  std::string_view name{};  // "Replicas"
  std::string_view path{};  // ".spec.replicas"
  std::string_view type{};  // "date"; empty: that of the member at the path
  std::string_view description{};
  std::string_view format{};
  int priority = 0;  // from 1 on: with -o wide only
};

// Where the subresource scale finds its numbers.
struct ScalePaths {
  std::string_view spec{};      // ".spec.replicas"
  std::string_view status{};    // ".status.replicas"
  std::string_view selector{};  // ".status.selector"; may be empty
};

// A constant. All members but the first five concern the definition only (crd.h).
struct CustomKind {
  std::string_view group{};  // "" for the core group
  std::string_view version{};
  std::string_view kind{};  // empty: the name of the struct, without namespaces
  // Name in paths of the API. Empty: the kind in lower case with the ending of a plural: websites,
  // policies, gateways, meshes.
  std::string_view plural{};
  bool namespaced = true;

  std::string_view singular{};     // empty: the kind in lower case
  std::string_view list_kind{};    // empty: the kind with "List"
  std::string_view short_names{};  // "ws, site"
  std::string_view categories{};   // "all"
  std::string_view description{};
  PrinterColumn columns[16]{};
  ScalePaths scale{};  // empty: no subresource scale
  // Whether status is a subresource, with writes of its own. By default: if there is a member
  // `status`.
  std::optional<bool> status_subresource{};
  std::string_view selectable_fields{};  // ".spec.color, .spec.size"
  // The version in which objects are stored. If no version of a kind says so, the first is it.
  bool storage = false;
  bool served = true;
  bool deprecated = false;
  std::string_view deprecation_warning{};
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_CUSTOM_KIND_H_
