#include "apiserver/data/database.h"

#include <cstddef>
#include <sqlite3.h>
#include <utility>

namespace kinformer::apiserver {

Result<std::unique_ptr<Database>> Database::Open(const std::string& path) {
  sqlite3* handle = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int opened = ::sqlite3_open_v2(path.c_str(), &handle, kFlags, nullptr);
  std::unique_ptr<Database> database(new Database(handle, path));
  if (opened != SQLITE_OK) return database->Failure();
  ::sqlite3_extended_result_codes(handle, 1);
  for (const char* sql : {"PRAGMA page_size = 8192", "PRAGMA locking_mode = EXCLUSIVE",
                          "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
                          "PRAGMA wal_autocheckpoint = 4000", "PRAGMA cache_size = -8192"}) {
    if (Result<void> done = database->Run(sql); !done) return done.error();
  }
  return database;
}

Database::~Database() { ::sqlite3_close_v2(handle_); }

Result<void> Database::Run(const std::string& sql) {
  if (::sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Failure();
  }
  return {};
}

Error Database::Failure() const {
  const int code = ::sqlite3_errcode(handle_);
  const std::string why = ::sqlite3_errmsg(handle_);
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
    return {Reason::kConfig, path_ + " is damaged (" + why +
                                 "): put the folder back from a copy, or begin with another one"};
  }
  if (IsFull()) {
    return {Reason::kConfig, path_ + " cannot grow (" + why +
                                 "): make room on the disk; writes go on when there is some"};
  }
  return {Reason::kConfig, path_ + ": " + why + ", system error " +
                               std::to_string(::sqlite3_system_errno(handle_)) +
                               ": see to the folder and its disk, and start the server again"};
}

bool Database::IsFull() const { return (::sqlite3_errcode(handle_) & 0xff) == SQLITE_FULL; }

bool Database::MayRetry() const {
  // After a failed fsync nobody knows what is on the disk.
  return IsFull() || ::sqlite3_extended_errcode(handle_) == SQLITE_IOERR_WRITE;
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  // An error shows when the statement runs.
  ::sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()), &handle_,
                       nullptr);
}

Statement::~Statement() { ::sqlite3_finalize(handle_); }

Statement& Statement::Bind(int parameter, std::int64_t number) {
  ::sqlite3_bind_int64(handle_, parameter, number);
  return *this;
}

Statement& Statement::Bind(int parameter, std::string_view bytes) {
  ::sqlite3_bind_blob64(handle_, parameter, bytes.data(), bytes.size(), SQLITE_STATIC);
  return *this;
}

Result<void> Statement::Run() {
  const Result<bool> row = Next();
  ::sqlite3_reset(handle_);
  if (!row.ok()) return row.error();
  return {};
}

Result<bool> Statement::Next() {
  if (handle_ == nullptr) return database_.Failure();
  const int result = ::sqlite3_step(handle_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return database_.Failure();
}

std::int64_t Statement::Number(int column) const { return ::sqlite3_column_int64(handle_, column); }

std::string_view Statement::Bytes(int column) const {
  const void* const bytes = ::sqlite3_column_blob(handle_, column);
  const auto size = static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column));
  return {static_cast<const char*>(bytes), size};
}

}  // namespace kinformer::apiserver
