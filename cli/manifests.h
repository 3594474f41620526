// cli/manifests.h
//
// The objects in files, folders and on standard input, for `kinformer apiserver --load`.

#ifndef KINFORMER_CLI_MANIFESTS_H_
#define KINFORMER_CLI_MANIFESTS_H_

#include <istream>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/manifests.h"

namespace kinformer::cli {

// Reads the paths as ReadManifests does, `input` for "-". Custom resource definitions come first,
// then namespaces; otherwise the order is kept. The first error ends it. `warnings` receives
// messages about repeated keys, of which the last value counts.
Result<std::vector<Manifest>> ReadManifestsToLoad(const std::vector<std::string>& paths,
                                                  std::istream& input,
                                                  std::vector<std::string>& warnings);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_MANIFESTS_H_
