// config/config_errors.h
//
// Parts of messages about kubeconfigs.

#ifndef KINFORMER_CONFIG_CONFIG_ERRORS_H_
#define KINFORMER_CONFIG_CONFIG_ERRORS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "kinformer/base/error.h"

namespace kinformer::internal::config {

// Returns "known contexts: a, b".
template <class Map>
std::string Names(const Map& map, const std::string& what) {
  if (map.empty()) return "there are no " + what;
  std::string out = "known " + what + ": ";
  std::size_t shown = 0;
  for (const auto& [name, entry] : map) {
    if (shown == 20) {
      out += ", and " + std::to_string(map.size() - shown) + " more";
      break;
    }
    out += (shown++ == 0 ? "" : ", ") + name;
  }
  return out;
}

// Returns the name of the kubeconfig.
inline std::string In(const std::string& origin) {
  return origin.empty() ? "the kubeconfig" : origin;
}

// Returns what an entry is called in a message: `user "u" of /f`; only `what` without a name.
inline std::string PlaceOf(const std::string& what, const std::string& name,
                           const std::string& origin) {
  return name.empty() ? what : what + " \"" + name + "\" of " + In(origin);
}

// Returns kConfig with a cause that clientcmd.h's predicates find.
inline Error Classified(const std::string& cause, const std::string& message) {
  StatusDetails details;
  details.causes.push_back({.reason = cause, .message = message});
  return Error(Reason::kConfig, message).WithDetails(std::move(details));
}

// Returns one error for all problems, each of which is a cause.
inline Error Invalid(const std::vector<std::string>& problems) {
  StatusDetails details;
  std::string message = "invalid configuration: ";
  for (const auto& problem : problems) {
    if (&problem != &problems.front()) message += "; ";
    message += problem;
    details.causes.push_back({.reason = "ConfigurationInvalid", .message = problem});
  }
  return Error(Reason::kConfig, message).WithDetails(std::move(details));
}

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_CONFIG_ERRORS_H_
