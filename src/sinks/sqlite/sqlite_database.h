// sinks/sqlite/sqlite_database.h
//
// SqliteDatabase: a file of SQLite that others read, and statements on it.

#ifndef KINFORMER_SINKS_SQLITE_SQLITE_DATABASE_H_
#define KINFORMER_SINKS_SQLITE_SQLITE_DATABASE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"

struct sqlite3;       // sqlite3.h
struct sqlite3_stmt;  // sqlite3.h

namespace kinformer::internal::sinks {

// For one thread at a time; must outlive its statements.
class SqliteDatabase {
 public:
  // Opens or makes the file. Errors are those of Failure.
  static Result<std::unique_ptr<SqliteDatabase>> Open(const std::string& path);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  Result<void> Run(const std::string& sql);
  // Runs `body` in a transaction that writes, which it ends.
  template <class Body>
  Result<void> InTransaction(const Body& body) {
    Result<void> done = Run("BEGIN IMMEDIATE");
    if (!done) return done;
    done = body();
    if (done) done = Run("COMMIT");
    if (!done) (void)Run("ROLLBACK");
    return done;
  }
  // Writes changes to a log first, which is the rule: readers do not wait. Or writes them to the
  // file at once, with what they replace in a journal, which is cheaper for a first fill. Changes
  // nothing while others have the file open.
  void UseLog(bool log);
  // Returns the last error: kTimeout if another program has the lock, kOverLimit if the disk is
  // full, else kConfig. Names the file and the remedy.
  [[nodiscard]] Error Failure() const;
  // Returns the number of rows that the last statement changed.
  [[nodiscard]] int Changed() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend class SqliteStatement;
  SqliteDatabase(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  sqlite3* handle_;
  std::string path_;
};

// A prepared statement. Parameters count from 1, columns from 0.
class SqliteStatement {
 public:
  SqliteStatement(SqliteDatabase& database, const std::string& sql);
  ~SqliteStatement();
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  // The text must stay until Run or the last Next.
  SqliteStatement& Bind(int parameter, std::string_view text);
  SqliteStatement& BindNull(int parameter);
  // Executes a statement without rows.
  Result<void> Run();
  // Moves to the next row. Returns false after the last one.
  Result<bool> Next();
  // Takes back what an unfinished loop over rows holds.
  void Reset();
  [[nodiscard]] std::string Text(int column) const;

 private:
  SqliteDatabase& database_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace kinformer::internal::sinks

#endif  // KINFORMER_SINKS_SQLITE_SQLITE_DATABASE_H_
