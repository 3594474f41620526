// kinformer export: a mirror of collections in a database or a file.

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/json/json.h"
#include "kinformer/object/entry_options.h"
#include "kinformer/sinks/snapshot_feed.h"

#include "cli/collections.h"
#include "cli/commands.h"
#include "cli/export_target.h"
#include "cli/first_sync.h"
#include "cli/printable.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/selection.h"

namespace kinformer::cli {
namespace {

struct ExportFlags {
  CollectionFlags collections{};
  std::string to{};
  std::vector<std::string> columns{};
  bool history = false;
  bool once = false;
  bool managed_fields = false;
  std::string overflow{};
};

// Returns what tells this cluster from others: the uid of its namespace kube-system, or its address
// if that may not be read.
std::string ClusterOf(const Connection& connection, const CallOptions& call) {
  const Result<std::string> text = connection.client.GetRaw("/api/v1/namespaces/kube-system", call);
  const Result<json::Value> object = text ? json::Parse(*text) : Result<json::Value>(text.error());
  if (object) {
    if (const auto uid = (*object)["metadata"]["uid"].AsString()) {
      return "cluster " + std::string(*uid);
    }
  }
  return "cluster at " + connection.config.host;
}

ExportedResource ResourceOf(const Selection& selection, const std::string& cluster,
                            const ExportFlags& flags) {
  std::string source = cluster;
  if (!selection.namespace_.empty()) source += ", namespace " + selection.namespace_;
  if (!selection.label_selector.empty()) source += ", labels " + selection.label_selector;
  if (!selection.field_selector.empty()) source += ", fields " + selection.field_selector;
  if (flags.managed_fields) source += ", with managedFields";
  return {.name = selection.Description(), .source = std::move(source)};
}

std::unique_ptr<ListerWatcher> ListWatchOf(const Connection& connection, const Selection& selection,
                                           const ExportFlags& flags) {
  // JSON is written down as it arrives, so typed kinds would cost more.
  auto list_watch = internal::NewListWatch(
      connection.client, selection.mapping.dynamic_type(), selection.namespace_,
      [labels = selection.label_selector, fields = selection.field_selector](ListOptions& options) {
        options.labelSelector = labels;
        options.fieldSelector = fields;
      });
  (void)list_watch->SetEntryOptions({.drop_managed_fields = !flags.managed_fields});
  return list_watch;
}

Result<DatabaseOptions> ReadOptions(const ExportFlags& flags) {
  DatabaseOptions options;
  options.history = flags.history;
  for (const std::string& text : flags.columns) {
    Result<std::vector<SinkColumn>> columns = ParseSinkColumns(text);
    if (!columns) return Error(Reason::kInvalidArgument, "--columns: " + columns.error().message());
    for (SinkColumn& column : *columns) options.columns.push_back(std::move(column));
  }
  return options;
}

// A declared column needs its resource.
Result<void> CheckColumns(const std::vector<Selection>& selections,
                          const DatabaseOptions& options) {
  std::set<std::string> names;
  for (const Selection& selection : selections) names.insert(selection.Description());
  for (const SinkColumn& column : options.columns) {
    if (names.contains(column.resource)) continue;
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return Error(Reason::kInvalidArgument,
                 "--columns: " + column.resource + " is not exported; what is: " + all);
  }
  return {};
}

// Tells about progress, and ends an export that cannot begin.
class ExportProgress {
 public:
  ExportProgress(StopSource stop, std::string target, bool tells_all)
      : stop_(std::move(stop)), target_(std::move(target)), tells_all_(tells_all) {}

  void Committed(const SinkBatch& batch) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!told_.insert(batch.resource.name).second && !tells_all_) return;
    const std::size_t count = batch.changes.size();
    std::cerr << LineStart() << batch.resource.name << ": " << count
              << (batch.complete ? " object" : " change") << (count == 1 ? "" : "s") << " in "
              << target_ << ", version " << Printable(batch.to) << '\n';
  }

