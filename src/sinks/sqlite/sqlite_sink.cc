#include "kinformer/sinks/sqlite_sink.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sinks/sqlite/sqlite_database.h"
#include "sinks/tables/sink_table.h"

namespace kinformer {
namespace {

using internal::sinks::HeldTable;
using internal::sinks::kResourcesTable;
using internal::sinks::Literal;
using internal::sinks::Quoted;
using internal::sinks::SinkTable;
using internal::sinks::SqliteDatabase;
using internal::sinks::SqliteStatement;

// Returns the path of SQLite's JSON functions: $."spec"."containers"[0].
std::string JsonPath(const internal::sinks::FieldPath& path) {
  std::string text = "$";
  for (const auto& step : path) {
    if (const std::string* const name = std::get_if<std::string>(&step)) {
      text += ".\"" + *name + "\"";
    } else {
      text += "[" + std::to_string(std::get<std::size_t>(step)) + "]";
    }
  }
  return text;
}

std::string CreateTable(const SinkTable& table) {
  std::string sql = "CREATE TABLE " + Quoted(table.name) +
                    "(namespace TEXT NOT NULL, name TEXT NOT NULL, uid TEXT NOT NULL, "
                    "resource_version TEXT NOT NULL, object TEXT NOT NULL";
  for (const auto& [name, path] : table.declared) {
    sql +=
        ", " + Quoted(name) + " AS (json_extract(object, " + Literal(JsonPath(path)) + ")) STORED";
  }
  return sql + ", PRIMARY KEY(namespace, name))";
}

std::string CreateHistory(const SinkTable& table) {
  return "CREATE TABLE IF NOT EXISTS " + Quoted(table.history()) +
         "(id INTEGER PRIMARY KEY, time TEXT NOT NULL, operation TEXT NOT NULL, "
         "resource_version TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL, "
         "uid TEXT NOT NULL, object TEXT, UNIQUE(uid, resource_version, operation))";
}

constexpr const char* kNow = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

// The statements of one resource.
struct Writer {
  Writer(SqliteDatabase& database, SinkTable made, bool with_history)
      : table(std::move(made)),
        upsert(database,
               "INSERT INTO " + Quoted(table.name) +
                   "(namespace, name, uid, resource_version, object) VALUES(?, ?, ?, ?, ?) "
                   "ON CONFLICT(namespace, name) DO UPDATE SET uid = excluded.uid, "
                   "resource_version = excluded.resource_version, object = excluded.object"),
        remove(database, "DELETE FROM " + Quoted(table.name) + " WHERE namespace = ? AND name = ?"),
        clear(database, "DELETE FROM " + Quoted(table.name)),
        advance(database, "UPDATE " + std::string(kResourcesTable) +
                              " SET resource_version = ?, time = " + kNow +
                              " WHERE resource = ? AND resource_version = ?") {
    if (!with_history) return;
    history.emplace(database, "INSERT OR IGNORE INTO " + Quoted(table.history()) +
                                  "(time, operation, resource_version, namespace, name, uid, "
                                  "object) VALUES(" +
                                  kNow + ", ?, ?, ?, ?, ?, ?)");
  }

  const SinkTable table;
  SqliteStatement upsert;
  SqliteStatement remove;
  SqliteStatement clear;
  SqliteStatement advance;
  std::optional<SqliteStatement> history{};
};

class SqliteSink final : public SnapshotSink {
 public:
  SqliteSink(std::unique_ptr<SqliteDatabase> database, DatabaseOptions options)
      : database_(std::move(database)), options_(std::move(options)) {}

  Result<void> Prepare() {
    return database_->InTransaction([this] {
      return database_->Run("CREATE TABLE IF NOT EXISTS " + std::string(kResourcesTable) +
                            "(resource TEXT PRIMARY KEY, table_name TEXT NOT NULL, "
                            "source TEXT NOT NULL, columns TEXT NOT NULL, "
                            "resource_version TEXT NOT NULL, time TEXT NOT NULL)");
    });
  }

  Result<std::string> Open(const ExportedResource& resource) override {
    Result<SinkTable> table = internal::sinks::TableOf(resource.name, options_);
    if (!table) return std::move(table).error();
    std::string version;
    Result<void> opened = database_->InTransaction([&]() -> Result<void> {
      Result<std::optional<HeldTable>> held = Held(resource.name);
      if (!held) return std::move(held).error();
      if (*held) {
        version = (*held)->resource_version;
        if (Result<void> same =
                internal::sinks::CheckHeld(database_->path(), resource, *table, **held);
            !same) {
          return same;
        }
      } else if (Result<void> made = Make(resource, *table); !made) {
        return made;
      }
      if (!options_.history) return {};
      return database_->Run(CreateHistory(*table));
    });
    if (!opened) return std::move(opened).error();
    writers_[resource.name] =
        std::make_unique<Writer>(*database_, *std::move(table), options_.history);
    return version;
  }

