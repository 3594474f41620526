// apiserver/request/member_changes.h
//
// MemberChanges: collects a merge's changes of one object's members, and applies them in one pass.

#ifndef KINFORMER_APISERVER_REQUEST_MEMBER_CHANGES_H_
#define KINFORMER_APISERVER_REQUEST_MEMBER_CHANGES_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Existing members are changed in place in the meantime. Adding and erasing members one at a time
// would take quadratic time.
class MemberChanges {
 public:
  void Erase(std::string_view name) { gone_.emplace(name); }
  // Adds a member that the object lacks. The reference is valid until the next Add.
  json::Value& Add(std::string_view name, json::Value value);
  void ApplyTo(json::Value& object) &&;

 private:
  std::vector<json::Object::Member> fresh_;
  std::set<std::string, std::less<>> gone_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_MEMBER_CHANGES_H_
