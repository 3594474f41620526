#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
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
#include "cli/report.h"
#include "cli/rows.h"
#include "cli/selection.h"
#include "cli/table.h"
#include "cli/trace.h"

namespace kinformer::cli {
namespace {

struct WatchFlags {
  ConnectionFlags connection{};
  SelectionFlags selection{};
  bool trace = false;
};

// Prints the events of one resource, each as one line (with yaml, as one document), with a line of
// titles above a table.
class EventPrinter {
 public:
  // `qualified`: print names with their resource. `mutex`: shared by all printers of `output`.
  EventPrinter(Env& env, const Selection& selection, const Format& format, bool qualified,
               Output& output, std::mutex& mutex)
      : env_(env),
        selection_(selection),
        format_(format),
        rows_(format, selection, qualified),
        output_(output),
        mutex_(mutex) {}

  void Added(const Object& object) { Print("+", "ADDED", Color::kGreen, object); }
  void Updated(const Object& object) { Print("~", "MODIFIED", Color::kYellow, object); }
  void Deleted(const Object& object) { Print("-", "DELETED", Color::kRed, object); }

 private:
  void Print(const char* sign, const char* type, Color color, const Object& object) {
    const std::string name(object.block()->name());
    const Result<json::Value> value = json::Parse(object.ToJson());
    if (!value) {
      output_.Line(std::string(sign) + " " +
                   Printable(name + ": " + std::string(value.error().message())));
    } else if (format_.form == Format::Form::kName) {
      output_.Line(std::string(sign) + " " + Printable(selection_.QualifiedName(name)), color);
    } else if (format_.form == Format::Form::kJson) {
      output_.Line(EventJson(type, *value));
    } else if (format_.form == Format::Form::kYaml) {
      output_.Line(std::string("--- # ") + type + "\n" + KubectlYaml(*value), color);
    } else if (format_.has_rows()) {
      PrintRow(sign, color, *value);
    } else if (const Result<std::string> text = DocumentPrinter(format_).Print(*value)) {
      output_.Text(*text);
    } else {
      std::cerr << ErrorLine(text.error()) << '\n';
    }
  }

  void PrintRow(const char* sign, Color color, const json::Value& value) {
    const Result<std::vector<std::string>> cells = rows_.Cells(value, env_.WallNow());
    if (!cells) {
      std::cerr << ErrorLine(cells.error()) << '\n';
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!std::exchange(has_titles_, true) && !format_.no_headers) {
      table_.Measure(*cells);
      output_.Line("  " + table_.Line(rows_.Titles()));
    }
    output_.Line(std::string(sign) + " " + table_.Line(*cells), color);
  }

  Env& env_;
  const Selection& selection_;
  const Format& format_;
  const Rows rows_;
  Output& output_;
  std::mutex& mutex_;
  Table table_;
  bool has_titles_ = false;
};

// One informer, and the printer of its events.
class Watched {
 public:
  Watched(const Client& client, const Selection& selection, InformerOptions<Object> options,
          EventPrinter printer)
      : selection_(selection),
        printer_(std::move(printer)),
        informer_(client.env(), selection.NewListWatch(client), std::move(options)) {
    first_sync_.Attach(informer_);
  }

  Result<void> StartAndWait(const std::stop_token& stop) {
    Result<EventHandlerRegistration> registration = informer_.AddEventHandler(
        ResourceEventHandlerFuncs<Object>{
            .on_add = [this](const Added<Object>& event) { printer_.Added(event.object); },
            .on_update =
                [this](const Updated<Object>& event) { printer_.Updated(event.new_object); },
            .on_delete = [this](const Deleted<Object>& event) { printer_.Deleted(event.object); }},
        {.name = "printer"});
    if (!registration) return std::move(registration).error();
    registration_ = registration->Scoped();
    if (Result<void> synced = first_sync_.StartAndWait(informer_, stop); !synced) return synced;
    if (informer_.Snapshot().empty()) SayThatItWaits();
    return {};
  }

  void Stop() { informer_.Stop(); }

 private:
  void SayThatItWaits() const {
    std::cerr << "no " << selection_.Description();
    if (!selection_.namespace_.empty()) std::cerr << " in namespace " << selection_.namespace_;
    std::cerr << " yet; waiting\n";
  }

  const Selection& selection_;
  EventPrinter printer_;
  FirstSync first_sync_;
  SharedInformer<Object> informer_;
  EventHandlerRegistration::ScopedRegistration registration_;
};

}  // namespace

int RunWatch(const ConnectionFlags& connection_flags, const SelectionFlags& flags, bool traced) {
  const Result<Format> format = ReadFormat(flags.format);
  if (!format) {
    return format.error().reason() == Reason::kInvalidArgument
               ? UsageError(format.error().message())
               : Fail(format.error());
  }
  StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(connection_flags);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  const Result<std::vector<Selection>> selections =
      Select(*connection, flags, *format, {.stop = stop.token()});
  if (!selections) {
    if (stop.stop_requested()) return 0;
    if (selections.error().reason() == Reason::kInvalidArgument) {
      return UsageError(selections.error().message());
    }
    return Fail(selections.error(), origin);
  }

  // The loop may call the trace until the client is destroyed.
  const auto output = std::make_shared<Output>([stop]() mutable { stop.RequestStop(); });
  std::function<void(const TraceEvent&)> trace;
  if (traced) {
    const auto printer = std::make_shared<TracePrinter>(
        [output](const std::string& line) { output->Line(line, Color::kDim); });
    trace = [printer](const TraceEvent& event) { printer->Note(event); };
  }
  std::vector<const Selection*> all;
  for (const Selection& selection : *selections) all.push_back(&selection);
  std::mutex printing;
  std::vector<std::unique_ptr<Watched>> watched;
  for (const Selection& selection : *selections) {
    InformerOptions<Object> options;
    options.drop_managed_fields = !format->keeps_managed_fields();
    options.trace = trace;
    watched.push_back(
        std::make_unique<Watched>(connection->client, selection, std::move(options),
                                  EventPrinter(connection->client.env(), selection, *format,
                                               OfSeveralResources(all), *output, printing)));
  }
  Result<void> synced;
  for (const auto& one : watched) {
    if (synced) synced = one->StartAndWait(stop.token());
  }
  if (synced) stop.Wait();
  for (const auto& one : watched) one->Stop();
  if (synced || stop.stop_requested()) return 0;
  return FailToRead(synced.error(), *selections, origin);
}

void RegisterWatch(CommandLine& line) {
  auto flags = std::make_shared<WatchFlags>();
  Command& command =
      line.Add("watch", "Print a line for each event of informers: + added, ~ modified, - deleted");
  AddSelectionFlags(command, flags->selection);
  command.Flag(
      "--trace", flags->trace,
      "also print each stage that an event passes: reflector, delta fifo, store, listener");
  AddConnectionFlags(command, flags->connection);
  AddReadingHabits(command);
  command.Elsewhere("-w,--watch", "this command watches by itself: leave it out");
  command.Elsewhere("--watch-only,--output-watch-events", "write `kinformer get` with that option");
  command.Elsewhere("--sort-by", "events come in their order; `kinformer get --sort-by` sorts");
  command.Elsewhere("--ignore-not-found", "this command waits for objects that do not exist");
  command.Run([flags] { return RunWatch(flags->connection, flags->selection, flags->trace); });
}

}  // namespace kinformer::cli
