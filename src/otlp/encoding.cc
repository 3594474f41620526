#include "otlp/encoding.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <system_error>
#include <variant>

#include "kinformer/base/version.h"
#include "kinformer/json/json.h"

#include "base/text/number_in.h"

namespace kinformer::internal::otlp {
namespace {

// Values of opentelemetry.proto.trace.v1: Span.SpanKind, Status.StatusCode and the flag of a
// sampled trace.
constexpr int kFirstKind = 1;
constexpr int kStatusError = 2;
constexpr int kSampled = 1;

// Writes objects and lists of JSON, with commas where they belong.
class Writer {
 public:
  void Begin(char bracket) {
    Comma();
    out_.push_back(bracket);
    first_ = true;
  }
  void End(char bracket) {
    out_.push_back(bracket);
    first_ = false;
  }
  void Key(std::string_view key) {
    Comma();
    json::AppendQuoted(out_, key, false);
    out_.push_back(':');
    first_ = true;
  }
  void Text(std::string_view text) {
    Comma();
    json::AppendQuoted(out_, text, false);
  }
  void Raw(std::string_view text) {
    Comma();
    out_.append(text);
  }
  void Number(std::int64_t number) { Raw(std::to_string(number)); }
  // 64-bit numbers are texts in this format.
  void LongNumber(std::int64_t number) { Text(std::to_string(number)); }

  std::string Take() { return std::move(out_); }

 private:
  void Comma() {
    if (!first_) out_.push_back(',');
    first_ = false;
  }

  std::string out_;
  bool first_ = true;
};

std::string DoubleText(double value) {
  // The format's names for what JSON has no number for.
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return error == std::errc() ? std::string(buffer, end) : "0";
}

// Ids are hexadecimal here, in contrast to other bytes of protobuf's JSON.
template <class Bytes>
void WriteId(std::string_view key, const Bytes& bytes, Writer& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  out.Key(key);
  out.Text(text);
}

void WriteText(std::string_view key, std::string_view text, Writer& out) {
  out.Key(key);
  out.Text(text);
}

void WriteTime(std::string_view key, WallTime time, Writer& out) {
  out.Key(key);
  out.LongNumber(time.time_since_epoch().count());
}

void WriteCount(std::string_view key, std::size_t count, Writer& out) {
  if (count == 0) return;
  out.Key(key);
  out.Number(static_cast<std::int64_t>(count));
}

struct ValueWriter {
  Writer& out;
  void operator()(const std::string& text) const { WriteText("stringValue", text, out); }
  void operator()(std::int64_t number) const {
    out.Key("intValue");
    out.LongNumber(number);
  }
  void operator()(double number) const {
    out.Key("doubleValue");
    out.Raw(DoubleText(number));
  }
  void operator()(bool value) const {
    out.Key("boolValue");
    out.Raw(value ? "true" : "false");
  }
};

void WriteAttribute(std::string_view name,
                    const std::variant<std::string, std::int64_t, double, bool>& value,
                    Writer& out) {
  out.Begin('{');
  WriteText("key", name, out);
  out.Key("value");
  out.Begin('{');
  std::visit(ValueWriter{out}, value);
  out.End('}');
  out.End('}');
}

void WriteAttributes(const std::vector<OwnedAttribute>& attributes, Writer& out) {
  if (attributes.empty()) return;
  out.Key("attributes");
  out.Begin('[');
  for (const OwnedAttribute& attribute : attributes) {
    WriteAttribute(attribute.name, attribute.value, out);
  }
  out.End(']');
}

void WriteEvents(const SpanData& span, Writer& out) {
  if (span.events.empty()) return;
  out.Key("events");
  out.Begin('[');
  for (const SpanEvent& event : span.events) {
    out.Begin('{');
    WriteTime("timeUnixNano", event.when, out);
    WriteText("name", event.name, out);
    WriteAttributes(event.attributes, out);
    out.End('}');
  }
  out.End(']');
}

void WriteLinks(const SpanData& span, Writer& out) {
  if (span.links.empty()) return;
  out.Key("links");
  out.Begin('[');
  for (const SpanContext& link : span.links) {
    out.Begin('{');
    WriteId("traceId", link.trace_id, out);
    WriteId("spanId", link.span_id, out);
    if (!link.tracestate.empty()) WriteText("traceState", link.tracestate, out);
    out.Key("flags");
    out.Number(link.sampled ? kSampled : 0);
    out.End('}');
  }
  out.End(']');
}

void WriteSpan(const SpanData& span, Writer& out) {
  out.Begin('{');
  WriteId("traceId", span.context.trace_id, out);
  WriteId("spanId", span.context.span_id, out);
  if (!span.context.tracestate.empty()) WriteText("traceState", span.context.tracestate, out);
  if (span.parent) WriteId("parentSpanId", span.parent->span_id, out);
  out.Key("flags");
  out.Number(span.context.sampled ? kSampled : 0);
  WriteText("name", span.name, out);
  out.Key("kind");
  out.Number(kFirstKind + static_cast<int>(span.kind));
  WriteTime("startTimeUnixNano", span.begun, out);
  WriteTime("endTimeUnixNano", std::max(span.begun, span.ended), out);
  WriteAttributes(span.attributes, out);
  WriteCount("droppedAttributesCount", span.dropped_attributes, out);
  WriteEvents(span, out);
  WriteCount("droppedEventsCount", span.dropped_events, out);
  WriteLinks(span, out);
  WriteCount("droppedLinksCount", span.dropped_links, out);
  if (span.error) {
    out.Key("status");
    out.Begin('{');
    WriteText("message", *span.error, out);
    out.Key("code");
    out.Number(kStatusError);
    out.End('}');
  }
  out.End('}');
}

}  // namespace

std::string EncodeRequest(const ResourceAttributes& resource, std::span<const SpanData> spans) {
  Writer out;
  out.Begin('{');
  out.Key("resourceSpans");
  out.Begin('[');
  out.Begin('{');
  out.Key("resource");
  out.Begin('{');
  out.Key("attributes");
  out.Begin('[');
  for (const auto& [name, value] : resource) WriteAttribute(name, value, out);
  out.End(']');
  out.End('}');
  out.Key("scopeSpans");
  out.Begin('[');
  out.Begin('{');
  out.Key("scope");
  out.Begin('{');
  WriteText("name", "kinformer", out);
  WriteText("version", kVersion, out);
  out.End('}');
  out.Key("spans");
  out.Begin('[');
  for (const SpanData& span : spans) WriteSpan(span, out);
  out.End(']');
  out.End('}');
  out.End(']');
  out.End('}');
  out.End(']');
  out.End('}');
  return out.Take();
}

PartialSuccess DecodeResponse(std::string_view body) {
  PartialSuccess out;
  const Result<json::Value> answer = json::Parse(body);
  if (!answer) return out;
  const json::Value& partial = (*answer)["partialSuccess"];
  const json::Value& rejected = partial["rejectedSpans"];
  const std::string text = rejected.is_string() ? rejected.StringOrEmpty() : rejected.NumberText();
  if (const auto number = base::NumberIn<std::uint64_t>(text)) out.rejected_spans = *number;
  out.message = partial["errorMessage"].StringOrEmpty();
  return out;
}

}  // namespace kinformer::internal::otlp
