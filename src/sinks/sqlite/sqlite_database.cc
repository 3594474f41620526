#include "sinks/sqlite/sqlite_database.h"

#include <cstddef>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

namespace kinformer::internal::sinks {
namespace {

constexpr int kLockMilliseconds = 5000;

}  // namespace

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::Open(const std::string& path) {
  // SQLite gives its other files the rights of this one.
  const int made = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (made >= 0) ::close(made);
  sqlite3* handle = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int opened = ::sqlite3_open_v2(path.c_str(), &handle, kFlags, nullptr);
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(handle, path));
  if (opened != SQLITE_OK) return database->Failure();
  ::sqlite3_extended_result_codes(handle, 1);
  ::sqlite3_busy_timeout(handle, kLockMilliseconds);
  for (const char* sql : {"PRAGMA page_size = 16384", "PRAGMA journal_mode = WAL",
                          "PRAGMA synchronous = NORMAL", "PRAGMA cache_size = -8192"}) {
    if (Result<void> done = database->Run(sql); !done) return done.error();
  }
  return database;
}

SqliteDatabase::~SqliteDatabase() { ::sqlite3_close_v2(handle_); }

Result<void> SqliteDatabase::Run(const std::string& sql) {
  if (::sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Failure();
  }
  return {};
}

void SqliteDatabase::UseLog(bool log) {
  ::sqlite3_busy_timeout(handle_, 0);
  (void)Run(log ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE");
  ::sqlite3_busy_timeout(handle_, kLockMilliseconds);
}

int SqliteDatabase::Changed() const { return ::sqlite3_changes(handle_); }

Error SqliteDatabase::Failure() const {
  const std::string why = path_ + ": " + ::sqlite3_errmsg(handle_);
  switch (::sqlite3_errcode(handle_) & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Reason::kTimeout,
              why + ": another program holds the lock of this file: end its transaction"};
    case SQLITE_FULL:
      return {Reason::kOverLimit, why + ": make room on the disk"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {Reason::kConfig, why + ": move this file away; the next export makes a new one"};
    case SQLITE_CANTOPEN:
      return {Reason::kConfig, why + ": see whether its folder is there and may be written"};
    default:
      return {Reason::kConfig, why};
  }
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, const std::string& sql)
    : database_(database) {
  // An error shows when the statement runs.
  ::sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &handle_,
                       nullptr);
}

SqliteStatement::~SqliteStatement() { ::sqlite3_finalize(handle_); }

SqliteStatement& SqliteStatement::Bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL.
  ::sqlite3_bind_text64(handle_, parameter, text.data() == nullptr ? "" : text.data(), text.size(),
                        SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

SqliteStatement& SqliteStatement::BindNull(int parameter) {
  ::sqlite3_bind_null(handle_, parameter);
  return *this;
}

Result<void> SqliteStatement::Run() {
  const Result<bool> row = Next();
  Result<void> result;
  if (!row.ok()) result = row.error();
  Reset();
  return result;
}

Result<bool> SqliteStatement::Next() {
  if (handle_ == nullptr) return database_.Failure();
  const int result = ::sqlite3_step(handle_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return database_.Failure();
}

void SqliteStatement::Reset() { ::sqlite3_reset(handle_); }

std::string SqliteStatement::Text(int column) const {
  const void* const bytes = ::sqlite3_column_blob(handle_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes),
          static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column))};
}

}  // namespace kinformer::internal::sinks
