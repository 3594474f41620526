#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "kinformer/object.h"
#include "kinformer/shared_informer.h"
#include "kinformer/stop.h"
#include "kinformer/yaml.h"

#include "apiserver/columns.h"
#include "cli/commands.h"
#include "cli/first_sync.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/selection.h"
#include "cli/table.h"

namespace kinformer::cli {
namespace {

struct GetFlags {
  ConnectionFlags connection{};
  SelectionFlags selection{};
};

// The objects of a synced cache, in the order of namespace and name.
Result<std::vector<json::Value>> Fetch(const Connection& connection, const Selection& selection,
                                       const std::stop_token& stop) {
  FirstSync first_sync;
  SharedInformer<Object> informer(connection.client.env(),
                                  selection.NewListWatch(connection.client));
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
    std::cerr << "warning: " << stats.unreadable
              << " objects are malformed and not shown; the server's data is damaged, or this "
                 "program too old\n";
  }
  return objects;
}

void PrintTable(const Selection& selection, const std::vector<json::Value>& objects, bool wide,
                bool qualified, WallTime now) {
  const apiserver::Columns& columns = selection.columns;
  std::vector<std::vector<std::string>> rows;
  rows.push_back(apiserver::TitlesOf(columns, wide));
  if (selection.shows_namespaces()) rows.front().insert(rows.front().begin(), "NAMESPACE");
  for (const json::Value& object : objects) {
    std::vector<std::string> cells = apiserver::CellsOf(columns, object, wide, now);
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

int RunGet(const GetFlags& flags) {
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;

  // "deployments,services": one table after the other.
  std::vector<std::string> resources;
  for (std::size_t at = 0; at <= flags.selection.resource.size();) {
    const std::size_t comma =
        std::min(flags.selection.resource.find(',', at), flags.selection.resource.size());
    resources.push_back(flags.selection.resource.substr(at, comma - at));
    at = comma + 1;
  }
  const std::string& output = flags.selection.output;
  const bool several = resources.size() > 1;
  json::Value list = json::Value::MakeObject(
      {{"apiVersion", "v1"}, {"items", json::Value::MakeArray()}, {"kind", "List"}});
  list["metadata"]["resourceVersion"] = "";
  json::Value single;
  bool printed = false;

  for (const std::string& resource : resources) {
    SelectionFlags one = flags.selection;
    one.resource = resource;
    const Result<Selection> selection = Select(*connection, one, {.stop = stop.token()});
    if (!selection) {
      if (selection.error().reason() == Reason::kCanceled) return kFailure;
      if (selection.error().reason() == Reason::kInvalidArgument) {
        return UsageError(selection.error().message());
      }
      return Fail(selection.error(), origin);
    }
    Result<std::vector<json::Value>> objects = Fetch(*connection, *selection, stop.token());
    if (!objects) {
      if (objects.error().reason() == Reason::kCanceled) return kFailure;
      return Fail(objects.error(), origin);
    }
    if (objects->empty() && !selection->name.empty()) {
      std::string text = selection->mapping.resource.resource;
      if (!selection->mapping.resource.group.empty()) {
        text += "." + selection->mapping.resource.group;
      }
      text += " \"" + selection->name + "\" not found";
      if (!selection->namespace_.empty()) text += " in namespace " + selection->namespace_;
      return Fail(Error(Reason::kNotFound, text), origin);
    }
    if (output == "name") {
      for (const json::Value& object : *objects) {
        std::cout << selection->QualifiedName(object["metadata"]["name"].StringOrEmpty()) << '\n';
      }
      printed = printed || !objects->empty();
    } else if (output == "json" || output == "yaml") {
      if (!selection->name.empty() && !several) single = objects->front();
      for (json::Value& object : *objects) list["items"].Append(std::move(object));
      printed = true;
    } else if (!objects->empty()) {
      if (printed) std::cout << '\n';
      PrintTable(*selection, *objects, output == "wide", several,
                 connection->client.env().WallNow());
      printed = true;
    } else if (!several) {
      std::cerr << "No resources found"
                << (selection->namespace_.empty() ? ""
                                                  : " in " + selection->namespace_ + " namespace")
                << ".\n";
    }
  }
  if (output == "json" || output == "yaml") {
    const json::Value& document = single.is_null() ? list : single;
    std::cout << (output == "json" ? PrettyJson(document) + "\n" : yaml::Dump(document));
  } else if (!printed && several) {
    std::cerr << "No resources found.\n";
  }
  std::cout.flush();
  return 0;
}

}  // namespace

void RegisterGet(CommandLine& line) {
  auto flags = std::make_shared<GetFlags>();
  Command& command =
      line.Add("get", "Print objects, from the cache of an informer that has synced");
  AddSelectionFlags(command, flags->selection);
  AddConnectionFlags(command, flags->connection);
  command.Run([flags] { return RunGet(*flags); });
}

}  // namespace kinformer::cli
