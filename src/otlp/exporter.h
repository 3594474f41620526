// otlp/exporter.h
//
// Exporter: the queue of ended spans, and the requests that send them.

#ifndef KINFORMER_OTLP_EXPORTER_H_
#define KINFORMER_OTLP_EXPORTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/otlp/otlp_tracer.h"

#include "base/core/backoff.h"
#include "otlp/settings.h"
#include "otlp/span_data.h"

namespace kinformer::internal::otlp {

// Add, Flush, Stop and Stats are thread-safe; the rest is confined to the loop. Held by
// std::shared_ptr, as its tasks on the loop need it. Call Stop before the last hold ends.
class Exporter final : public std::enable_shared_from_this<Exporter>, private ResponseReceiver {
 public:
  // `env` outlives it.
  Exporter(Env& env, std::unique_ptr<Transport> transport, Settings settings,
           const OtlpOptions& options, MetricsSink& metrics);
  ~Exporter() override;
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  // Queues a span, or drops it if the queue is full. Never waits for the network.
  void Add(SpanData span);
  // See OtlpTracer.
  Result<void> Flush(Duration timeout);
  // Ends the requests; later spans are dropped. Blocks until the loop has done so.
  void Stop();
  [[nodiscard]] OtlpStats Stats() const;

 private:
  // Makes the loop send: at once, or after the delay.
  void WakeLoop(bool at_once);
  void OnWake(bool at_once);
  // Sends the next batch, unless one is under way.
  void SendNext();
  void SendAttempt();
  // Sends the batch again later, or gives it up.
  void Retry(const std::string& why, std::optional<Duration> asked);
  void GiveUp(const std::string& why);
  // The batch is over; `rejected` or `failed` spans of it are lost.
  void BatchEnds(std::size_t rejected, std::size_t failed);
  void Release();
  void Warn(const std::string& why);

  void OnHeaders(int status, const HttpHeaders& headers) override;
  void OnData(std::string_view data) override;
  void OnDone(Result<void> result) override;

  Env& env_;
  const Settings settings_;
  const std::size_t max_queued_;
  const std::size_t max_batch_;
  const Duration delay_;
  const Duration timeout_;
  const Duration retry_for_;
  const std::shared_ptr<Counter> sent_;
  const std::shared_ptr<Counter> rejected_;
  const std::shared_ptr<Counter> failed_;
  const std::shared_ptr<Counter> dropped_;

  // Guards the members down to stats_.
  const std::unique_ptr<Monitor> monitor_;
  std::deque<SpanData> waiting_;
  bool awake_ = false;  // the loop knows that there are spans
  int flushes_ = 0;     // calls of Flush that wait
  bool stopped_ = false;
  bool released_ = false;
  std::uint64_t added_ = 0;
  std::uint64_t done_ = 0;  // of those, in the same order
  OtlpStats stats_;

  // Loop only.
  std::unique_ptr<Transport> transport_;
  base::BackoffManager backoff_;
  std::size_t batch_ = 0;  // spans that are under way
  std::string body_;
  std::optional<SteadyTime> first_attempt_;
  int status_ = 0;
  std::string retry_after_;
  std::string answer_;
  std::optional<SteadyTime> told_;
  std::uint64_t drops_told_ = 0;
  Timer timer_;  // of the delay, or of the next attempt
  std::unique_ptr<HttpCall> call_;
};

}  // namespace kinformer::internal::otlp

#endif  // KINFORMER_OTLP_EXPORTER_H_
