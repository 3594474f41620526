// cel/access.h
//
// AccessChecker: answers what expressions ask of `authorizer`.

#ifndef KINFORMER_CEL_ACCESS_H_
#define KINFORMER_CEL_ACCESS_H_

#include <string>
#include <utility>

namespace kinformer::internal::cel {

// Question of a check: about a path if `path` is not empty, else about a resource.
struct AccessQuestion {
  // A service account instead of the sender of the request, if the name is not empty.
  std::string account_namespace{};
  std::string account{};
  std::string path{};
  std::string group{};
  std::string resource{};
  std::string subresource{};
  std::string namespace_{};
  std::string name{};
  std::string field_selector{};
};

struct AccessAnswer {
  bool allowed = false;
  std::string reason{};
};

class AccessChecker {
 public:
  virtual ~AccessChecker() = default;
  [[nodiscard]] virtual AccessAnswer Check(const AccessQuestion& question,
                                           const std::string& verb) const = 0;
};

// A question as far as an expression has put it together. `checker` must outlive it.
struct AccessCheck {
  const AccessChecker* checker = nullptr;
  AccessQuestion question{};
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_ACCESS_H_
