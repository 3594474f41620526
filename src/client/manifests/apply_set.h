// client/manifests/apply_set.h
//
// ApplySetParent: the object that says which kinds and namespaces an apply set has.

#ifndef KINFORMER_CLIENT_MANIFESTS_APPLY_SET_H_
#define KINFORMER_CLIENT_MANIFESTS_APPLY_SET_H_

#include <set>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/client/apply_manifests.h"
#include "kinformer/client/rest_mapper.h"
#include "kinformer/json/json.h"

#include "client/manifests/object_requests.h"

namespace kinformer::internal::manifests {

inline constexpr char kPartOf[] = "applyset.kubernetes.io/part-of";

// Kinds and namespaces of a set's members.
struct Members {
  std::set<GroupKind> kinds{};
  std::set<std::string> namespaces{};  // without ""
};

// Thread-compatible.
class ApplySetParent {
 public:
  // Reads the parent. kInvalidArgument: the kind may not be a parent; kConflict: another program
  // owns it, or it is no parent; kNotFound: a custom resource that does not exist.
  static Result<ApplySetParent> Read(const ObjectRequests& requests, const ApplySet& set);

  [[nodiscard]] const std::string& id() const { return id_; }
  // Returns the members that it had.
  [[nodiscard]] const Members& before() const { return before_; }
  // Adds the label of the set. kConflict: the object names another set.
  Result<void> Label(json::Value& object) const;
  // kConflict: `live` belongs to another set.
  Result<void> CheckMember(const json::Value& live) const;
  // Writes these members into the parent.
  Result<void> Write(const ObjectRequests& requests, const Members& members,
                     const std::string& field_manager) const;

 private:
  ApplySetParent(Target target, std::string id, std::string tooling)
      : target_(std::move(target)), id_(std::move(id)), tooling_(std::move(tooling)) {}
  Result<void> Check(const json::Value& live);

  Target target_;
  std::string id_;
  std::string tooling_;
  Members before_;
};

}  // namespace kinformer::internal::manifests

#endif  // KINFORMER_CLIENT_MANIFESTS_APPLY_SET_H_
