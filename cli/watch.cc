#include <iostream>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "kinformer/object.h"
#include "kinformer/shared_informer.h"
#include "kinformer/stop.h"
#include "kinformer/yaml.h"

#include "cli/commands.h"
#include "cli/first_sync.h"
#include "cli/output.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "cli/table.h"
#include "cli/trace.h"
#include "table/columns.h"

namespace kinformer::cli {
namespace {

struct WatchFlags {
  ConnectionFlags connection{};
  SelectionFlags selection{};
  bool trace = false;
};

// Prints one event as one line (yaml: as one document).
class EventPrinter {
 public:
  EventPrinter(Env& env, const Selection& selection, std::string format, Output& output)
      : env_(env),
        selection_(selection),
        format_(std::move(format)),
        output_(output),
        columns_(selection.columns) {}

  void Added(const Object& object) { Print("+", "ADDED", Color::kGreen, object); }
  void Updated(const Object& object) { Print("~", "MODIFIED", Color::kYellow, object); }
  void Deleted(const Object& object) { Print("-", "DELETED", Color::kRed, object); }

 private:
  void Print(const char* sign, const char* type, Color color, const Object& object) {
    const Result<json::Value> value = json::Parse(object.ToJson());
    if (!value) {
      output_.Line(std::string(sign) + " " +
                   Printable(std::string(object.block()->name()) + ": " +
                             std::string(value.error().message())));
      return;
    }
    if (format_ == "name") {
      output_.Line(
          std::string(sign) + " " + Printable(selection_.QualifiedName(object.block()->name())),
          color);
    } else if (format_ == "json") {
      output_.Line(PrintableJson(json::Value::MakeObject({{"type", type}, {"object", *value}})
                                     .Dump({.escape_html = false})));
    } else if (format_ == "yaml") {
      output_.Line(std::string("--- # ") + type + "\n" + yaml::Dump(*value), color);
    } else {
      std::vector<std::string> cells =
          internal::table::CellsOf(columns_, *value, format_ == "wide", env_.WallNow());
      if (selection_.shows_namespaces()) {
        cells.insert(cells.begin(), std::string(object.block()->namespace_()));
      }
      std::string line;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        line = table_.Line(cells);
      }
      output_.Line(std::string(sign) + " " + line, color);
    }
  }

  Env& env_;
  const Selection& selection_;
  const std::string format_;
  Output& output_;
  const internal::table::Columns& columns_;
  std::mutex mutex_;
  Table table_;
};

int RunWatch(const WatchFlags& flags) {
  StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  const Result<Selection> selection = Select(*connection, flags.selection, {.stop = stop.token()});
  if (!selection) {
    if (stop.stop_requested()) return 0;
    if (selection.error().reason() == Reason::kInvalidArgument) {
      return UsageError(selection.error().message());
    }
    return Fail(selection.error(), origin);
  }

  // The trace may come from the loop until the client has ended.
  const auto output = std::make_shared<Output>([stop]() mutable { stop.RequestStop(); });
  EventPrinter printer(connection->client.env(), *selection, flags.selection.output, *output);
  InformerOptions<Object> options;
  if (flags.trace) {
    const auto trace = std::make_shared<TracePrinter>(
        [output](const std::string& line) { output->Line(line, Color::kDim); });
    options.trace = [trace](const TraceEvent& event) { trace->Note(event); };
  }
  FirstSync first_sync;
  SharedInformer<Object> informer(connection->client.env(),
                                  selection->NewListWatch(connection->client), std::move(options));
  first_sync.Attach(informer);
  Result<EventHandlerRegistration> registration = informer.AddEventHandler(
      ResourceEventHandlerFuncs<Object>{
          .on_add = [&](const Added<Object>& event) { printer.Added(event.object); },
          .on_update = [&](const Updated<Object>& event) { printer.Updated(event.new_object); },
          .on_delete = [&](const Deleted<Object>& event) { printer.Deleted(event.object); }},
      {.name = "printer"});
  if (!registration) return Fail(registration.error(), origin);
  const auto scoped = registration->Scoped();

  if (Result<void> synced = first_sync.StartAndWait(informer, stop.token()); !synced) {
    informer.Stop();
    if (stop.stop_requested()) return 0;
    return Fail(synced.error(), origin);
  }
  stop.Wait();
  informer.Stop();
  return 0;
}

}  // namespace

void RegisterWatch(CommandLine& line) {
  auto flags = std::make_shared<WatchFlags>();
  Command& command = line.Add(
      "watch", "Print a line for each event of an informer: + added, ~ modified, - deleted");
  AddSelectionFlags(command, flags->selection);
  command.Flag(
      "--trace", flags->trace,
      "also print each stage that an event passes: reflector, delta fifo, store, listener");
  AddConnectionFlags(command, flags->connection);
  command.Run([flags] { return RunWatch(*flags); });
}

}  // namespace kinformer::cli
