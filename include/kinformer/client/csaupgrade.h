// kinformer/client/csaupgrade.h
//
// csaupgrade: hands the fields that a program has written with Update (client-side apply) over to
// the manager that it applies with from then on. Otherwise the server never removes fields that the
// applied document lacks: their old manager still owns them.
//
//   const auto patch = csaupgrade::UpgradeManagedFieldsPatch(live, {"old-tool"}, "web-operator");
//   if (patch && *patch) deployments.Patch("web", **patch).OrExit();
//
// Counterpart: k8s.io/client-go/util/csaupgrade.

#ifndef KINFORMER_CLIENT_CSAUPGRADE_H_
#define KINFORMER_CLIENT_CSAUPGRADE_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/client/managedfields.h"
#include "kinformer/client/patch.h"
#include "kinformer/json/json.h"

namespace kinformer::csaupgrade {

// Options of a take-over.
struct Options {
  // The subresource whose entries are handed over; empty: those of the object itself. Counterpart:
  // csaupgrade.Subresource.
  std::string subresource{};
};

// Changes metadata.managedFields of `object`: the entries of `csa_managers` with operation Update
// become part of the Apply entry of `ssa_manager`. If there is none, the first of them becomes it.
// Of the others, only those of its apiVersion can be united with it; all are removed. Changes
// nothing if these managers own nothing. kDecode: managedFields are malformed; nothing is changed.
// Thread-compatible; never blocks.
Result<void> UpgradeManagedFields(json::Value& object, const std::set<std::string>& csa_managers,
                                  std::string_view ssa_manager, const Options& options = {});

// Returns the same as a JSON patch that fails with kConflict if the object is not at the given
// version any more; empty if there is nothing to change. kInvalidArgument: the object has no
// resourceVersion.
[[nodiscard]] Result<std::optional<Patch>> UpgradeManagedFieldsPatch(
    const json::Value& object, const std::set<std::string>& csa_managers,
    std::string_view ssa_manager, const Options& options = {});

// Returns the entries with this operation ("Apply", "Update") that own some of `fields`, in their
// order. Entries that cannot be read are omitted.
[[nodiscard]] json::Array FindFieldsOwners(const json::Array& managed_fields,
                                           std::string_view operation,
                                           const managedfields::FieldSet& fields);

}  // namespace kinformer::csaupgrade

#endif  // KINFORMER_CLIENT_CSAUPGRADE_H_
