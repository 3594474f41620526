// apiserver/data/database.h
//
// Database: a file of SQLite, and statements on it.

#ifndef KINFORMER_APISERVER_DATA_DATABASE_H_
#define KINFORMER_APISERVER_DATA_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"

struct sqlite3;       // sqlite3.h
struct sqlite3_stmt;  // sqlite3.h

namespace kinformer::apiserver {

// For one thread at a time; must outlive its statements.
class Database {
 public:
  // Opens or makes the file, and sets it up: commits reach the disk before they return. Errors are
  // kConfig and name the file.
  static Result<std::unique_ptr<Database>> Open(const std::string& path);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Result<void> Run(const std::string& sql);
  // Returns the last error. `doing` is "writing" or the like.
  [[nodiscard]] Error Failure() const;
  // Returns whether the last error was that there is no room on the disk.
  [[nodiscard]] bool IsFull() const;
  // Returns whether waiting may help against the last error.
  [[nodiscard]] bool MayRetry() const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend class Statement;
  Database(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  sqlite3* handle_;
  std::string path_;
};

// A prepared statement. Parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Bind(int parameter, std::int64_t number);
  // The bytes must stay until Run or Done.
  Statement& Bind(int parameter, std::string_view bytes);
  // Executes a statement without rows.
  Result<void> Run();
  // Moves to the next row. Returns false after the last one.
  Result<bool> Next();
  [[nodiscard]] std::int64_t Number(int column) const;
  [[nodiscard]] std::string_view Bytes(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DATA_DATABASE_H_
