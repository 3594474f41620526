// cli/selection.h
//
// Which objects a command is about: the options for it, and the informer that they mean.

#ifndef KINFORMER_CLI_SELECTION_H_
#define KINFORMER_CLI_SELECTION_H_

#include <memory>
#include <string>

#include "kinformer/discovery.h"
#include "kinformer/list_watch.h"
#include "kinformer/result.h"

#include "cli/command_line.h"
#include "cli/connection.h"
#include "table/columns.h"

namespace kinformer::cli {

struct SelectionFlags {
  std::string resource{};  // "pods", "po", "deployments.apps", "pod/web-0"
  std::string name{};
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::string field_selector{};
  std::string output{};  // "", "wide", "name", "json", "yaml"
};

void AddSelectionFlags(Command& command, SelectionFlags& flags);

// What was asked for, found on the server.
struct Selection {
  RestMapping mapping{};
  const internal::TypeInfo* type = nullptr;
  std::string namespace_{};  // empty: all, or the kind has none
  std::string name{};        // empty: all
  std::string label_selector{};
  std::string field_selector{};
  internal::table::Columns columns{};  // of tables
  [[nodiscard]] bool shows_namespaces() const { return mapping.namespaced && namespace_.empty(); }
  // "pod/web-0", "deployment.apps/web".
  [[nodiscard]] std::string QualifiedName(std::string_view object_name) const;
  [[nodiscard]] std::unique_ptr<ListerWatcher> NewListWatch(const Client& client) const;
};

// Checks the selectors and asks the server about the resource; about one of a custom kind also for
// the columns that its definition wants, which may be more than the user may know. Errors of the
// flags themselves are kInvalidArgument.
Result<Selection> Select(const Connection& connection, const SelectionFlags& flags,
                         const CallOptions& call);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SELECTION_H_
