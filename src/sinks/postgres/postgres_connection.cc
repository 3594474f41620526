#include "sinks/postgres/postgres_connection.h"

#include <array>
#include <cstddef>
#include <libpq-fe.h>
#include <memory>
#include <utility>

namespace kinformer::internal::sinks {
namespace {

struct Clear {
  void operator()(PGresult* result) const { ::PQclear(result); }
  void operator()(PQconninfoOption* options) const { ::PQconninfoFree(options); }
  void operator()(char* text) const { ::PQfreemem(text); }
};
using ResultPtr = std::unique_ptr<PGresult, Clear>;
using OptionsPtr = std::unique_ptr<PQconninfoOption, Clear>;

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

void ReplaceAll(std::string& text, std::string_view what, std::string_view by) {
  if (what.empty()) return;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

// Returns the password as it is written in the URL's authority or its parameters.
std::string_view PasswordIn(std::string_view url) {
  if (const std::size_t at = url.find("password="); at != std::string_view::npos) {
    const std::string_view rest = url.substr(at + 9);
    return rest.substr(0, rest.find('&'));
  }
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  std::string_view authority = url.substr(begin + 3);
  authority = authority.substr(0, authority.find_first_of("/?"));
  const std::size_t end = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (end == std::string_view::npos || colon == std::string_view::npos || colon > end) return {};
  return authority.substr(colon + 1, end - colon - 1);
}

// Returns the error's SQLSTATE, of five characters; empty if there is none.
std::string StateOf(const PGresult* result) {
  const char* const state = ::PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return state != nullptr ? state : "";
}

}  // namespace

std::string WithoutSecrets(std::string message, const std::string& url) {
  ReplaceAll(message, url, "the URL");
  ReplaceAll(message, PasswordIn(url), "***");
  return message;
}

Result<void> PostgresConnection::Check(const std::string& url) {
  char* why = nullptr;
  const OptionsPtr options(::PQconninfoParse(url.c_str(), &why));
  const std::unique_ptr<char, Clear> text(why);
  if (options != nullptr) return {};
  return Error(Reason::kInvalidArgument,
               "the URL of the database: " +
                   WithoutSecrets(Trimmed(why != nullptr ? why : "it is malformed"), url) +
                   ": write postgresql://USER@HOST:PORT/DATABASE");
}

PostgresConnection::PostgresConnection(std::string url) : url_(std::move(url)) {}
PostgresConnection::~PostgresConnection() { ::PQfinish(connection_); }

Result<void> PostgresConnection::Connect() {
  if (connection_ != nullptr && !broken_ && ::PQstatus(connection_) == CONNECTION_OK) return {};
  broken_ = false;
  ::PQfinish(connection_);
  // The URL may say otherwise, as it comes last.
  constexpr std::array<const char*, 5> kNames = {"connect_timeout", "tcp_user_timeout",
                                                 "fallback_application_name", "dbname", nullptr};
  const std::array<const char*, 5> values = {"10", "30000", "kinformer", url_.c_str(), nullptr};
  connection_ = ::PQconnectdbParams(kNames.data(), values.data(), /*expand_dbname=*/1);
  if (connection_ == nullptr || ::PQstatus(connection_) != CONNECTION_OK) {
    const std::string why =
        connection_ == nullptr ? "no memory" : Trimmed(::PQerrorMessage(connection_));
    return Error(Reason::kConnectionRefused, "PostgreSQL: " + WithoutSecrets(why, url_));
  }
  const auto text = [](const char* value) { return std::string(value != nullptr ? value : ""); };
  target_ = "PostgreSQL at " + text(::PQhost(connection_)) + ":" + text(::PQport(connection_)) +
            ", database " + text(::PQdb(connection_));
  ++connections_;
  // Notices ("table exists") are no messages for users.
  ::PQsetNoticeProcessor(connection_, [](void*, const char*) {}, nullptr);
  return {};
}

Error PostgresConnection::Failure(const std::string& state) {
  const std::string why =
      target_ + ": " + WithoutSecrets(Trimmed(::PQerrorMessage(connection_)), url_);
  // Every error of the server has a state.
  broken_ = broken_ || state.empty() || ::PQstatus(connection_) != CONNECTION_OK;
  if (broken_) return {Reason::kTransport, why};
  // Classes of SQLSTATE: 40 rolled back, 53 too few resources, 55 not in the state, 57 an operator
  // has intervened.
  const std::string_view kind = std::string_view(state).substr(0, 2);
  if (kind == "40" || kind == "55" || kind == "57") return {Reason::kServiceUnavailable, why};
  if (kind == "53") return {Reason::kOverLimit, why};
  if (state == "42501") return {Reason::kForbidden, why};
  return {Reason::kConfig, why};
}

Result<void> PostgresConnection::Run(const std::string& sql) {
  const ResultPtr result(::PQexec(connection_, sql.c_str()));
  const ExecStatusType status = ::PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    return Failure(StateOf(result.get()));
  }
  return {};
}

Result<PostgresRows> PostgresConnection::Query(const std::string& sql,
                                               const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  const ResultPtr result(::PQexecParams(connection_, sql.c_str(), static_cast<int>(values.size()),
                                        nullptr, values.data(), nullptr, nullptr, 0));
  const ExecStatusType status = ::PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    return Failure(StateOf(result.get()));
  }
  PostgresRows rows(static_cast<std::size_t>(::PQntuples(result.get())));
  const int columns = ::PQnfields(result.get());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (int column = 0; column < columns; ++column) {
      const int at = static_cast<int>(row);
      rows[row].emplace_back(::PQgetvalue(result.get(), at, column),
                             static_cast<std::size_t>(::PQgetlength(result.get(), at, column)));
    }
  }
  return rows;
}

Result<void> PostgresConnection::BeginCopy(const std::string& sql) {
  const ResultPtr result(::PQexec(connection_, sql.c_str()));
  if (::PQresultStatus(result.get()) != PGRES_COPY_IN) return Failure(StateOf(result.get()));
  return {};
}

Result<void> PostgresConnection::Copy(std::string_view text) {
  if (::PQputCopyData(connection_, text.data(), static_cast<int>(text.size())) == 1) return {};
  return Failure("");
}

Result<void> PostgresConnection::EndCopy() {
  if (::PQputCopyEnd(connection_, nullptr) != 1) return Failure("");
  Result<void> ended;
  while (const ResultPtr result{::PQgetResult(connection_)}) {
    if (ended && ::PQresultStatus(result.get()) != PGRES_COMMAND_OK) {
      ended = Failure(StateOf(result.get()));
    }
  }
  return ended;
}

}  // namespace kinformer::internal::sinks
