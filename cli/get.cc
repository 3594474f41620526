#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/object/object.h"

#include "cli/commands.h"
#include "cli/first_sync.h"
#include "cli/format.h"
#include "cli/kubectl_habits.h"
#include "cli/printable.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/rows.h"
#include "cli/selection.h"
#include "cli/sorting.h"
#include "cli/table.h"

namespace kinformer::cli {
namespace {

struct GetFlags {
  ConnectionFlags connection{};
  SelectionFlags selection{};
  bool watch = false;
  bool watch_only = false;
  bool output_watch_events = false;
  bool ignore_not_found = false;
  std::string sort_by{};
};

// Returns the objects of a synced cache, sorted by namespace and name.
Result<std::vector<json::Value>> Fetch(const Connection& connection, const Selection& selection,
                                       const Format& format, const std::stop_token& stop) {
  FirstSync first_sync;
  InformerOptions<Object> options;
  options.drop_managed_fields = !format.keeps_managed_fields();
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

// An object, and the request that found it.
struct Found {
  const Selection* selection;
  json::Value object;
};

Error NotFound(const Selection& selection) {
  std::string text = selection.Description() + " not found";
  if (!selection.namespace_.empty()) {
    text += " in namespace " + selection.namespace_ +
            "; -n NS looks in another, and without a name -A in all";
  }
  return Error(Reason::kNotFound, text);
}

// Brings the objects in the order of --sort-by.
Result<void> Sort(const std::string& path, std::vector<Found>& found) {
  std::vector<const json::Value*> objects;
  for (const Found& one : found) objects.push_back(&one.object);
  const Result<std::vector<std::size_t>> order = OrderBy(path, objects);
  if (!order) return order.error();
  std::vector<Found> sorted;
  sorted.reserve(found.size());
  for (const std::size_t position : *order) sorted.push_back(std::move(found[position]));
  found = std::move(sorted);
  return {};
}

// Prints the objects of one resource, or all with custom columns.
Result<void> PrintTable(const Format& format, const Selection& selection,
                        std::span<const Found> found, bool qualified, WallTime now) {
  const Rows rows(format, selection, qualified);
  std::vector<std::vector<std::string>> lines;
  if (!format.no_headers) lines.push_back(rows.Titles());
  for (const Found& one : found) {
    Result<std::vector<std::string>> cells = rows.Cells(one.object, now);
    if (!cells) return std::move(cells).error();
    lines.push_back(*std::move(cells));
  }
  Table table;
  for (const auto& line : lines) table.Measure(line);
  for (const auto& line : lines) std::cout << table.Line(line) << '\n';
  return {};
}

// Prints one table for each run of neighbouring objects of one resource.
Result<void> PrintTables(const Format& format, const std::vector<Found>& found, bool qualified,
                         WallTime now) {
  for (std::size_t i = 0; i < found.size();) {
    std::size_t next = i + 1;
    while (next < found.size() &&
           !OfSeveralResources({found[i].selection, found[next].selection})) {
      ++next;
    }
    if (i > 0 && !format.no_headers) std::cout << '\n';
    Result<void> printed = PrintTable(format, *found[i].selection,
                                      std::span(found).subspan(i, next - i), qualified, now);
    if (!printed) return printed;
    i = next;
  }
  return {};
}

Result<void> PrintDocument(const Format& format, std::vector<Found> found, bool is_single) {
  json::Value document;
  if (is_single) {
    document = std::move(found.front().object);
  } else {
    document =
        json::Value::MakeObject({{"apiVersion", "v1"},
                                 {"items", json::Value::MakeArray()},
                                 {"kind", "List"},
                                 {"metadata", json::Value::MakeObject({{"resourceVersion", ""}})}});
    for (Found& one : found) document.Ensure("items").Append(std::move(one.object));
  }
  const Result<std::string> text = DocumentPrinter(format).Print(document);
  if (!text) return text.error();
  std::cout << *text;
  return {};
}

void PrintNames(const std::vector<Found>& found) {
  for (const Found& one : found) {
    std::cout << Printable(
                     one.selection->QualifiedName(one.object["metadata"]["name"].StringOrEmpty()))
              << '\n';
  }
}

void SayNothingFound(const std::vector<Selection>& selections) {
  const std::string& namespace_ = selections.front().namespace_;
  const bool everywhere =
      std::any_of(selections.begin(), selections.end(),
                  [&](const Selection& selection) { return selection.namespace_ != namespace_; });
  std::cerr << "No resources found";
  if (!namespace_.empty() && !everywhere) std::cerr << " in " << namespace_ << " namespace.";
  std::cerr << '\n';
}

Result<void> Print(const GetFlags& flags, const Format& format,
                   const std::vector<Selection>& selections, std::vector<Found> found,
                   bool is_incomplete, WallTime now) {
  const bool is_single = selections.size() == 1 && !selections.front().name.empty();
  if (found.empty() && (is_incomplete || is_single)) return {};  // each was requested by name
  if (!flags.sort_by.empty()) {
    if (Result<void> sorted = Sort(flags.sort_by, found); !sorted) return sorted;
  }
  Result<void> printed;
  if (format.columns) {
    printed = PrintTable(format, selections.front(), found, /*qualified=*/false, now);
  } else if (format.form == Format::Form::kName) {
    PrintNames(found);
  } else if (!format.is_table()) {
    printed = PrintDocument(format, std::move(found), is_single);
  } else if (found.empty()) {
    if (!flags.ignore_not_found) SayNothingFound(selections);
  } else {
    if (!flags.sort_by.empty()) {
      // Sorted within each resource, which come in the order of the request.
      std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return a.selection < b.selection && OfSeveralResources({a.selection, b.selection});
      });
    }
    std::vector<const Selection*> shown;
    for (const Selection& selection : selections) shown.push_back(&selection);
    printed = PrintTables(format, found, OfSeveralResources(shown), now);
  }
  std::cout.flush();
  return printed;
}

// Returns the exit status of a failed command. An interrupt prints no message.
int FailGet(const Error& error, const std::vector<Selection>& selections,
            const std::string& origin) {
  return error.reason() == Reason::kCanceled ? kFailure : FailToRead(error, selections, origin);
}

int FailFlags(const Error& error) {
  return error.reason() == Reason::kInvalidArgument ? UsageError(error.message()) : Fail(error);
}

int RunGet(const GetFlags& flags) {
  const bool watches = flags.watch || flags.watch_only;
  const Result<Format> format = ReadFormat(flags.selection.format);
  if (!format) return FailFlags(format.error());
  if (flags.output_watch_events && !watches) {
    return UsageError("--output-watch-events goes with --watch or --watch-only");
  }
  if (!flags.sort_by.empty()) {
    if (const Result<void> checked = CheckSortBy(flags.sort_by); !checked) {
      return FailFlags(checked.error());
    }
    if (watches) return UsageError("--sort-by needs all objects; it does not go with --watch");
  }
  if (watches) {
    return RunGetWatch(flags.connection, flags.selection, *format,
                       {.initial = !flags.watch_only, .events = flags.output_watch_events});
  }
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;

  Progress progress(*connection, connection->client.Describe());
  const Result<std::vector<Selection>> selections =
      Select(*connection, flags.selection, *format, {.stop = stop.token()});
  if (!selections) progress.Done();
  if (!selections && selections.error().reason() == Reason::kInvalidArgument) {
    return UsageError(selections.error().message());
  }
  if (!selections) return FailGet(selections.error(), {}, origin);
  std::vector<Found> found;
  std::vector<const Selection*> missing;
  for (const Selection& selection : *selections) {
    Result<std::vector<json::Value>> objects = Fetch(*connection, selection, *format, stop.token());
    if (!objects) {
      progress.Done();
      return FailGet(objects.error(), *selections, origin);
    }
    if (objects->empty() && !selection.name.empty()) missing.push_back(&selection);
    for (json::Value& object : *objects) found.push_back({&selection, std::move(object)});
  }
  progress.Done();
  const Result<void> printed = Print(flags, *format, *selections, std::move(found),
                                     !missing.empty(), connection->client.env().WallNow());
  if (!printed) return Fail(printed.error());
  if (flags.ignore_not_found) return 0;
  for (const Selection* selection : missing) Fail(NotFound(*selection), origin);
  return missing.empty() ? 0 : kFailure;
}

}  // namespace

void RegisterGet(CommandLine& line) {
  auto flags = std::make_shared<GetFlags>();
  Command& command =
      line.Add("get", "Print objects, from the cache of an informer that has synced");
  AddSelectionFlags(command, flags->selection);
  command.Option("--sort-by", flags->sort_by, "PATH",
                 "sort by the value at this JSONPath: .metadata.creationTimestamp");
  command.Flag("--ignore-not-found", flags->ignore_not_found, "a name that is missing is no error");
  command.Flag("-w,--watch", flags->watch, "go on with the objects that change");
  command.Flag("--watch-only", flags->watch_only, "print only the objects that change");
  command.Flag("--output-watch-events", flags->output_watch_events,
               "print the events of --watch: ADDED, MODIFIED, DELETED");
  AddConnectionFlags(command, flags->connection);
  AddReadingHabits(command);
  command.Run([flags] { return RunGet(*flags); });
}

}  // namespace kinformer::cli
