// kinformer/apiserver/recording.h
//
// Recorder and Replay: record the answers of a real API server to a file, and serve them again,
// with the original timing or as fast as possible.
//
//   auto recorder = Recorder::Open(env, transport_to_the_cluster, "morning.rec").OrExit();
//   auto http = HttpServer::Listen(env, *recorder, {.bearer_token = token}).OrExit();
//
//   auto replay = Replay::Open(env, "morning.rec", {.speed = 10}).OrExit();
//   auto transport = NewInMemoryTransport(env, *replay);  // or behind an HttpServer again

#ifndef KINFORMER_APISERVER_RECORDING_H_
#define KINFORMER_APISERVER_RECORDING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer::apiserver {

// Options of a Recorder.
struct RecorderOptions {
  // Records answers about Secrets too.
  bool include_secrets{false};
  // Passes on requests that may change something too. Every client of the recorder can then write
  // with the upstream's credentials.
  bool allow_writes{false};
  // Limit of one answer's bytes that the client has not read yet; beyond it the answer is cut.
  std::size_t max_unread_bytes{std::size_t{256} << 20};
};

// Counts since the recording was opened.
struct RecorderStats {
  std::uint64_t exchanges = 0;  // requests in the recording
  std::uint64_t bytes = 0;      // size of the file
};

// A Handler that forwards requests to `upstream`, with the upstream's credentials, and returns the
// answers to the client. Requests that may change something (any method but GET and HEAD, proxies,
// exec and similar) get MethodNotAllowed, unless `allow_writes`. Each client can read all that
// those credentials can: give the HttpServer in front of it a bearer_token. Records GET requests
// (lists, watches, discovery) and their answers, chunk by chunk, with times.
//
// Guarantees: the only recorded request header is Accept, so no credentials are; answers about
// Secrets are recorded only on request; requests that change something never are. The recorded
// part can be replayed even if the process is killed. Only the file's owner can read it (mode
// 0600). If the disk fails, a warning is logged and recording stops; forwarding continues.
// Loop-confined, destruction included; writes to the file on the loop. Response streams may
// outlive it.
class Recorder : public Handler {
 public:
  // Creates or truncates the file. kConfig: the file cannot be written, is a link, or is not a
  // regular file that belongs to this user alone.
  static Result<std::unique_ptr<Recorder>> Open(Env& env, std::shared_ptr<Transport> upstream,
                                                const std::string& path,
                                                RecorderOptions options = {});
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;
  [[nodiscard]] RecorderStats Stats() const;

 private:
  struct Core;
  explicit Recorder(std::shared_ptr<Core> core);
  const std::shared_ptr<Core> core_;
};

// Options of a Replay.
struct ReplayOptions {
  // 1: original speed; 2: twice as fast; 0: as fast as possible.
  double speed{1};
};

// A Handler that answers from a recording. The n-th request for the same path and query gets the
// n-th recorded answer. Timeouts are not compared, nor is the resourceVersion if no recorded
// request has the same one. After the last answer, a get or list repeats it, and a watch sends
// nothing until its timeoutSeconds. A watch with an incomplete recording stays open. Requests that
// were not recorded get NotFound; requests that would change something get MethodNotAllowed.
//
// The recording is kept in memory. Loop-confined; response streams may outlive it.
class Replay : public Handler {
 public:
  // Loads a recording. kConfig: the file cannot be read or is no recording. A file that ends early
  // is used up to the end of its last complete entry.
  static Result<std::unique_ptr<Replay>> Open(Env& env, const std::string& path,
                                              ReplayOptions options = {});
  static Result<std::unique_ptr<Replay>> FromBytes(Env& env, std::string recording,
                                                   ReplayOptions options = {});
  ~Replay() override;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;
  // Return the number of recorded answers, and of those served so far.
  [[nodiscard]] std::size_t exchanges() const;
  [[nodiscard]] std::size_t served() const;
  // For a recording that ends early: the number of unreadable bytes at its end, and of incomplete
  // answers, watches not counted.
  [[nodiscard]] std::size_t unread_bytes() const;
  [[nodiscard]] std::size_t unfinished() const;

 private:
  struct Impl;
  explicit Replay(std::unique_ptr<Impl> impl);
  const kinformer::internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_RECORDING_H_