  void Failed(const ExportedResource& resource, const Error& error) {
    if (error.reason() == Reason::kExpired || error.reason() == Reason::kGone) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (hopeless_) return;
      if (!IsHopeless(error) || told_.contains(resource.name)) {
        std::cerr << LineStart() << "warning: " << Printable(error.message()) << "; trying again\n";
        return;
      }
      hopeless_ = error;
    }
    stop_.RequestStop();
  }

  [[nodiscard]] std::optional<Error> hopeless() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return hopeless_;
  }

 private:
  StopSource stop_;
  const std::string target_;
  const bool tells_all_;
  mutable std::mutex mutex_;
  std::set<std::string> told_{};
  std::optional<Error> hopeless_{};
};

OverflowPolicy PolicyOf(const std::string& name) {
  if (name == "coalesce") return OverflowPolicy::kCoalesce;
  if (name == "resync") return OverflowPolicy::kDropAndResync;
  return OverflowPolicy::kBlock;
}

int RunExport(const ExportFlags& flags) {
  const Result<ExportTarget> target = ReadExportTarget(flags.to);
  if (!target) return UsageError(target.error().message());
  const Result<DatabaseOptions> options = ReadOptions(flags);
  if (!options) return UsageError(options.error().message());
  if (Result<void> checked = CheckCollections(flags.collections, "whole collections are exported");
      !checked) {
    return UsageError(checked.error().message());
  }
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.collections.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  const CallOptions call{.stop = stop.token()};
  const Result<std::vector<Selection>> selections =
      SelectCollections(*connection, flags.collections, call);
  if (!selections) {
    return stop.stop_requested() ? 0 : UsageOrFailure(selections.error(), origin);
  }
  if (Result<void> checked = CheckColumns(*selections, *options); !checked) {
    return UsageError(checked.error().message());
  }
  const std::string cluster = ClusterOf(*connection, call);
  Result<std::shared_ptr<SnapshotSink>> sink = OpenExportTarget(*target, *options);
  if (!sink) return UsageOrFailure(sink.error(), "");

  // The loop may call it until the feed has ended.
  const auto progress = std::make_shared<ExportProgress>(stop, target->Name(), flags.once);
  SnapshotFeed feed(
      connection->client.env(), *std::move(sink),
      {.overflow = PolicyOf(flags.overflow),
       .once = flags.once,
       .on_watch_error = [progress](const ExportedResource& resource,
                                    const Error& error) { progress->Failed(resource, error); },
       .on_commit = [progress](const SinkBatch& batch) { progress->Committed(batch); }});
  for (const Selection& selection : *selections) {
    feed.Add(ResourceOf(selection, cluster, flags), ListWatchOf(*connection, selection, flags));
  }
  const Result<void> done = feed.Run(stop.token());
  if (const std::optional<Error> hopeless = progress->hopeless()) {
    return FailToRead(*hopeless, *selections, origin);
  }
  if (done || (stop.stop_requested() && done.error().reason() == Reason::kCanceled)) return 0;
  return UsageOrFailure(done.error(), "");
}

}  // namespace

void RegisterExport(CommandLine& line) {
  auto flags = std::make_shared<ExportFlags>();
  Command& command =
      line.Add("export", "Keep a mirror of resources in a database or a file, until it is stopped");
  command.Option("--to", flags->to, "TARGET",
                 "FILE.sqlite, FILE.jsonl, or postgresql://USER@HOST:PORT/DATABASE (give the "
                 "password in PGPASSWORD or ~/.pgpass)");
  command.Each("--columns", flags->columns, "RESOURCE:NAME=PATH,...",
               "additional columns of a resource's table: "
               "pods:node=.spec.nodeName,phase=.status.phase");
  command.Flag("--history", flags->history,
               "also keep a table with every change: pods_history for pods");
  command.Flag("--once", flags->once, "export what is there now, and end");
  command.Choice("--overflow", flags->overflow, {"block", "coalesce", "resync"},
                 "what to do if the target is slower than the changes: block skips nothing (the "
                 "default), coalesce keeps the newest change of each object, resync lists again",
                 nullptr);
  command.Flag("--managed-fields", flags->managed_fields, "keep metadata.managedFields");
  AddCollectionFlags(command, flags->collections);
  command.Elsewhere("-o,--output", "the target says the form: --to FILE.sqlite");
  command.Elsewhere("-w,--watch", "it follows changes by itself; --once does not");
  command.Elsewhere("-A,--all-namespaces", "all namespaces are exported unless -n is given");
  command.Status(kFailure, "the server or the target refused");
  command.Run([flags] { return RunExport(*flags); });
}

}  // namespace kinformer::cli
