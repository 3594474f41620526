// kinformer/apiserver/recording.h
//
// Recorder and Replay: what a real API server said, written down once and served again, with its
// timing or as fast as possible.
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

#include "kinformer/env.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver {

// What is recorded.
struct RecorderOptions {
  // Also what is read of Secrets.
  bool include_secrets{false};
  // Pass on also what may change something: whoever reaches the recorder then writes with the
  // upstream's credentials.
  bool allow_writes{false};
  // What a client may leave unread of one answer; past it the answer is cut.
  std::size_t max_unread_bytes{std::size_t{256} << 20};
};

// What has been recorded so far.
struct RecorderStats {
  std::uint64_t exchanges = 0;  // recorded
  std::uint64_t bytes = 0;      // of the file
};

// A Handler that passes requests to `upstream`, with the upstream's own credentials, and what comes
// back to the client. What may change something (any method but GET and HEAD, proxies, exec and its
// kin) is MethodNotAllowed, unless `allow_writes`. Whoever is let in reads what those credentials
// can read: give an HttpServer in front of it a bearer_token. It writes down the GET requests
// (lists, watches, discovery) and their answers, chunk by chunk, with times.
//
// Guarantees: no header of a request but Accept is written, so no credential; no answer about
// Secrets unless asked for; no request that changes something. What has been written can be
// replayed even if the process is killed. The file belongs to its owner alone (mode 0600). If the
// disk fails, a warning is logged and recording ends; passing on goes on.
// Loop-confined, destruction included; writes to the file on the loop. Response streams may outlive
// it.
class Recorder : public Handler {
 public:
  // Starts the file anew. kConfig: it cannot be written; or it is a link, or something else than a
  // regular file of this user's alone.
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

// How a recording is played.
struct ReplayOptions {
  // 2: twice as fast as it was; 0: as fast as possible.
  double speed{1};
};

// A Handler that answers from a recording. The n-th request for the same thing (path and query,
// leaving aside timeouts and, where none with the same was recorded, the resourceVersion) gets the
// n-th recorded answer; a list or object then goes on to get the last, and a watch says nothing
// until its timeoutSeconds. A watch whose recording breaks off stays open. What was not recorded is
// NotFound; what would change something is MethodNotAllowed.
//
// The recording is kept in memory. Loop-confined; response streams may outlive it.
class Replay : public Handler {
 public:
  // Errors: kConfig where the file cannot be read or is no recording. One that breaks off in the
  // middle is taken up to there.
  static Result<std::unique_ptr<Replay>> Open(Env& env, const std::string& path,
                                              ReplayOptions options = {});
  static Result<std::unique_ptr<Replay>> FromBytes(Env& env, std::string recording,
                                                   ReplayOptions options = {});
  ~Replay() override;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;
  // Recorded answers, and how many of them have been served.
  [[nodiscard]] std::size_t exchanges() const;
  [[nodiscard]] std::size_t served() const;
  // Of a recording that breaks off: the bytes at its end that make no sense, and answers, those of
  // watches aside, that lack their end.
  [[nodiscard]] std::size_t unread_bytes() const;
  [[nodiscard]] std::size_t unfinished() const;

 private:
  struct Impl;
  explicit Replay(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_RECORDING_H_
