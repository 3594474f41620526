// `kinformer get --watch`: the objects, and then each change, in the form of kubectl.

#include <algorithm>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/object/object.h"

#include "cli/commands.h"
#include "cli/first_sync.h"
#include "cli/output.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "cli/rows.h"
#include "cli/selection.h"
#include "cli/table.h"

namespace kinformer::cli {
namespace {

// Prints the objects of all selections, which have one resource.
class ChangePrinter {
 public:
  ChangePrinter(Env& env, const Format& format, const GetWatchOptions& options, Output& output)
      : env_(env), format_(format), options_(options), output_(output), documents_(format) {}

  // Prints objects together, so that their columns fit all of them.
  void PrintAll(const Selection& selection, const std::vector<json::Value>& objects) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (format_.has_rows()) {
      for (const json::Value& object : objects) MeasureRow(selection, "ADDED", object);
    }
    for (const json::Value& object : objects) PrintOne(selection, "ADDED", object);
  }

  void Print(const Selection& selection, const char* type, const json::Value& object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    PrintOne(selection, type, object);
  }

 private:
  void PrintOne(const Selection& selection, const char* type, const json::Value& object) {
    if (format_.form == Format::Form::kName) {
      output_.Line(Printable(selection.QualifiedName(object["metadata"]["name"].StringOrEmpty())));
    } else if (format_.has_rows()) {
      PrintRow(selection, type, object);
    } else if (options_.events && format_.form == Format::Form::kJson) {
      output_.Line(EventJson(type, object));
    } else {
      const Result<std::string> text =
          documents_.Print(options_.events ? Event(type, object) : object);
      if (text) {
        output_.Text(*text);
      } else {
        Say(text.error());
      }
    }
  }

  static json::Value Event(const char* type, const json::Value& object) {
    return json::Value::MakeObject({{"type", type}, {"object", object}});
  }

  // Names no kind: it is the same for all.
  [[nodiscard]] Result<std::vector<std::string>> CellsOf(const Selection& selection,
                                                         const char* type,
                                                         const json::Value& object) const {
    const Rows rows(format_, selection, /*qualified=*/false);
    if (format_.columns) {
      return rows.Cells(options_.events ? Event(type, object) : object, env_.WallNow());
    }
    Result<std::vector<std::string>> cells = rows.Cells(object, env_.WallNow());
    if (cells && options_.events) cells->insert(cells->begin(), type);
    return cells;
  }

  void MeasureRow(const Selection& selection, const char* type, const json::Value& object) {
    if (const auto cells = CellsOf(selection, type, object)) table_.Measure(*cells);
  }

  void PrintRow(const Selection& selection, const char* type, const json::Value& object) {
    const Result<std::vector<std::string>> cells = CellsOf(selection, type, object);
    if (!cells) return Say(cells.error());
    if (!has_titles_ && !format_.no_headers) {
      std::vector<std::string> titles = Rows(format_, selection, false).Titles();
      if (options_.events && !format_.columns) {
        titles.insert(titles.begin(), "EVENT");
        table_.Measure({"MODIFIED"});  // the longest that may come
      }
      table_.Measure(*cells);
      output_.Line(table_.Line(titles));
    }
    has_titles_ = true;
    output_.Line(table_.Line(*cells));
  }

  static void Say(const Error& error) { std::cerr << ErrorLine(error) << '\n'; }

  Env& env_;
  const Format& format_;
  const GetWatchOptions options_;
  Output& output_;
  std::mutex mutex_;
  DocumentPrinter documents_;
  Table table_;
  bool has_titles_ = false;
};

// One informer. It keeps its events until the objects that were there first are printed.
class Watched {
 public:
  Watched(const Client& client, const Selection& selection, const Format& format,
          ChangePrinter& printer)
      : selection_(selection),
        printer_(printer),
        informer_(client.env(), selection.NewListWatch(client), OptionsFor(format)) {
    first_sync_.Attach(informer_);
  }

