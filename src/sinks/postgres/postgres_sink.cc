#include "kinformer/sinks/postgres_sink.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "sinks/postgres/copy_text.h"
#include "sinks/postgres/postgres_connection.h"
#include "sinks/tables/sink_table.h"

namespace kinformer {
namespace {

using internal::sinks::AppendCopyField;
using internal::sinks::HeldTable;
using internal::sinks::kResourcesTable;
using internal::sinks::Literal;
using internal::sinks::PostgresConnection;
using internal::sinks::PostgresRows;
using internal::sinks::Quoted;
using internal::sinks::SinkTable;

// Numbers the row of a change in its batch, and says whether it is the last of its object.
constexpr const char* kChangesTable =
    "CREATE TEMP TABLE kinformer_changes(id int, operation text, is_last boolean, namespace text, "
    "name text, uid text, resource_version text, object jsonb) ON COMMIT DELETE ROWS";
constexpr std::size_t kPiece = std::size_t{1} << 16;

// Returns the path of #>>, an array of texts.
std::string JsonPath(const internal::sinks::FieldPath& path) {
  std::string text;
  for (const auto& step : path) {
    const std::string* const name = std::get_if<std::string>(&step);
    if (!text.empty()) text += ", ";
    text += Literal(name != nullptr ? *name : std::to_string(std::get<std::size_t>(step)));
  }
  return "ARRAY[" + text + "]";
}

std::string CreateTable(const SinkTable& table) {
  std::string sql = "CREATE TABLE " + Quoted(table.name) +
                    "(namespace text NOT NULL, name text NOT NULL, uid text NOT NULL, "
                    "resource_version text NOT NULL, object jsonb NOT NULL";
  for (const auto& [name, path] : table.declared) {
    sql += ", " + Quoted(name) + " text GENERATED ALWAYS AS (object #>> " + JsonPath(path) +
           ") STORED";
  }
  return sql + ", PRIMARY KEY(namespace, name))";
}

std::string CreateHistory(const SinkTable& table) {
  return "CREATE TABLE IF NOT EXISTS " + Quoted(table.history()) +
         "(id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, time timestamptz NOT NULL, "
         "operation text NOT NULL, resource_version text NOT NULL, namespace text NOT NULL, "
         "name text NOT NULL, uid text NOT NULL, object jsonb, "
         "UNIQUE(uid, resource_version, operation))";
}

class PostgresSink final : public SnapshotSink {
 public:
  PostgresSink(const std::string& url, DatabaseOptions options)
      : connection_(url), options_(std::move(options)) {}

  Result<void> Prepare() {
    if (Result<void> connected = Connect(); !connected) return connected;
    return connection_.Run("CREATE TABLE IF NOT EXISTS " + std::string(kResourcesTable) +
                           "(resource text PRIMARY KEY, table_name text NOT NULL, "
                           "source text NOT NULL, columns text NOT NULL, "
                           "resource_version text NOT NULL, time timestamptz NOT NULL)");
  }

  Result<std::string> Open(const ExportedResource& resource) override {
    Result<SinkTable> table = internal::sinks::TableOf(resource.name, options_);
    if (!table) return std::move(table).error();
    if (Result<void> connected = Connect(); !connected) return std::move(connected).error();
    std::string version;
    Result<void> opened = connection_.InTransaction([&]() -> Result<void> {
      Result<std::optional<HeldTable>> held = Held(resource.name);
      if (!held) return std::move(held).error();
      if (*held) {
        version = (*held)->resource_version;
        if (Result<void> same =
                internal::sinks::CheckHeld(connection_.target(), resource, *table, **held);
            !same) {
          return same;
        }
      } else if (Result<void> made = Make(resource, *table); !made) {
        return made;
      }
      return options_.history ? connection_.Run(CreateHistory(*table)) : Result<void>();
    });
    if (!opened) return std::move(opened).error();
    tables_[resource.name] = *std::move(table);
    return version;
  }

  Result<std::optional<std::vector<HeldObject>>> Objects(
      const ExportedResource& resource) override {
    if (Result<void> connected = Connect(); !connected) return std::move(connected).error();
    Result<PostgresRows> rows =
        connection_.Query("SELECT namespace, name, uid, resource_version FROM " +
                          Quoted(tables_.at(resource.name).name));
    if (!rows) return std::move(rows).error();
    std::vector<HeldObject> objects;
    objects.reserve(rows->size());
    for (std::vector<std::string>& row : *rows) {
      objects.push_back({.name = {std::move(row[0]), std::move(row[1])},
                         .uid = std::move(row[2]),
                         .resourceVersion = std::move(row[3])});
    }
    return std::optional(std::move(objects));
  }

  Result<void> Commit(const SinkBatch& batch) override {
    if (Result<void> connected = Connect(); !connected) return connected;
    return connection_.InTransaction([&]() -> Result<void> {
      const Result<PostgresRows> advanced =
          connection_.Query("UPDATE " + std::string(kResourcesTable) +
                                " SET resource_version = $1, time = now() WHERE resource = $2 AND "
                                "resource_version = $3 RETURNING 1",
                            {batch.to, batch.resource.name, batch.from});
      if (!advanced) return advanced.error();
      if (advanced->empty()) return WithoutAdvance(batch);
      return Write(batch, tables_.at(batch.resource.name));
    });
  }

 private:
  Result<void> Connect() {
    if (Result<void> connected = connection_.Connect(); !connected) return connected;
    if (connection_.connections() == prepared_) return {};
    Result<void> prepared = connection_.Run(kChangesTable);
    if (prepared) prepared_ = connection_.connections();
    return prepared;
  }

