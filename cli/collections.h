// cli/collections.h
//
// Whole collections of a cluster: what commands take that have informers of them.

#ifndef KINFORMER_CLI_COLLECTIONS_H_
#define KINFORMER_CLI_COLLECTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

#include "cli/command_line.h"
#include "cli/connection.h"
#include "cli/selection.h"

namespace kinformer::cli {

struct CollectionFlags {
  ConnectionFlags connection{};
  std::vector<std::string> resources{};
  std::string namespace_{};  // empty: all
  std::string label_selector{};
  std::string field_selector{};
};

void AddCollectionFlags(Command& command, CollectionFlags& flags);

// Refuses names of single objects. `why` begins the message: "whole collections are exported".
Result<void> CheckCollections(const CollectionFlags& flags, std::string_view why);

// Resolves the resources with the server. See Select.
Result<std::vector<Selection>> SelectCollections(const Connection& connection,
                                                 const CollectionFlags& flags,
                                                 const CallOptions& call);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_COLLECTIONS_H_
