#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/stop.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/object/object.h"

#include "cli/commands.h"
#include "cli/event_rows.h"
#include "cli/first_sync.h"
#include "cli/output.h"
#include "cli/pod_flags.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "cli/table.h"

namespace kinformer::cli {
namespace {

struct EventFlags {
  ConnectionFlags connection{};
  std::string namespace_{};
  bool all_namespaces = false;
  std::string about{};  // --for
  std::vector<std::string> types{};
  bool watch = false;
  bool no_headers = false;
  std::string output{};
};

// Reads --for and --types. The server knows the kind of a resource.
Result<EventFilter> FilterOf(const Client& client, const EventFlags& flags,
                             const CallOptions& call) {
  EventFilter filter;
  for (const std::string& given : flags.types) {
    for (std::size_t at = 0; at <= given.size();) {
      const std::size_t end = std::min(given.find(',', at), given.size());
      if (end != at) filter.types.push_back(given.substr(at, end - at));
      at = end + 1;
    }
  }
  if (flags.about.empty()) return filter;
  const std::size_t slash = flags.about.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == flags.about.size()) {
    return Error(Reason::kInvalidArgument,
                 "--for: \"" + flags.about + "\" is not RESOURCE/NAME, such as pod/web-0");
  }
  const Result<RestMapping> mapping =
      client.Discovery().MappingFor(flags.about.substr(0, slash), call);
  if (!mapping) return mapping.error();
  filter.kind = mapping->kind.kind;
  filter.name = flags.about.substr(slash + 1);
  return filter;
}

SharedInformer<Object> NewInformer(const Client& client, const std::string& namespace_) {
  InformerOptions<Object> options;
  options.drop_managed_fields = true;
  return {client.env(),
          internal::NewListWatch(client, corev1::Event::kind_info(), namespace_, nullptr),
          std::move(options)};
}

// Prints events as they come, each with the count of its repeats.
class LiveEvents {
 public:
  LiveEvents(Env& env, EventFilter filter, const EventFlags& flags, Output& output)
      : env_(env), filter_(std::move(filter)), flags_(flags), output_(output) {}

  void Note(const Object& object) {
    const Result<json::Value> event = json::Parse(object.ToJson());
    if (event && filter_.Has(*event)) Note(*event);
  }
  void Note(const json::Value& event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const EventRow row = groups_.Note(event);
    if (row.count == 0) return;
    if (flags_.output == "json") {
      output_.Line(PrintableJson(event.Dump({.sort_keys = true})));
      return;
    }
    const std::vector<std::string> cells = EventCells(row, flags_.all_namespaces, env_.WallNow());
    if (!std::exchange(titled_, true) && !flags_.no_headers) {
      table_.Measure(cells);
      output_.Line(table_.Line(EventTitles(flags_.all_namespaces)));
    }
    output_.Line(table_.Line(cells), row.type == "Warning" ? Color::kYellow : Color::kPlain);
  }

