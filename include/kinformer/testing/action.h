// kinformer/testing/action.h
//
// testing::Action: a request of a client as a test sees it: what it does to which object.
//
//   EXPECT_THAT(fake.Actions(),
//               Contains(Action{.verb = "delete",
//                               .resource = {"", "v1", "pods"},
//                               .namespace_ = "default",
//                               .name = "web-0"}));

#ifndef KINFORMER_TESTING_ACTION_H_
#define KINFORMER_TESTING_ACTION_H_

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/client/list_options.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/json/json.h"
#include "kinformer/object/group_version_resource.h"

namespace kinformer::testing {

// A value. Compared and printed as a whole, but for its query. Counterpart: testing.Action, with
// all its kinds in one.
struct Action {
  // get, list, watch, create, update, patch, delete, deletecollection. Of a request for a path that
  // belongs to no resource ("/version"): the method in small letters.
  std::string verb{};
  GroupVersionResource resource{};  // empty if `path` is set
  std::string subresource{};        // "status", "scale"
  std::string namespace_{};         // empty: all namespaces, or a kind without them
  std::string name{};               // of a create, too, if its object has one
  // The body as JSON, whatever its encoding: the object of a create or update, the patch of a
  // patch, the DeleteOptions of a delete. Null: there is none.
  json::Value object{};
  std::optional<PatchType> patch_type{};
  // Restrictions of a list, a watch or a deletecollection.
  std::string label_selector{};
  std::string field_selector{};
  std::string path{};  // of a request that is about no resource
  // The query of the request as it was sent, without the question mark. Lists and watches of
  // informers have much in it that no test is about: two actions that differ in it are equal.
  std::string query{};

  // Return the options that the client's call had, read from the query, and those of a deletion
  // from its body, too. Options that should be numbers and are none are as those that are not set.
  // Counterpart: the methods of these names of client-go's actions.
  [[nodiscard]] GetOptions GetGetOptions() const;
  [[nodiscard]] ListOptions GetListOptions() const;  // of a watch and a deletecollection, too
  [[nodiscard]] CreateOptions GetCreateOptions() const;
  [[nodiscard]] UpdateOptions GetUpdateOptions() const { return GetCreateOptions(); }
  [[nodiscard]] PatchOptions GetPatchOptions() const;
  [[nodiscard]] DeleteOptions GetDeleteOptions() const;
  // Returns the values of a parameter of the query. Counterpart: ProxyGetAction.GetParams.
  [[nodiscard]] std::vector<std::string> GetParams(std::string_view parameter) const;

  // Returns true if the action is covered by both patterns. `verb_pattern`: a verb, or "*".
  // `resource_pattern`: "*", "pods" with all its subresources, or "pods/status" without the others.
  [[nodiscard]] bool Matches(std::string_view verb_pattern,
                             std::string_view resource_pattern) const;
  friend bool operator==(const Action& a, const Action& b);
};

// Prints "update pods/status default/web-0 {...}".
std::ostream& operator<<(std::ostream& out, const Action& action);

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_ACTION_H_
