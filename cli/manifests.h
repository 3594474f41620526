// cli/manifests.h
//
// The objects in files, folders and on standard input, for `kinformer apiserver --load`.

#ifndef KINFORMER_CLI_MANIFESTS_H_
#define KINFORMER_CLI_MANIFESTS_H_

#include <istream>
#include <string>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

namespace kinformer::cli {

struct Manifest {
  std::string place{};  // "pods.yaml:12", where it begins
  json::Value object{};
};

// Reads each path: a file of YAML or JSON, all such files of a folder by their names (not of the
// folders in it), or "-", which is `input`. Items of a List are objects of their own. Definitions
// of custom resources come first and namespaces next; else the order stays. Errors: kConfig for
// what cannot be read; kDecode with file, line and column.
// `warnings` receives what is to be said of keys that occur twice: the last value counts.
Result<std::vector<Manifest>> ReadManifests(const std::vector<std::string>& paths,
                                            std::istream& input,
                                            std::vector<std::string>& warnings);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_MANIFESTS_H_