  Result<void> StartAndWait(bool prints_initial, const std::stop_token& stop) {
    Result<EventHandlerRegistration> registration = informer_.AddEventHandler(
        ResourceEventHandlerFuncs<Object>{
            .on_add =
                [this](const Added<Object>& event) {
                  Note(event.is_in_initial_list ? nullptr : "ADDED", event.object);
                },
            .on_update =
                [this](const Updated<Object>& event) { Note("MODIFIED", event.new_object); },
            .on_delete = [this](const Deleted<Object>& event) { Note("DELETED", event.object); }},
        {.name = "printer"});
    if (!registration) return std::move(registration).error();
    registration_ = registration->Scoped();
    if (Result<void> synced = first_sync_.StartAndWait(informer_, stop); !synced) return synced;
    if (Result<void> synced = registration->WaitForSync(stop); !synced) return synced;
    const std::lock_guard<std::mutex> lock(mutex_);
    std::sort(initial_.begin(), initial_.end(),
              [](const json::Value& a, const json::Value& b) { return KeyOf(a) < KeyOf(b); });
    if (initial_.empty() && !selection_.name.empty()) {
      return Error(Reason::kNotFound, selection_.Description() + " not found; `kinformer watch` " +
                                          "waits for objects that do not exist yet");
    }
    if (prints_initial) printer_.PrintAll(selection_, initial_);
    initial_.clear();
    has_initial_ = true;
    for (const auto& [type, object] : waiting_) printer_.Print(selection_, type, object);
    waiting_.clear();
    return {};
  }

  void Stop() { informer_.Stop(); }

 private:
  static InformerOptions<Object> OptionsFor(const Format& format) {
    InformerOptions<Object> options;
    options.drop_managed_fields = !format.keeps_managed_fields();
    return options;
  }

  static std::pair<std::string, std::string> KeyOf(const json::Value& object) {
    const json::Value& metadata = object["metadata"];
    return {metadata["namespace"].StringOrEmpty(), metadata["name"].StringOrEmpty()};
  }

  // `type`: null for an object that was there first.
  void Note(const char* type, const Object& object) {
    Result<json::Value> value = json::Parse(object.ToJson());
    if (!value) {
      std::cerr << ErrorLine(value.error()) << '\n';
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (type == nullptr) {
      initial_.push_back(*std::move(value));
    } else if (!has_initial_) {
      waiting_.emplace_back(type, *std::move(value));
    } else {
      printer_.Print(selection_, type, *value);
    }
  }

  const Selection& selection_;
  ChangePrinter& printer_;
  std::mutex mutex_;
  bool has_initial_ = false;
  std::vector<json::Value> initial_;
  std::vector<std::pair<const char*, json::Value>> waiting_;
  FirstSync first_sync_;
  SharedInformer<Object> informer_;
  EventHandlerRegistration::ScopedRegistration registration_;
};

}  // namespace

int RunGetWatch(const ConnectionFlags& connection_flags, const SelectionFlags& flags,
                const Format& format, const GetWatchOptions& options) {
  StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(connection_flags);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  const Result<std::vector<Selection>> selections =
      Select(*connection, flags, format, {.stop = stop.token()});
  if (!selections) {
    if (stop.stop_requested()) return 0;
    if (selections.error().reason() == Reason::kInvalidArgument) {
      return UsageError(selections.error().message());
    }
    return Fail(selections.error(), origin);
  }
  std::vector<const Selection*> all;
  for (const Selection& selection : *selections) all.push_back(&selection);
  if (OfSeveralResources(all)) {
    return UsageError("--watch prints one resource; `kinformer watch` prints several");
  }

  Output output([stop]() mutable { stop.RequestStop(); });
  ChangePrinter printer(connection->client.env(), format, options, output);
  std::vector<std::unique_ptr<Watched>> watched;
  for (const Selection& selection : *selections) {
    watched.push_back(std::make_unique<Watched>(connection->client, selection, format, printer));
  }
  Result<void> synced;
  for (const auto& one : watched) {
    if (synced) synced = one->StartAndWait(options.initial, stop.token());
  }
  if (synced) stop.Wait();
  for (const auto& one : watched) one->Stop();
  if (synced || stop.stop_requested()) return 0;
  return FailToRead(synced.error(), *selections, origin);
}

}  // namespace kinformer::cli
