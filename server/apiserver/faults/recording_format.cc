#include "apiserver/faults/recording_format.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kFrameHead = 1 + 4 + 8 + 4;
// Longer data is split into several frames.
constexpr std::size_t kLongestFrame = std::size_t{1} << 30;

// 30 years, in nanoseconds; longer times are invalid.
constexpr std::int64_t kLongest = 1'000'000'000'000'000'000;

enum FrameType : char { kRequest = 'Q', kHead = 'H', kData = 'D', kEnd = 'E' };

void AppendNumber(std::uint64_t value, int bytes, std::string& out) {
  for (; bytes > 0; --bytes, value >>= 8U) out.push_back(static_cast<char>(value & 0xffU));
}

std::uint64_t ReadNumber(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

void AppendFrame(FrameType type, std::uint32_t exchange, Duration at, std::string_view payload,
                 std::string& out) {
  out.push_back(type);
  AppendNumber(exchange, 4, out);
  AppendNumber(static_cast<std::uint64_t>(at.count()), 8, out);
  AppendNumber(payload.size(), 4, out);
  out += payload;
}

// Adds a frame to its exchange. Returns false if the frame makes no sense.
bool Apply(char type, Duration at, std::string_view payload, RecordedExchange& exchange) {
  const Duration since = at - exchange.began;
  switch (type) {
    case kHead: {
      const json::Value head = json::Parse(payload).value_or(json::Value());
      const auto status = head["status"].AsInt64();
      if (!status || *status < 100 || *status > 599 || exchange.status != 0) return false;
      exchange.status = static_cast<int>(*status);
      exchange.head_at = since;
      for (const json::Value& header : head["headers"].items()) {
        exchange.headers.Add(header[0].StringOrEmpty(), header[1].StringOrEmpty());
      }
      return true;
    }
    case kData:
      if (exchange.status == 0 || exchange.ended) return false;
      exchange.chunks.push_back({.at = since, .bytes = payload});
      return true;
    case kEnd:
      if (exchange.ended) return false;
      exchange.ended = since;
      exchange.complete = payload.empty();
      return true;
    default:
      return false;
  }
}

}  // namespace

void AppendRecordedRequest(std::uint32_t exchange, Duration at, std::string_view target,
                           std::string_view accept, std::string& out) {
  AppendFrame(kRequest, exchange, at,
              json::Value::MakeObject({{"target", target}, {"accept", accept}}).Dump(), out);
}

void AppendRecordedHead(std::uint32_t exchange, Duration at, int status, const HttpHeaders& headers,
                        std::string& out) {
  json::Value fields = json::Value::MakeArray();
  for (const auto& [name, value] : headers) {
    fields.EnsureArray().push_back(json::Value::MakeArray({name, value}));
  }
  AppendFrame(kHead, exchange, at,
              json::Value::MakeObject({{"status", status}, {"headers", std::move(fields)}}).Dump(),
              out);
}

void AppendRecordedData(std::uint32_t exchange, Duration at, std::string_view data,
                        std::string& out) {
  for (; !data.empty(); data.remove_prefix(std::min(data.size(), kLongestFrame))) {
    AppendFrame(kData, exchange, at, data.substr(0, kLongestFrame), out);
  }
}

void AppendRecordedEnd(std::uint32_t exchange, Duration at, std::string_view error,
                       std::string& out) {
  AppendFrame(kEnd, exchange, at, error, out);
}

Result<Recording> ParseRecording(std::string bytes) {
  constexpr std::string_view kName = "kinformer-recording ";
  if (!bytes.starts_with(kRecordingHeader)) {
    if (bytes.starts_with(kName)) {
      return Error(Reason::kConfig,
                   "a recording of version " +
                       bytes.substr(kName.size(), bytes.find('\n') - kName.size()) +
                       ", but this program reads version 1");
    }
    return Error(Reason::kConfig, "no recording: it does not begin with \"kinformer-recording 1\"");
  }
  Recording recording;
  recording.bytes = std::make_shared<const std::string>(std::move(bytes));
  std::string_view rest = std::string_view(*recording.bytes).substr(kRecordingHeader.size());
  recording.unread_bytes = rest.size();
  std::unordered_map<std::uint64_t, std::size_t> by_number;
  // A frame that cannot be read ends the recording: the writer was stopped there.
  for (; rest.size() >= kFrameHead; recording.unread_bytes = rest.size()) {
    const char type = rest[0];
    const std::uint64_t number = ReadNumber(rest.substr(1, 4));
    const auto nanos = static_cast<std::int64_t>(ReadNumber(rest.substr(5, 8)));
    const std::uint64_t size = ReadNumber(rest.substr(13, 4));
    if (size > rest.size() - kFrameHead || nanos < 0 || nanos > kLongest) break;
    const Duration at(nanos);
    const std::string_view payload = rest.substr(kFrameHead, static_cast<std::size_t>(size));
    rest.remove_prefix(kFrameHead + payload.size());
    if (type == kRequest) {
      const json::Value request = json::Parse(payload).value_or(json::Value());
      if (!by_number.emplace(number, recording.exchanges.size()).second) break;
      recording.exchanges.push_back({.target = request["target"].StringOrEmpty(),
                                     .accept = request["accept"].StringOrEmpty(),
                                     .began = at});
      continue;
    }
    const auto found = by_number.find(number);
    if (found == by_number.end()) break;
    RecordedExchange& exchange = recording.exchanges[found->second];
    if (at < exchange.began || !Apply(type, at, payload, exchange)) break;
  }
  return recording;
}

}  // namespace kinformer::apiserver
