// cli/selection.h
//
// Selection of the objects for a command: its options, and the informer for them.

#ifndef KINFORMER_CLI_SELECTION_H_
#define KINFORMER_CLI_SELECTION_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/lister_watcher.h"

#include "cli/command_line.h"
#include "cli/connection.h"
#include "cli/format.h"
#include "table/columns.h"

namespace kinformer::cli {

struct SelectionFlags {
  std::vector<std::string> arguments{};  // see arguments.h
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::string field_selector{};
  std::vector<std::string> files{};  // in the place of arguments
  FormatFlags format{};
};

void AddSelectionFlags(Command& command, SelectionFlags& flags);

// A selection with its resource resolved by the server.
struct Selection {
  RestMapping mapping{};
  const KindInfo* type = nullptr;
  std::string namespace_{};  // empty: all, or a cluster-scoped kind
  std::string name{};        // empty: all
  std::string label_selector{};
  std::string field_selector{};
  internal::table::Columns columns{};  // columns of tables
  [[nodiscard]] bool shows_namespaces() const { return mapping.namespaced && namespace_.empty(); }
  // Returns "pods \"web-0\"", or "pods" for all, and the namespace.
  [[nodiscard]] std::string Description() const;
  // Returns "pod/web-0" or "deployment.apps/web".
  [[nodiscard]] std::string QualifiedName(std::string_view object_name) const;
  [[nodiscard]] std::unique_ptr<ListerWatcher> NewListWatch(const Client& client) const;
};

// Checks the selectors and resolves each resource with the server; for a custom kind also reads the
// columns of its definition, if `format` is a table. A user who may not read the definition gets
// the default columns. Returns one selection for each resource and name in the arguments, in their
// order, and for each resource of a category ("all"); or for each object in the files. Errors in
// the flags themselves are kInvalidArgument.
Result<std::vector<Selection>> Select(const Connection& connection, const SelectionFlags& flags,
                                      const Format& format, const CallOptions& call);

// Prints why the objects could not be read, and returns exit status kFailure. See report.h.
int FailToRead(const Error& error, const std::vector<Selection>& selections,
               const std::string& origin);

// Whether they have different resources. If so, names are printed with their resource.
bool OfSeveralResources(const std::vector<const Selection*>& selections);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SELECTION_H_
