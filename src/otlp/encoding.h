// otlp/encoding.h
//
// OTLP in JSON: the request with spans, and the answer. Pure functions.

#ifndef KINFORMER_OTLP_ENCODING_H_
#define KINFORMER_OTLP_ENCODING_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "otlp/span_data.h"

namespace kinformer::internal::otlp {

// Attributes of the process.
using ResourceAttributes = std::vector<std::pair<std::string, std::string>>;

// Returns an ExportTraceServiceRequest.
std::string EncodeRequest(const ResourceAttributes& resource, std::span<const SpanData> spans);

// Part of an ExportTraceServiceResponse: spans that the collector has not taken.
struct PartialSuccess {
  std::uint64_t rejected_spans = 0;
  std::string message{};
};
// Anything else than such a response counts as complete success, as the protocol wants it.
PartialSuccess DecodeResponse(std::string_view body);

}  // namespace kinformer::internal::otlp

#endif  // KINFORMER_OTLP_ENCODING_H_
