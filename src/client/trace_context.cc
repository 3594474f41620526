#include "client/trace_context.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "kinformer/base/tracing.h"

namespace kinformer::internal::client {
namespace {

// "00-" + 32 digits of the trace + "-" + 16 of the parent + "-" + 2 of the flags.
constexpr std::size_t kParentSize = 55;
constexpr std::size_t kMostMembers = 32;
constexpr std::size_t kLongestKey = 256;
constexpr std::size_t kLongestValue = 256;

bool IsHex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}
bool IsZero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

// Returns what is wrong with a traceparent; empty: nothing.
std::string_view FaultOfParent(std::string_view text) {
  if (text.size() < kParentSize) return "it is too short";
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  if (text[2] != '-' || text[35] != '-' || text[52] != '-')
    return "it has no '-' between its parts";
  if (!IsHex(version) || !IsHex(trace) || !IsHex(parent) || !IsHex(text.substr(53, 2))) {
    return "its parts are lowercase hexadecimal digits";
  }
  if (version == "ff") return "there is no version ff";
  if (IsZero(trace)) return "its trace-id is zero";
  if (IsZero(parent)) return "its parent-id is zero";
  if (text.size() == kParentSize) return {};
  if (version == "00") return "it is too long for version 00";
  if (text[kParentSize] != '-') return "it has no '-' between its parts";
  // Later versions may add parts.
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  return plain ? std::string_view() : "it has characters that no header may have";
}

bool IsKey(std::string_view key) {
  if (key.empty() || key.size() > kLongestKey) return false;
  const char first = key.front();
  if (!(first >= 'a' && first <= 'z') && !(first >= '0' && first <= '9')) return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '*' ||
           c == '/' || c == '@';
  });
}

bool IsValue(std::string_view value) {
  return !value.empty() && value.size() <= kLongestValue && value.back() != ' ' &&
         std::all_of(value.begin(), value.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '='; });
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") + 1 - from);
}

// Returns what is wrong with a tracestate; empty: nothing.
std::string_view FaultOfState(std::string_view text) {
  std::size_t members = 0;
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    const std::string_view member = Trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (member.empty()) continue;
    const std::size_t sign = member.find('=');
    if (sign == std::string_view::npos) return "a member has no '='";
    if (!IsKey(member.substr(0, sign))) return "a member's key is malformed";
    if (!IsValue(member.substr(sign + 1))) return "a member's value is malformed";
    if (++members > kMostMembers) return "it has more than 32 members";
  }
  return {};
}

Error Malformed(std::string_view name, std::string_view text, std::string_view fault) {
  return Error(Reason::kInvalidArgument, "CallOptions::" + std::string(name) + " \"" +
                                             std::string(text) +
                                             "\" is malformed: " + std::string(fault));
}

}  // namespace

void AddCurrentSpan(HttpHeaders& headers) {
  const Span* const current = SpanScope::Current();
  if (current == nullptr || headers.Has("traceparent")) return;
  headers.Add("traceparent", current->context().Traceparent());
  const std::string& tracestate = current->context().tracestate;
  if (!tracestate.empty()) headers.Add("tracestate", tracestate);
}

Result<void> AddTraceHeaders(const CallOptions& call, HttpHeaders& headers) {
  if (call.traceparent.empty() && !call.tracestate.empty()) {
    return Error(Reason::kInvalidArgument,
                 "CallOptions::tracestate belongs to a traceparent, which is empty");
  }
  if (call.traceparent.empty()) {
    AddCurrentSpan(headers);
    return {};
  }
  if (const std::string_view fault = FaultOfParent(call.traceparent); !fault.empty()) {
    return Malformed("traceparent", call.traceparent, fault);
  }
  if (const std::string_view fault = FaultOfState(call.tracestate); !fault.empty()) {
    return Malformed("tracestate", call.tracestate, fault);
  }
  // A tracestate belongs to its traceparent.
  if (headers.Has("traceparent")) return {};
  headers.Add("traceparent", call.traceparent);
  if (!call.tracestate.empty()) headers.Add("tracestate", call.tracestate);
  return {};
}

}  // namespace kinformer::internal::client
