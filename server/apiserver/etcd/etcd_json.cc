#include "apiserver/etcd/etcd_json.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/text/number_in.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

// Codes of gRPC.
constexpr std::int64_t kInvalidArgument = 3;
constexpr std::int64_t kDeadlineExceeded = 4;
constexpr std::int64_t kPermissionDenied = 7;
constexpr std::int64_t kResourceExhausted = 8;
constexpr std::int64_t kOutOfRange = 11;
constexpr std::int64_t kUnavailable = 14;
constexpr std::int64_t kUnauthenticated = 16;

void AppendBytes(std::string_view name, std::string_view bytes, std::string& out) {
  out.append("\"").append(name).append("\":\"");
  internal::AppendBase64(bytes, out);
  out += '"';
}

void AppendNumber(std::string_view name, std::int64_t number, std::string& out) {
  out.append("\"").append(name).append("\":\"").append(std::to_string(number)).append("\"");
}

// All keys: from the byte 0 on, without an end.
void AppendAllKeys(std::string& out) {
  AppendBytes("key", std::string_view("\0", 1), out);
  out += ',';
  AppendBytes("range_end", std::string_view("\0", 1), out);
}

void AppendCondition(const EtcdCondition& condition, std::string& out) {
  out += R"({"result":"EQUAL",)";
  AppendBytes("key", condition.key, out);
  out += condition.by_version ? R"(,"target":"VERSION",)" : R"(,"target":"MOD",)";
  AppendNumber(condition.by_version ? "version" : "mod_revision", condition.revision, out);
  out += '}';
}

void AppendChange(const EtcdChange& change, std::string& out) {
  out += change.removes ? R"({"request_delete_range":{)" : R"({"request_put":{)";
  AppendBytes("key", change.key, out);
  if (!change.removes) {
    out += ',';
    AppendBytes("value", change.value, out);
  }
  if (change.lease != 0) {
    out += ',';
    AppendNumber("lease", change.lease, out);
  }
  out += "}}";
}

std::string BytesOf(const json::Value& value) {
  return internal::Base64Decode(value.StringOrEmpty()).value_or(std::string());
}

EtcdValue ValueOf(const json::Value& kv) {
  return {.key = BytesOf(kv["key"]),
          .value = BytesOf(kv["value"]),
          .revision = NumberOf(kv["mod_revision"]),
          .version = NumberOf(kv["version"])};
}

std::vector<EtcdValue> ValuesOf(const json::Value& range) {
  std::vector<EtcdValue> values;
  for (const json::Value& kv : range["kvs"].items()) values.push_back(ValueOf(kv));
  return values;
}

constexpr const char* kNeedsUser =
    " (a server needs a user of etcd who may read and write all keys: --etcd-user)";

}  // namespace

std::string RangeJson(const EtcdRange& range) {
  std::string out = "{";
  AppendBytes("key", range.begin, out);
  if (!range.end.empty()) {
    out += ',';
    AppendBytes("range_end", range.end, out);
  }
  out += ',';
  AppendNumber("limit", range.limit, out);
  out += ',';
  AppendNumber("revision", range.revision, out);
  return out + "}";
}

std::string TransactionJson(const EtcdTransaction& transaction) {
  std::string out = R"({"compare":[)";
  for (std::size_t i = 0; i < transaction.conditions.size(); ++i) {
    if (i > 0) out += ',';
    AppendCondition(transaction.conditions[i], out);
  }
  out += R"(],"success":[)";
  for (std::size_t i = 0; i < transaction.changes.size(); ++i) {
    if (i > 0) out += ',';
    AppendChange(transaction.changes[i], out);
  }
  out += ']';
  if (!transaction.otherwise.empty()) {
    out += R"(,"failure":[{"request_range":{)";
    AppendBytes("key", transaction.otherwise, out);
    out += "}}]";
  }
  return out + "}";
}

std::string WatchJson(std::int64_t from) {
  std::string out = R"({"create_request":{)";
  AppendAllKeys(out);
  out += ',';
  AppendNumber("start_revision", from, out);
  return out + "}}";
}

std::string NumberJson(std::string_view name, std::int64_t number) {
  std::string out = "{";
  AppendNumber(name, number, out);
  return out + "}";
}

std::int64_t NumberOf(const json::Value& value) {
  if (const auto number = value.AsInt64()) return *number;
  return internal::base::NumberIn(value.StringOrEmpty()).value_or(0);
}

EtcdPage PageOf(const json::Value& answer) {
  return {.revision = NumberOf(answer["header"]["revision"]),
          .values = ValuesOf(answer),
          .more = answer["more"].AsBool().value_or(false)};
}

EtcdOutcome OutcomeOf(const json::Value& answer) {
  EtcdOutcome outcome{.made = answer["succeeded"].AsBool().value_or(false),
                      .revision = NumberOf(answer["header"]["revision"])};
  if (!outcome.made) outcome.otherwise = ValuesOf(answer["responses"][0]["response_range"]);
  return outcome;
}

Error EtcdErrorOf(int status, std::string_view body) {
  const json::Value answer = json::Parse(body).value_or(json::Value());
  std::string why = answer["message"].StringOrEmpty();
  if (const std::string& said = answer["error"].StringOrEmpty(); why.empty() && !said.empty()) {
    return EtcdUnavailable(said);
  }
  if (body.starts_with("CommonName of client")) {
    return EtcdRefusal(
        "an etcd with users takes no client certificate with a common name here: use one without a "
        "common name, and --etcd-user");
  }
  if (why.empty()) {
    return EtcdUnavailable("the answer is " + std::to_string(status) +
                           ", as of another server than etcd, or of one without its JSON API");
  }
  switch (answer["code"].AsInt64().value_or(0)) {
    case kOutOfRange:
      return Error(Reason::kExpired, std::move(why)).WithHttpStatus(410);
    case kResourceExhausted:
      if (why.find("space") != std::string::npos) {
        why += " (compact and defragment it and disarm the alarm, or raise --quota-backend-bytes)";
        return EtcdRefusal(why);
      }
      return EtcdUnavailable(why);
    case kUnauthenticated:
    case kPermissionDenied:
      return EtcdRefusal(why + kNeedsUser);
    case kInvalidArgument:
      if (why.find("user name") != std::string::npos) {
        why += kNeedsUser;
      }
      return EtcdRefusal(why);
    case kDeadlineExceeded:
      return EtcdTimeout(why);
    case kUnavailable:
      // Only without a leader is it known that nothing was proposed.
      return why.find("no leader") != std::string::npos ? EtcdUnavailable(why) : EtcdTimeout(why);
    default:
      return EtcdRefusal(why);
  }
}

EtcdLine LineOf(std::string_view line) {
  EtcdLine out;
  const Result<json::Value> parsed = json::Parse(line);
  if (!parsed) {
    out.over = true;
    out.why = "the watch sent no JSON: " + std::string(parsed.error().message());
    return out;
  }
  const json::Value& result = (*parsed)["result"];
  if (!result.is_object()) {
    out.over = true;
    out.why = (*parsed)["error"]["message"].StringOrEmpty();
    return out;
  }
  out.over = result["canceled"].AsBool().value_or(false);
  out.compacted = NumberOf(result["compact_revision"]);
  out.why =
      out.compacted > 0 ? "the changes are compacted" : result["cancel_reason"].StringOrEmpty();
  for (const json::Value& event : result["events"].items()) {
    EtcdValue change = ValueOf(event["kv"]);
    change.removed = event["type"].StringOrEmpty() == "DELETE";
    out.changes.push_back(std::move(change));
  }
  return out;
}

}  // namespace kinformer::apiserver
