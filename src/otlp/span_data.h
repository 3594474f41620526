// otlp/span_data.h
//
// SpanData: an ended span, as it waits to be sent.

#ifndef KINFORMER_OTLP_SPAN_DATA_H_
#define KINFORMER_OTLP_SPAN_DATA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kinformer/base/tracing.h"

namespace kinformer::internal::otlp {

// An attribute that owns its texts.
struct OwnedAttribute {
  std::string name{};
  std::variant<std::string, std::int64_t, double, bool> value{};
};

struct SpanEvent {
  std::string name{};
  WallTime when{};
  std::vector<OwnedAttribute> attributes{};
};

struct SpanData {
  std::string name{};
  SpanKind kind{SpanKind::kInternal};
  SpanContext context{};
  std::optional<SpanContext> parent{};
  WallTime begun{};
  WallTime ended{};
  std::vector<OwnedAttribute> attributes{};
  std::vector<SpanEvent> events{};
  std::vector<SpanContext> links{};
  std::size_t dropped_attributes = 0;
  std::size_t dropped_events = 0;
  std::size_t dropped_links = 0;
  std::optional<std::string> error{};
};

}  // namespace kinformer::internal::otlp

#endif  // KINFORMER_OTLP_SPAN_DATA_H_
