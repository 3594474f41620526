// sinks/postgres/postgres_connection.h
//
// PostgresConnection: a connection of libpq that is made again when it is lost.

#ifndef KINFORMER_SINKS_POSTGRES_POSTGRES_CONNECTION_H_
#define KINFORMER_SINKS_POSTGRES_POSTGRES_CONNECTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

struct pg_conn;  // libpq-fe.h

namespace kinformer::internal::sinks {

// Rows of a result, all of text. NULL is empty.
using PostgresRows = std::vector<std::vector<std::string>>;

// For one thread at a time. After an error all calls fail until Connect.
class PostgresConnection {
 public:
  // kInvalidArgument: `url` is malformed.
  static Result<void> Check(const std::string& url);

  explicit PostgresConnection(std::string url);
  ~PostgresConnection();
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  // Connects, if there is no connection or it is lost. kConnectionRefused: it is not possible.
  Result<void> Connect();
  // Counts the connections that were made.
  [[nodiscard]] std::uint64_t connections() const { return connections_; }

  Result<void> Run(const std::string& sql);
  // Runs one statement with parameters $1, $2, ... of type text.
  Result<PostgresRows> Query(const std::string& sql,
                             const std::vector<std::string>& parameters = {});
  // Runs `sql`, a COPY ... FROM STDIN. Each part of the text may be sent by itself.
  Result<void> BeginCopy(const std::string& sql);
  Result<void> Copy(std::string_view text);
  Result<void> EndCopy();
  // Runs `body` in a transaction, which it ends.
  template <class Body>
  Result<void> InTransaction(const Body& body) {
    Result<void> done = Run("BEGIN");
    if (!done) return done;
    done = body();
    if (done) return Run("COMMIT");
    (void)Run("ROLLBACK");
    return done;
  }
  // Returns host, port and database, for messages.
  [[nodiscard]] const std::string& target() const { return target_; }

 private:
  // Returns the last error without what the URL keeps secret. kTransport if the connection is lost.
  [[nodiscard]] Error Failure(const std::string& state);

  const std::string url_;
  std::string target_ = "PostgreSQL";
  pg_conn* connection_ = nullptr;
  std::uint64_t connections_ = 0;
  bool broken_ = false;  // libpq may take a lost connection for a good one
};

// Replaces each occurrence of the URL, and of the password in it, in a message.
std::string WithoutSecrets(std::string message, const std::string& url);

}  // namespace kinformer::internal::sinks

#endif  // KINFORMER_SINKS_POSTGRES_POSTGRES_CONNECTION_H_
