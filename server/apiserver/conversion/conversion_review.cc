#include "apiserver/conversion/conversion_review.h"

#include <cstddef>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/schema/metadata_rules.h"
#include "wire/json_cost.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kKind = "ConversionReview";
// The same limit as for the defaults of an object.
constexpr std::size_t kMaxObjectBytes = std::size_t{16} << 20;

std::string TypeName(const json::Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return "string";
  if (value.is_array()) return "[]interface {}";
  if (value.is_object()) return "map[string]interface {}";
  if (value.AsBool()) return "bool";
  return value.AsInt64() ? "int64" : "float64";
}

// Returns the causes in the form used in messages.
std::string TextOf(const std::vector<StatusCause>& causes) {
  std::string text;
  for (const StatusCause& cause : causes) {
    text += (text.empty() ? "" : ", ") + cause.field + ": " + cause.message;
  }
  return causes.size() == 1 ? text : "[" + text + "]";
}

// Returns the problem of the review as a whole; empty if there is none.
std::string ProblemOf(const json::Value& review, const ConversionQuestion& question) {
  const std::string& kind = review["kind"].StringOrEmpty();
  const std::string& version = review["apiVersion"].StringOrEmpty();
  if (kind != kKind || version != question.review) {
    return "expected webhook response of " + question.review + ", Kind=" + std::string(kKind) +
           ", got " + version + ", Kind=" + kind;
  }
  const json::Value& response = review["response"];
  if (!response.is_object()) return "no response provided";
  const std::string& uid = response["uid"].StringOrEmpty();
  // Webhooks of v1beta1 never had to return the uid.
  if (uid != question.uid && question.review.ends_with("/v1")) {
    return "expected response.uid=" + JsonString(question.uid) + ", got " + JsonString(uid);
  }
  const std::string& status = response["result"]["status"].StringOrEmpty();
  if (status == "Success") return {};
  const std::string& message = response["result"]["message"].StringOrEmpty();
  return message.empty() ? "response.result.status was '" + status + "', not 'Success'" : message;
}

// Returns a difference in identity between the two objects; empty if there is none.
std::string OtherObject(const json::Value& asked, const json::Value& made) {
  const json::Value& before = asked["metadata"];
  const json::Value& after = made["metadata"];
  for (const auto& [member, shown] : {std::pair<const char*, const char*>("name", "name"),
                                      {"namespace", "namespace"},
                                      {"uid", "UID"}}) {
    const std::string& expected = before[member].StringOrEmpty();
    const std::string& got = after[member].StringOrEmpty();
    if (expected != got) {
      return "must have the same " + std::string(shown) + ": " + expected + " != " + got;
    }
  }
  return {};
}

// Returns the problem of labels or annotations; empty if there is none.
std::string StringMapProblem(std::string_view member, const json::Value& map) {
  const std::string field = "metadata." + std::string(member);
  if (!map.is_object()) {
    return "invalid " + field + " of type " + TypeName(map) + " in converted object";
  }
  for (const auto& [key, value] : map.members()) {
    if (value.is_string()) continue;
    return field + "[" + key + "] must be a string, but is " + TypeName(value) +
           " in converted object";
  }
  const json::Value checked = json::Value::MakeObject({{"name", "name"}, {member, map}});
  const std::vector<StatusCause> causes = ValidateMetadata({}, checked);
  return causes.empty() ? std::string() : TextOf(causes);
}

// Gives `made` the metadata of `asked` except for labels and annotations. Returns the problem of
// these; empty if there is none.
std::string RestoreMetadata(const json::Value& asked, json::Value& made) {
  const json::Value answered = std::as_const(made)["metadata"];
  json::Value metadata = asked["metadata"];
  for (const std::string_view member : {"labels", "annotations"}) {
    const json::Value& map = answered[member];
    if (map.is_null()) {
      metadata.Erase(member);
      continue;
    }
    if (std::string problem = StringMapProblem(member, map); !problem.empty()) return problem;
    metadata.Set(member, map);
  }
  made.Set("metadata", std::move(metadata));
  return {};
}

// Returns why the converted object is refused, to follow "returned "; empty: it is accepted.
std::string Take(const ConversionQuestion& question, std::size_t index, json::Value& made) {
  const json::Value& asked = question.objects[index];
  const std::string at = "invalid object at index " + std::to_string(index) + ": ";
  if (!made.is_object()) return at + "it is a " + TypeName(made) + ", not an object";
  const std::string& version = std::as_const(made)["apiVersion"].StringOrEmpty();
  if (version != question.desired) {
    return at + "invalid groupVersion (expected " + question.desired + ", received " + version +
           ")";
  }
  const std::string& kind = std::as_const(made)["kind"].StringOrEmpty();
  if (kind != asked["kind"].StringOrEmpty()) {
    return at + "invalid kind (expected " + asked["kind"].StringOrEmpty() + ", received " + kind +
           ")";
  }
  if (const std::string other = OtherObject(asked, made); !other.empty()) {
    return "invalid object: " + other;
  }
  if (json::CostOf(made) > kMaxObjectBytes) {
    return at + "it takes more than " + std::to_string(kMaxObjectBytes >> 20U) +
           " MiB of memory: a conversion gives an object the form of another version, and makes "
           "no other of it";
  }
  const std::string problem = RestoreMetadata(asked, made);
  return problem.empty() ? problem : "invalid metadata: " + problem;
}

}  // namespace

std::string ConversionReviewText(const ConversionQuestion& question) {
  json::Value objects = json::Value::MakeArray();
  for (json::Value object : question.objects) {
    object.Ensure("metadata").Erase("resourceVersion");
    objects.Append(std::move(object));
  }
  return json::Value::MakeObject(
             {{"kind", kKind},
              {"apiVersion", question.review},
              {"request", json::Value::MakeObject({{"uid", question.uid},
                                                   {"desiredAPIVersion", question.desired},
                                                   {"objects", std::move(objects)}})}})
      .Dump();
}

Error ConversionError(const ConversionQuestion& question, std::string_view what) {
  const json::Value& object = question.objects.front();
  return Error(Reason::kUnknown, "conversion webhook for " + object["apiVersion"].StringOrEmpty() +
                                     ", Kind=" + object["kind"].StringOrEmpty() + " " +
                                     std::string(what))
      .WithHttpStatus(500);
}

Result<std::vector<json::Value>> ReadConversionAnswer(std::string_view body,
                                                      const ConversionQuestion& question) {
  Result<json::Value> review = json::Parse(body);
  if (!review) return ConversionError(question, "failed: " + review.error().message());
  if (const std::string problem = ProblemOf(*review, question); !problem.empty()) {
    return ConversionError(question, "failed: " + problem);
  }
  json::Array objects = review->Ensure("response", "convertedObjects").EnsureArray();
  if (objects.size() != question.objects.size()) {
    return ConversionError(question, "returned " + std::to_string(objects.size()) +
                                         " objects, expected " +
                                         std::to_string(question.objects.size()));
  }
  std::vector<json::Value> out;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (const std::string problem = Take(question, i, objects[i]); !problem.empty()) {
      return ConversionError(question, "returned " + problem);
    }
    out.push_back(std::move(objects[i]));
  }
  return out;
}

}  // namespace kinformer::apiserver