 private:
  Env& env_;
  const EventFilter filter_;
  const EventFlags& flags_;
  Output& output_;
  std::mutex mutex_;
  EventGroups groups_;
  Table table_;
  bool titled_ = false;
};

// Returns the events of a synced cache that the filter has.
std::vector<json::Value> EventsIn(SharedInformer<Object>& informer, const EventFilter& filter) {
  std::vector<json::Value> events;
  const Snapshot<Object> snapshot = informer.Snapshot();
  for (const Object object : snapshot) {
    Result<json::Value> event = json::Parse(object.ToJson());
    if (event && filter.Has(*event)) events.push_back(*std::move(event));
  }
  std::stable_sort(events.begin(), events.end(), [](const json::Value& a, const json::Value& b) {
    return RowOf(a).last < RowOf(b).last;
  });
  return events;
}

void PrintTable(const std::vector<json::Value>& events, const EventFlags& flags, WallTime now) {
  std::vector<EventRow> rows;
  for (const json::Value& event : events) rows.push_back(RowOf(event));
  std::vector<std::vector<std::string>> lines;
  if (!flags.no_headers) lines.push_back(EventTitles(flags.all_namespaces));
  for (const EventRow& row : Grouped(rows)) {
    lines.push_back(EventCells(row, flags.all_namespaces, now));
  }
  Table table;
  for (const auto& line : lines) table.Measure(line);
  for (const auto& line : lines) std::cout << table.Line(line) << '\n';
  std::cout.flush();
}

void Print(const std::vector<json::Value>& events, const EventFlags& flags,
           const std::string& namespace_, WallTime now) {
  if (flags.output == "json" || flags.output == "yaml") {
    json::Value list =
        json::Value::MakeObject({{"apiVersion", "v1"},
                                 {"items", json::Value::MakeArray()},
                                 {"kind", "List"},
                                 {"metadata", json::Value::MakeObject({{"resourceVersion", ""}})}});
    for (const json::Value& event : events) list.Ensure("items").Append(event);
    std::cout << (flags.output == "json" ? KubectlJson(list) + "\n" : KubectlYaml(std::move(list)))
              << std::flush;
  } else if (events.empty()) {
    std::cerr << "No events found" << (namespace_.empty() ? "" : " in " + namespace_ + " namespace")
              << ".\n";
  } else {
    PrintTable(events, flags, now);
  }
}

int RunEvents(const EventFlags& flags) {
  StopSource stop = StopOnSignals();
  if (flags.watch && flags.output == "yaml") return UsageError("-w prints a table or -o json");
  const Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const Client& client = connection->client;
  const std::string namespace_ =
      flags.all_namespaces ? "" : NamespaceOf(*connection, flags.namespace_);
  const Result<EventFilter> filter = FilterOf(client, flags, {.stop = stop.token()});
  if (!filter && filter.error().reason() == Reason::kInvalidArgument) {
    return UsageError(filter.error().message());
  }
  if (!filter) return Fail(filter.error(), connection->config.origin);

  SharedInformer<Object> informer = NewInformer(client, namespace_);
  FirstSync first_sync;
  first_sync.Attach(informer);
  Result<void> synced = first_sync.StartAndWait(informer, stop.token());
  if (synced && !flags.watch) {
    Print(EventsIn(informer, *filter), flags, namespace_, client.env().WallNow());
  } else if (synced) {
    Output output([stop]() mutable { stop.RequestStop(); });
    LiveEvents live(client.env(), *filter, flags, output);
    // In the order of their times; when the handler gets them once more, they are known.
    for (const json::Value& event : EventsIn(informer, *filter)) live.Note(event);
    const Result<EventHandlerRegistration> registration = informer.AddEventHandler(
        ResourceEventHandlerFuncs<Object>{
            .on_add = [&](const Added<Object>& event) { live.Note(event.object); },
            .on_update = [&](const Updated<Object>& event) { live.Note(event.new_object); }},
        {.name = "events"});
    if (registration) {
      const auto scoped = registration->Scoped();
      stop.Wait();
    }
  }
  informer.Stop();
  if (synced || stop.stop_requested()) return 0;
  return Fail(synced.error(), connection->config.origin);
}

}  // namespace

void RegisterEvents(CommandLine& line) {
  auto flags = std::make_shared<EventFlags>();
  Command& command = line.Add(
      "events", "Print events in the order of their times; repeats are one line with a count");
  command.Option("-n,--namespace", flags->namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Flag("-A,--all-namespaces", flags->all_namespaces, "all namespaces, whatever -n says");
  command.Option("--for", flags->about, "RESOURCE/NAME", "only events about this object");
  command.Each("--types", flags->types, "TYPES", "only these types: Normal,Warning");
  command.Flag("-w,--watch", flags->watch, "go on with new events");
  command.Flag("--no-headers", flags->no_headers, "no line of titles");
  command.Choice("-o,--output", flags->output, {"json", "yaml"},
                 "print the events themselves, each one for itself", nullptr);
  AddConnectionFlags(command, flags->connection);
  command.Run([flags] { return RunEvents(*flags); });
}

}  // namespace kinformer::cli
