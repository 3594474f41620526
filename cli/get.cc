#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
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
#include "table/columns.h"

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

// "deployments,services" as its parts.
std::vector<std::string> SplitResources(const std::string& text) {
  std::vector<std::string> resources;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    resources.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return resources;
}

Error NotFound(const Selection& selection) {
  const GroupVersionResource& resource = selection.mapping.resource;
  std::string text = resource.resource;
  if (!resource.group.empty()) text += "." + resource.group;
  text += " \"" + selection.name + "\" not found";
  if (!selection.namespace_.empty()) text += " in namespace " + selection.namespace_;
  return Error(Reason::kNotFound, text);
}

// What is printed of one resource after the other. Documents are printed at the end, as one.
class GetOutput {
 public:
  GetOutput(const std::string& form, bool several) : form_(form), several_(several) {
    list_["metadata"]["resourceVersion"] = "";
  }

  void Show(const Selection& selection, std::vector<json::Value> objects, WallTime now) {
    if (form_ == "name") {
      for (const json::Value& object : objects) {
        std::cout << Printable(selection.QualifiedName(object["metadata"]["name"].StringOrEmpty()))
                  << '\n';
      }
    } else if (IsDocument()) {
      if (!selection.name.empty() && !several_) single_ = objects.front();
      for (json::Value& object : objects) list_["items"].Append(std::move(object));
    } else if (!objects.empty()) {
      if (printed_) std::cout << '\n';
      PrintTable(selection, objects, form_ == "wide", several_, now);
    } else if (!several_) {
      std::cerr << "No resources found"
                << (selection.namespace_.empty() ? ""
                                                 : " in " + selection.namespace_ + " namespace")
                << ".\n";
    }
    printed_ = printed_ || !objects.empty();
  }

  void Finish() {
    if (IsDocument()) {
      const json::Value& document = single_.is_null() ? list_ : single_;
      std::cout << (form_ == "json" ? PrettyJson(document) + "\n" : yaml::Dump(document));
    } else if (!printed_ && several_) {
      std::cerr << "No resources found.\n";
    }
    std::cout.flush();
  }

 private:
  [[nodiscard]] bool IsDocument() const { return form_ == "json" || form_ == "yaml"; }

  const std::string form_;
  const bool several_;
  bool printed_ = false;
  json::Value single_;
  json::Value list_ = json::Value::MakeObject(
      {{"apiVersion", "v1"}, {"items", json::Value::MakeArray()}, {"kind", "List"}});
};

// Exit status of a command that could not go on. Who interrupts it needs no message.
int FailGet(const Error& error, const std::string& origin) {
  return error.reason() == Reason::kCanceled ? kFailure : Fail(error, origin);
}

int RunGet(const GetFlags& flags) {
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;

  const std::vector<std::string> resources = SplitResources(flags.selection.resource);
  GetOutput output(flags.selection.output, resources.size() > 1);
  for (const std::string& resource : resources) {
    SelectionFlags one = flags.selection;
    one.resource = resource;
    const Result<Selection> selection = Select(*connection, one, {.stop = stop.token()});
    if (!selection && selection.error().reason() == Reason::kInvalidArgument) {
      return UsageError(selection.error().message());
    }
    if (!selection) return FailGet(selection.error(), origin);
    Result<std::vector<json::Value>> objects = Fetch(*connection, *selection, stop.token());
    if (!objects) return FailGet(objects.error(), origin);
    if (objects->empty() && !selection->name.empty()) return Fail(NotFound(*selection), origin);
    output.Show(*selection, *std::move(objects), connection->client.env().WallNow());
  }
  output.Finish();
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
