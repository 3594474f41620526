// kinformer raw: any request to the server, with the credentials of the kubeconfig.

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "kinformer/base/stop.h"
#include "kinformer/client/rest_request.h"

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/raw_request.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

struct Flags {
  ConnectionFlags connection{};
  RawFlags raw{};
};

// Puts the request together. Reads the body's file.
RestRequest NewRequest(const Client& client, const RawRequest& asked) {
  RestRequest request = RestClient(client).Verb(asked.method);
  request.RequestURI(asked.path);
  for (const auto& [name, value] : asked.headers) request.SetHeader(name, value);
  if (asked.data) request.Body(*asked.data);
  if (asked.file == "-") {
    request.Body(std::string(std::istreambuf_iterator<char>(std::cin), {}));
  } else if (!asked.file.empty()) {
    request.BodyFile(asked.file);
  }
  return request;
}

int RunRaw(const Flags& flags) {
  const Result<RawRequest> asked = ReadRawFlags(flags.raw);
  if (!asked) return UsageError(asked.error().message());
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  Progress progress(*connection, connection->client.Describe() + asked->path);
  int write_error = 0;
  char last = '\n';
  const Result<void> done = NewRequest(connection->client, *asked)
                                .Stream(
                                    [&](std::string_view data) {
                                      progress.Done();
                                      if (!data.empty()) last = data.back();
                                      // Flushed piece by piece: a watch is read while it goes on.
                                      const bool written = std::fwrite(data.data(), 1, data.size(),
                                                                       stdout) == data.size() &&
                                                           std::fflush(stdout) == 0;
                                      if (!written) write_error = errno;
                                      return written;
                                    },
                                    {.stop = stop.token()});
  progress.Done();
  if (write_error == EPIPE) return 0;  // the reader has enough
  if (write_error != 0) {
    return Fail(Error(Reason::kUnknown, std::string("standard output: ") +
                                            std::generic_category().message(write_error)));
  }
  if (stop.stop_requested()) return kFailure;
  if (!done) return Fail(done.error(), connection->config.origin);
  if (last != '\n' && isatty(STDOUT_FILENO) != 0) std::fputc('\n', stdout);
  return 0;
}

}  // namespace

void RegisterRaw(CommandLine& line) {
  auto flags = std::make_shared<Flags>();
  Command& command = line.Add("raw", "Send a request to the server, and print the answer");
  command.Positional("PATH", flags->raw.path, /*required=*/true,
                     "path and query: /readyz?verbose, /api/v1/namespaces/default/pods?watch=1");
  command.Option("-X,--method", flags->raw.method, "METHOD", "GET, or POST with a body");
  command.Option("-d,--data", flags->raw.data, "TEXT", "the body; @FILE: what is in a file");
  command.Option("-f,--filename", flags->raw.file, "FILE", "file with the body; -: standard input");
  command.Each("-H,--header", flags->raw.headers, "HEADER",
               "\"NAME: VALUE\"; a body is JSON without a Content-Type");
  AddConnectionFlags(command, flags->connection);
  command.Status(kFailure,
                 "the server refuses the request, or there was no answer; an interrupt ended it");
  command.Run([flags] { return RunRaw(*flags); });
}

}  // namespace kinformer::cli
