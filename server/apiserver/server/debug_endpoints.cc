#include "apiserver/server/debug_endpoints.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/errors/status.h"
#include "apiserver/faults/fault_json.h"
#include "apiserver/request/negotiation.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver {
namespace {

ResponsePtr JsonResponse(int status, const json::Value& value) {
  return WholeResponse(status, "application/json", value.Dump() + "\n");
}

ResponsePtr Done() { return JsonResponse(200, json::Value::MakeObject({{"status", "Success"}})); }

// Responds to a command that returns nothing.
ResponsePtr AnswerOf(const Result<void>& result) {
  if (result) return Done();
  if (result.error().reason() == Reason::kInvalidArgument) {
    return ErrorResponse(BadRequestError(std::string(result.error().message())), {});
  }
  return ErrorResponse(result.error(), {});
}

ResponsePtr ListFaults(const FaultPlan& faults) {
  json::Value rules = json::Value::MakeArray();
  for (const FaultPlan::Listed& listed : faults.Rules()) {
    rules.EnsureArray().push_back(json::Value::MakeObject(
        {{"id", listed.id}, {"hits", listed.hits}, {"rule", FaultRuleToJson(listed.rule)}}));
  }
  return JsonResponse(
      200, json::Value::MakeObject({{"hits", faults.hits()}, {"rules", std::move(rules)}}));
}

Result<json::Value> Body(const HttpRequest& request) {
  const std::string_view type = request.headers.Get("Content-Type");
  if (!type.empty() && !IsMediaType(type, "application/json")) {
    return UnsupportedMediaTypeError("application/json");
  }
  auto value = json::Parse(request.body);
  if (!value)
    return BadRequestError("the body is no JSON: " + std::string(value.error().message()));
  return value;
}

ResponsePtr AddFault(FaultPlan& faults, const HttpRequest& request) {
  const auto value = Body(request);
  if (!value) return ErrorResponse(value.error(), {});
  auto rule = FaultRuleFromJson(*value);
  if (!rule) return ErrorResponse(rule.error(), {});
  return JsonResponse(201, json::Value::MakeObject({{"id", faults.Add(*std::move(rule))}}));
}

ResponsePtr SetSeed(FaultPlan& faults, const HttpRequest& request) {
  const auto value = Body(request);
  if (!value) return ErrorResponse(value.error(), {});
  const auto seed = (*value)["seed"].AsUint64();
  if (!seed) {
    return ErrorResponse(BadRequestError("field \"seed\" must be an integer that is not negative"),
                         {});
  }
  faults.Seed(*seed);
  return Done();
}

ResponsePtr Faults(FaultPlan& faults, const HttpRequest& request,
                   const std::vector<std::string>& parts) {
  const std::string& method = request.method;
  if (parts.size() == 2) {
    if (method == "GET") return ListFaults(faults);
    if (method == "POST") return AddFault(faults, request);
    if (method == "DELETE") {
      faults.Clear();
      return Done();
    }
  } else if (parts.size() == 3 && parts[2] == "seed") {
    if (method == "PUT") return SetSeed(faults, request);
  } else if (parts.size() == 3 && method == "DELETE") {
    const auto id = internal::base::NumberIn<std::uint64_t>(parts[2]);
    if (id && faults.Remove(*id)) return Done();
    return ErrorResponse(
        Error(Reason::kNotFound, "there is no fault rule \"" + parts[2] + "\"").WithHttpStatus(404),
        {});
  }
  return ErrorResponse(MethodNotAllowedError(), {});
}

ResponsePtr Snapshot(ApiServer& server, const HttpRequest& request) {
  if (request.method == "GET") {
    return WholeResponse(200, "application/octet-stream", server.Snapshot().bytes());
  }
  if (request.method != "PUT") return ErrorResponse(MethodNotAllowedError(), {});
  const Result<StateSnapshot> snapshot = StateSnapshot::FromBytes(request.body);
  if (!snapshot) {
    return ErrorResponse(BadRequestError("the body " + snapshot.error().message()), {});
  }
  return AnswerOf(server.Restore(*snapshot));
}

}  // namespace

ResponsePtr AnswerDebug(ApiServer& server, const HttpRequest& request, const RequestInfo& info) {
  if (info.parts.size() < 2 || info.parts[0] != "debug") return nullptr;
  const std::string& what = info.parts[1];
  if (what == "faults") return Faults(server.faults(), request, info.parts);
  if (info.parts.size() > 2) return nullptr;
  if (what == "snapshot") return Snapshot(server, request);
  if (what != "compact" && what != "restore" && what != "close-watches") return nullptr;
  if (request.method != "POST") return ErrorResponse(MethodNotAllowedError(), {});
  if (what == "close-watches") {
    server.CloseWatches();
    return Done();
  }
  const auto version = info.query.GetInt("resourceVersion");
  if (!version) return ErrorResponse(version.error(), {});
  if (what == "restore") return AnswerOf(server.Restore(version->value_or(0)));
  server.Compact(version->value_or(server.current_resource_version()));
  return Done();
}

}  // namespace kinformer::apiserver
