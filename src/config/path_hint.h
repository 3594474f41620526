// config/path_hint.h
//
// Advice for a path that does not exist, if the path itself shows the mistake.

#ifndef KINFORMER_CONFIG_PATH_HINT_H_
#define KINFORMER_CONFIG_PATH_HINT_H_

#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::config {

// For one path, and for the list of paths in $KUBECONFIG. Begin with "; "; empty if the mistake is
// not obvious.
[[nodiscard]] std::string PathHint(std::string_view path);
[[nodiscard]] std::string PathListHint(std::string_view list);

// Whether a text where a name is expected is a path: it looks like one, or a file with that name
// exists.
[[nodiscard]] bool LooksLikePath(const std::string& text);

// Returns the files of $KUBECONFIG, separated by ':', without empty ones and duplicates, in order.
std::vector<std::string> SplitPathList(std::string_view list);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_PATH_HINT_H_
