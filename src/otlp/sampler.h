// otlp/sampler.h
//
// Sampler: which traces are recorded, by the names and rules of OpenTelemetry.

#ifndef KINFORMER_OTLP_SAMPLER_H_
#define KINFORMER_OTLP_SAMPLER_H_

#include <array>
#include <cstdint>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/base/tracing.h"

namespace kinformer::internal::otlp {

class Sampler {
 public:
  // Returns the sampler with this name. `argument`: the share for traceidratio; empty: 1. `where`
  // names them in errors, which are kConfig.
  static Result<Sampler> Of(const std::string& name, const std::string& argument,
                            const std::string& where);

  // Decides on a new span. `parent`: null for the first one of a trace. The same trace gets the
  // same answer in all processes with the same share.
  [[nodiscard]] bool Samples(const SpanContext* parent,
                             const std::array<std::uint8_t, 16>& trace_id) const;

 private:
  bool by_parent_ = false;
  // Traces whose number, of 63 bits, is below it.
  std::uint64_t below_ = 0;
};

}  // namespace kinformer::internal::otlp

#endif  // KINFORMER_OTLP_SAMPLER_H_
