// cli/manifests.h
//
// The objects in files, folders and on standard input, for `kinformer apiserver --load`.

#ifndef KINFORMER_CLI_MANIFESTS_H_
#define KINFORMER_CLI_MANIFESTS_H_

#include <istream>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::cli {

struct Manifest {
  std::string place{};  // "pods.yaml:12", where it begins
  json::Value object{};
};

// Reads each path: a file of YAML or JSON, all such files of a folder in the order of their names
// (not those of subfolders), or "-", which is `input`. Items of a List become separate objects.
// Custom resource definitions come first, then namespaces; otherwise the order is kept. Errors:
// kConfig for an unreadable file; kDecode with file, line and column. `warnings` receives messages
// about repeated keys, of which the last value counts.
Result<std::vector<Manifest>> ReadManifests(const std::vector<std::string>& paths,
                                            std::istream& input,
                                            std::vector<std::string>& warnings);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_MANIFESTS_H_
