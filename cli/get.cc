#include <algorithm>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/object/object.h"

#include "cli/commands.h"
#include "cli/first_sync.h"
#include "cli/kubectl_habits.h"
#include "cli/output.h"
#include "cli/printable.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "cli/table.h"
#include "table/columns.h"

namespace kinformer::cli {
namespace {

struct GetFlags {
  ConnectionFlags connection{};
  SelectionFlags selection{};
  bool watch = false;
};

// Returns the objects of a synced cache, sorted by namespace and name.
Result<std::vector<json::Value>> Fetch(const Connection& connection, const Selection& selection,
                                       const std::stop_token& stop) {
  FirstSync first_sync;
  InformerOptions<Object> options;
  options.drop_managed_fields = !selection.show_managed_fields;
  SharedInformer<Object> informer(connection.client.env(),
                                  selection.NewListWatch(connection.client), std::move(options));
  first_sync.Attach(informer);
  if (Result<void> synced = first_sync.StartAndWait(informer, stop); !synced) {
    informer.Stop();
    return std::move(synced).error();
  }
  const Snapshot<Object> snapshot = informer.Snapshot();
  std::vector<const internal::Block*> blocks;
  for (const Object object : snapshot) blocks.push_back(object.block());
  std::sort(blocks.begin(), blocks.end(), [](const auto* a, const auto* b) {
    return std::pair(a->namespace_(), a->name()) < std::pair(b->namespace_(), b->name());
  });
  std::vector<json::Value> objects;
  objects.reserve(blocks.size());
  for (const internal::Block* block : blocks) {
    Result<json::Value> object = json::Parse(Object(block).ToJson());
    if (!object) return std::move(object).error();
    objects.push_back(*std::move(object));
  }
  const InformerStats stats = informer.Stats();
  informer.Stop();
  if (stats.unreadable != 0) {
    std::cerr << LineStart() << "warning: " << stats.unreadable
              << " objects are malformed and not shown; the server's data is damaged, or this "
                 "program too old\n";
  }
  return objects;
}

void PrintTable(const Selection& selection, const std::vector<json::Value>& objects, bool wide,
                bool qualified, WallTime now) {
  const internal::table::Columns& columns = selection.columns;
  std::vector<std::vector<std::string>> rows;
  rows.push_back(internal::table::TitlesOf(columns, wide));
  if (selection.shows_namespaces()) rows.front().insert(rows.front().begin(), "NAMESPACE");
  for (const json::Value& object : objects) {
    std::vector<std::string> cells = internal::table::CellsOf(columns, object, wide, now);
    if (qualified && !cells.empty()) {
      cells.front() = selection.QualifiedName(object["metadata"]["name"].StringOrEmpty());
    }
    if (selection.shows_namespaces()) {
      cells.insert(cells.begin(), object["metadata"]["namespace"].StringOrEmpty());
    }
    rows.push_back(std::move(cells));
  }
  Table table;
  for (const auto& row : rows) table.Measure(row);
  for (const auto& row : rows) std::cout << table.Line(row) << '\n';
}

// Objects found for one resource or name.
struct Found {
  const Selection* selection;
  std::vector<json::Value> objects;
};

Error NotFound(const Selection& selection) {
  std::string text = selection.Description() + " not found";
  if (!selection.namespace_.empty()) {
    text += " in namespace " + selection.namespace_ +
            "; -n NS looks in another, and without a name -A in all";
  }
  return Error(Reason::kNotFound, text);
}

// Prints one table for each run of neighbouring results with the same resource.
void PrintTables(std::vector<Found> found, bool wide, bool qualified, WallTime now) {
  bool printed = false;
  for (std::size_t i = 0; i < found.size();) {
    std::vector<json::Value> objects = std::move(found[i].objects);
    std::size_t next = i + 1;
    while (next < found.size() &&
           !OfSeveralResources({found[i].selection, found[next].selection})) {
      std::move(found[next].objects.begin(), found[next].objects.end(),
                std::back_inserter(objects));
      ++next;
    }
    if (!objects.empty()) {
      if (printed) std::cout << '\n';
      PrintTable(*found[i].selection, objects, wide, qualified, now);
      printed = true;
    }
    i = next;
  }
}

void PrintDocument(std::vector<Found> found, bool is_single, const std::string& form) {
  json::Value document;
  if (is_single) {
    document = std::move(found.front().objects.front());
  } else {
    document =
        json::Value::MakeObject({{"apiVersion", "v1"},
                                 {"items", json::Value::MakeArray()},
                                 {"kind", "List"},
                                 {"metadata", json::Value::MakeObject({{"resourceVersion", ""}})}});
    for (Found& one : found) {
      for (json::Value& object : one.objects) document.Ensure("items").Append(std::move(object));
    }
  }
  std::cout << (form == "json" ? KubectlJson(document) + "\n" : KubectlYaml(std::move(document)));
}

void PrintNames(const std::vector<Found>& found) {
  for (const Found& one : found) {
    for (const json::Value& object : one.objects) {
      std::cout << Printable(
                       one.selection->QualifiedName(object["metadata"]["name"].StringOrEmpty()))
                << '\n';
    }
  }
}

void SayNothingFound(const std::vector<Selection>& selections) {
  const std::string& namespace_ = selections.front().namespace_;
  const bool everywhere =
      std::any_of(selections.begin(), selections.end(),
                  [&](const Selection& selection) { return selection.namespace_ != namespace_; });
  std::cerr << "No resources found"
            << (namespace_.empty() || everywhere ? "" : " in " + namespace_ + " namespace")
            << ".\n";
}

void Print(const std::vector<Selection>& selections, std::vector<Found> found,
           const std::string& form, WallTime now) {
  if (found.empty()) return;  // each was requested by name and is missing
  if (form == "json" || form == "yaml") {
    const bool is_single = selections.size() == 1 && !selections.front().name.empty();
    PrintDocument(std::move(found), is_single, form);
  } else if (form == "name") {
    PrintNames(found);
  } else if (std::all_of(found.begin(), found.end(),
                         [](const Found& one) { return one.objects.empty(); })) {
    SayNothingFound(selections);
  } else {
    std::vector<const Selection*> shown;
    for (const Found& one : found) shown.push_back(one.selection);
    PrintTables(std::move(found), form == "wide", OfSeveralResources(shown), now);
  }
  std::cout.flush();
}

// Returns the exit status of a failed command. An interrupt prints no message.
int FailGet(const Error& error, const std::vector<Selection>& selections,
            const std::string& origin) {
  return error.reason() == Reason::kCanceled ? kFailure : FailToRead(error, selections, origin);
}

int RunGet(const GetFlags& flags) {
  if (flags.watch) return RunWatch(flags.connection, flags.selection, /*trace=*/false);
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;

  Progress progress(*connection, connection->client.Describe());
  const Result<std::vector<Selection>> selections =
      Select(*connection, flags.selection, {.stop = stop.token()});
  if (!selections) progress.Done();
  if (!selections && selections.error().reason() == Reason::kInvalidArgument) {
    return UsageError(selections.error().message());
  }
  if (!selections) return FailGet(selections.error(), {}, origin);
  std::vector<Found> found;
  std::vector<const Selection*> missing;
  for (const Selection& selection : *selections) {
    Result<std::vector<json::Value>> objects = Fetch(*connection, selection, stop.token());
    if (!objects) {
      progress.Done();
      return FailGet(objects.error(), *selections, origin);
    }
    if (objects->empty() && !selection.name.empty()) {
      missing.push_back(&selection);
    } else {
      found.push_back({&selection, *std::move(objects)});
    }
  }
  progress.Done();
  Print(*selections, std::move(found), flags.selection.output, connection->client.env().WallNow());
  for (const Selection* selection : missing) Fail(NotFound(*selection), origin);
  return missing.empty() ? 0 : kFailure;
}

}  // namespace

void RegisterGet(CommandLine& line) {
  auto flags = std::make_shared<GetFlags>();
  Command& command =
      line.Add("get", "Print objects, from the cache of an informer that has synced");
  AddSelectionFlags(command, flags->selection);
  command.Flag("-w,--watch", flags->watch, "go on with the changes, as `kinformer watch` does");
  AddConnectionFlags(command, flags->connection);
  AddReadingHabits(command);
  command.Run([flags] { return RunGet(*flags); });
}

}  // namespace kinformer::cli
