#include "cli/collections.h"

#include "cli/arguments.h"
#include "cli/format.h"
#include "cli/kubectl_habits.h"

namespace kinformer::cli {

void AddCollectionFlags(Command& command, CollectionFlags& flags) {
  command.Positionals("RESOURCE", flags.resources,
                      "whole collections: pods,nodes,widgets.example.com");
  command.Option("-n,--namespace", flags.namespace_, "NS",
                 "only objects of this namespace; all where it is not given");
  command.Option("-l,--selector", flags.label_selector, "SELECTOR",
                 "only objects with these labels: app=web,tier in (front,back)");
  command.Option("--field-selector", flags.field_selector, "SELECTOR",
                 "only objects with these fields: spec.nodeName=node-7");
  AddConnectionFlags(command, flags.connection);
  AddReadingHabits(command);
}

Result<void> CheckCollections(const CollectionFlags& flags, std::string_view why) {
  const Result<std::vector<Asked>> asked = ReadArguments(flags.resources);
  if (!asked) return asked.error();
  for (const Asked& one : *asked) {
    if (one.name.empty()) continue;
    return Error(Reason::kInvalidArgument, std::string(why) + ", not single objects: write " +
                                               one.resource +
                                               " and --field-selector metadata.name=" + one.name);
  }
  return {};
}

Result<std::vector<Selection>> SelectCollections(const Connection& connection,
                                                 const CollectionFlags& flags,
                                                 const CallOptions& call) {
  const SelectionFlags selected{.arguments = flags.resources,
                                .namespace_ = flags.namespace_,
                                .all_namespaces = flags.namespace_.empty(),
                                .label_selector = flags.label_selector,
                                .field_selector = flags.field_selector};
  return Select(connection, selected, Format{.form = Format::Form::kJson}, call);
}

}  // namespace kinformer::cli
