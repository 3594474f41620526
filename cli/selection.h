// cli/selection.h
//
// Which objects a command is about: the options for it, and the informer that they mean.

#ifndef KINFORMER_CLI_SELECTION_H_
#define KINFORMER_CLI_SELECTION_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/discovery.h"
#include "kinformer/list_watch.h"
#include "kinformer/result.h"

#include "cli/command_line.h"
#include "cli/connection.h"
#include "table/columns.h"

namespace kinformer::cli {

struct SelectionFlags {
  std::vector<std::string> arguments{};  // see arguments.h
  std::string namespace_{};
  bool all_namespaces = false;
  std::string label_selector{};
  std::string field_selector{};
  std::string output{};  // "", "wide", "name", "json", "yaml"
  bool show_managed_fields = false;
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
  bool show_managed_fields = false;
  [[nodiscard]] bool shows_namespaces() const { return mapping.namespaced && namespace_.empty(); }
  // "pods \"web-0\"", "pods" where all are meant; and where.
  [[nodiscard]] std::string Description() const;
  // "pod/web-0", "deployment.apps/web".
  [[nodiscard]] std::string QualifiedName(std::string_view object_name) const;
  [[nodiscard]] std::unique_ptr<ListerWatcher> NewListWatch(const Client& client) const;
};

// Checks the selectors and asks the server about each resource; about one of a custom kind also for
// the columns that its definition wants, which may be more than the user may know. One for each
// resource and name that the arguments ask for, in their order. Errors of the flags themselves are
// kInvalidArgument.
Result<std::vector<Selection>> Select(const Connection& connection, const SelectionFlags& flags,
                                      const CallOptions& call);

// Prints why they could not be read, and gives the exit status kFailure. See report.h.
int FailToRead(const Error& error, const std::vector<Selection>& selections,
               const std::string& origin);

// Are they of different resources? Names are printed with theirs, then.
bool OfSeveralResources(const std::vector<const Selection*>& selections);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SELECTION_H_