  Result<std::optional<std::vector<HeldObject>>> Objects(
      const ExportedResource& resource) override {
    SqliteStatement all(*database_, "SELECT namespace, name, uid, resource_version FROM " +
                                        Quoted(writers_.at(resource.name)->table.name));
    std::vector<HeldObject> objects;
    while (true) {
      const Result<bool> row = all.Next();
      if (!row.ok()) return row.error();
      if (!*row) return std::optional(std::move(objects));
      objects.push_back(
          {.name = {all.Text(0), all.Text(1)}, .uid = all.Text(2), .resourceVersion = all.Text(3)});
    }
  }

  Result<void> Commit(const SinkBatch& batch) override {
    const bool fills = batch.complete && batch.from.empty();
    if (fills) database_->UseLog(false);
    Result<void> committed = Transact(batch);
    if (fills) database_->UseLog(true);
    return committed;
  }

 private:
  Result<void> Transact(const SinkBatch& batch) {
    Writer& writer = *writers_.at(batch.resource.name);
    return database_->InTransaction([&]() -> Result<void> {
      if (Result<void> advanced = writer.advance.Bind(1, batch.to)
                                      .Bind(2, batch.resource.name)
                                      .Bind(3, batch.from)
                                      .Run();
          !advanced) {
        return advanced;
      }
      if (database_->Changed() == 0) return WithoutAdvance(batch);
      if (batch.complete) {
        if (Result<void> cleared = writer.clear.Run(); !cleared) return cleared;
      }
      for (const SinkChange& change : batch.changes) {
        if (Result<void> written = Write(writer, batch, change); !written) return written;
      }
      return {};
    });
  }

  Result<std::optional<HeldTable>> Held(const std::string& resource) {
    SqliteStatement row(*database_, "SELECT source, columns, resource_version FROM " +
                                        std::string(kResourcesTable) + " WHERE resource = ?");
    const Result<bool> found = row.Bind(1, resource).Next();
    if (!found.ok()) return found.error();
    if (!*found) return std::optional<HeldTable>();
    return std::optional(HeldTable{row.Text(0), row.Text(1), row.Text(2)});
  }

  Result<void> Make(const ExportedResource& resource, const SinkTable& table) {
    SqliteStatement exists(*database_, "SELECT 1 FROM sqlite_master WHERE name = ?");
    const Result<bool> found = exists.Bind(1, table.name).Next();
    if (!found.ok()) return found.error();
    exists.Reset();
    if (*found) return internal::sinks::ForeignTable(database_->path(), table);
    if (Result<void> made = database_->Run(CreateTable(table)); !made) return made;
    SqliteStatement row(*database_, "INSERT INTO " + std::string(kResourcesTable) +
                                        " VALUES(?, ?, ?, ?, '', " + kNow + ")");
    return row.Bind(1, resource.name)
        .Bind(2, table.name)
        .Bind(3, resource.source)
        .Bind(4, table.columns)
        .Run();
  }

  // The sink does not hold `batch.from`: it may hold what the batch would make of it.
  Result<void> WithoutAdvance(const SinkBatch& batch) {
    const Result<std::optional<HeldTable>> held = Held(batch.resource.name);
    if (!held) return held.error();
    const std::string found = *held ? (*held)->resource_version : "";
    if (*held && found == batch.to) return {};
    return internal::sinks::ChangedByOther(database_->path(), batch, found);
  }

  static Result<void> Write(Writer& writer, const SinkBatch& batch, const SinkChange& change) {
    const std::string json = change.object() ? change.object()->ToJson() : std::string();
    Result<void> written =
        change.removes() ? writer.remove.Bind(1, change.namespace_()).Bind(2, change.name()).Run()
                         : writer.upsert.Bind(1, change.namespace_())
                               .Bind(2, change.name())
                               .Bind(3, change.uid())
                               .Bind(4, change.resourceVersion())
                               .Bind(5, json)
                               .Run();
    if (!written || !writer.history) return written;
    SqliteStatement& history = *writer.history;
    history.Bind(1, change.removes() ? "remove" : "upsert")
        .Bind(2, change.object() ? change.resourceVersion() : std::string_view(batch.to))
        .Bind(3, change.namespace_())
        .Bind(4, change.name())
        .Bind(5, change.uid());
    if (change.object()) {
      history.Bind(6, json);
    } else {
      history.BindNull(6);
    }
    return history.Run();
  }

  const std::unique_ptr<SqliteDatabase> database_;
  const DatabaseOptions options_;
  std::map<std::string, std::unique_ptr<Writer>> writers_{};
};

}  // namespace

Result<std::shared_ptr<SnapshotSink>> OpenSqliteSink(const std::string& path,
                                                     DatabaseOptions options) {
  Result<std::unique_ptr<SqliteDatabase>> database = SqliteDatabase::Open(path);
  if (!database) return std::move(database).error();
  auto sink = std::make_shared<SqliteSink>(*std::move(database), std::move(options));
  if (Result<void> prepared = sink->Prepare(); !prepared) return std::move(prepared).error();
  return std::shared_ptr<SnapshotSink>(std::move(sink));
}

}  // namespace kinformer
