// apiserver/request/member_changes.h
//
// MemberChanges: what a merge makes of the members of one object, done in one pass at its end.

#ifndef KINFORMER_APISERVER_REQUEST_MEMBER_CHANGES_H_
#define KINFORMER_APISERVER_REQUEST_MEMBER_CHANGES_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"

namespace kinformer::apiserver {

// Members that stay are changed in their places meanwhile. One at a time, new members and such that
// go would cost time by the square of their number.
class MemberChanges {
 public:
  void Erase(std::string_view name) { gone_.emplace(name); }
  // A member that the object does not have. The value may be changed until the next is added.
  json::Value& Add(std::string_view name, json::Value value);
  void ApplyTo(json::Value& object) &&;

 private:
  std::vector<json::Object::Member> fresh_;
  std::set<std::string, std::less<>> gone_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_MEMBER_CHANGES_H_