  Result<std::optional<HeldTable>> Held(const std::string& resource) {
    Result<PostgresRows> rows =
        connection_.Query("SELECT source, columns, resource_version FROM " +
                              std::string(kResourcesTable) + " WHERE resource = $1",
                          {resource});
    if (!rows) return std::move(rows).error();
    if (rows->empty()) return std::optional<HeldTable>();
    std::vector<std::string>& row = rows->front();
    return std::optional(HeldTable{std::move(row[0]), std::move(row[1]), std::move(row[2])});
  }

  Result<void> Make(const ExportedResource& resource, const SinkTable& table) {
    const Result<PostgresRows> exists =
        connection_.Query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", {Quoted(table.name)});
    if (!exists) return exists.error();
    if (!exists->empty()) return internal::sinks::ForeignTable(connection_.target(), table);
    if (Result<void> made = connection_.Run(CreateTable(table)); !made) return made;
    const Result<PostgresRows> row = connection_.Query(
        "INSERT INTO " + std::string(kResourcesTable) + " VALUES($1, $2, $3, $4, '', now())",
        {resource.name, table.name, resource.source, table.columns});
    return row ? Result<void>() : Result<void>(row.error());
  }

  // The sink does not hold `batch.from`: it may hold what the batch would make of it.
  Result<void> WithoutAdvance(const SinkBatch& batch) {
    const Result<std::optional<HeldTable>> held = Held(batch.resource.name);
    if (!held) return held.error();
    const std::string found = *held ? (*held)->resource_version : "";
    if (*held && found == batch.to) return {};
    return internal::sinks::ChangedByOther(connection_.target(), batch, found);
  }

  Result<void> Write(const SinkBatch& batch, const SinkTable& table) {
    const std::string name = Quoted(table.name);
    std::string sql;
    if (batch.complete) sql += "DELETE FROM " + name + ";";
    if (batch.changes.empty()) return sql.empty() ? Result<void>() : connection_.Run(sql);
    Result<bool> removes = Send(batch);
    if (!removes.ok()) return std::move(removes).error();
    if (*removes) {
      sql += "DELETE FROM " + name +
             " t USING kinformer_changes c WHERE c.is_last AND c.operation = 'remove' AND "
             "t.namespace = c.namespace AND t.name = c.name;";
    }
    sql += "INSERT INTO " + name +
           "(namespace, name, uid, resource_version, object) SELECT namespace, name, uid, "
           "resource_version, object FROM kinformer_changes WHERE is_last AND operation = "
           "'upsert' ON CONFLICT(namespace, name) DO UPDATE SET uid = excluded.uid, "
           "resource_version = excluded.resource_version, object = excluded.object;";
    if (options_.history) {
      sql += "INSERT INTO " + Quoted(table.history()) +
             "(time, operation, resource_version, namespace, name, uid, object) SELECT now(), "
             "operation, resource_version, namespace, name, uid, object FROM kinformer_changes "
             "ORDER BY id ON CONFLICT DO NOTHING;";
    }
    return connection_.Run(sql);
  }

  // Copies the changes to the server. Returns whether there are removals.
  Result<bool> Send(const SinkBatch& batch) {
    std::unordered_map<std::string, std::size_t> last;
    last.reserve(batch.changes.size());
    for (std::size_t i = 0; i < batch.changes.size(); ++i) last[batch.changes[i].Key()] = i;
    if (Result<void> begun = connection_.BeginCopy("COPY kinformer_changes FROM STDIN"); !begun) {
      return std::move(begun).error();
    }
    bool removes = false;
    std::string text;
    for (std::size_t i = 0; i < batch.changes.size(); ++i) {
      const SinkChange& change = batch.changes[i];
      removes = removes || change.removes();
      AppendRow(text, i, last[change.Key()] == i, batch, change);
      if (text.size() < kPiece && i + 1 < batch.changes.size()) continue;
      if (Result<void> sent = connection_.Copy(text); !sent) return std::move(sent).error();
      text.clear();
    }
    if (Result<void> ended = connection_.EndCopy(); !ended) return std::move(ended).error();
    return removes;
  }

  static void AppendRow(std::string& text, std::size_t id, bool is_last, const SinkBatch& batch,
                        const SinkChange& change) {
    text += std::to_string(id);
    text += change.removes() ? "\tremove\t" : "\tupsert\t";
    text += is_last ? "t\t" : "f\t";
    const std::string_view version =
        change.object() ? change.resourceVersion() : std::string_view(batch.to);
    for (const std::string_view field :
         {change.namespace_(), change.name(), change.uid(), version}) {
      AppendCopyField(text, field);
      text += '\t';
    }
    if (change.object()) {
      std::string json = change.object()->ToJson();
      internal::sinks::ReplaceEscapedNul(json);
      AppendCopyField(text, json);
    } else {
      text += "\\N";
    }
    text += '\n';
  }

  PostgresConnection connection_;
  std::uint64_t prepared_ = 0;  // the number of the connection that has the temporary table
  const DatabaseOptions options_;
  std::map<std::string, SinkTable> tables_{};
};

}  // namespace

Result<std::shared_ptr<SnapshotSink>> OpenPostgresSink(const std::string& url,
                                                       DatabaseOptions options) {
  if (Result<void> checked = PostgresConnection::Check(url); !checked) {
    return std::move(checked).error();
  }
  auto sink = std::make_shared<PostgresSink>(url, std::move(options));
  if (Result<void> prepared = sink->Prepare(); !prepared) return std::move(prepared).error();
  return std::shared_ptr<SnapshotSink>(std::move(sink));
}

}  // namespace kinformer
