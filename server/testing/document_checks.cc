#include "kinformer/internal/document_checks.h"

#include <algorithm>
#include <utility>

namespace kinformer::internal::kit {
namespace {

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// Returns `{app: "web", tier: "front"}`.
std::string EntriesOf(const json::Value& map) {
  std::string out;
  for (const auto& [name, value] : map.members()) {
    out += (out.empty() ? "" : ", ") + name + ": " + Quoted(value.StringOrEmpty());
  }
  return "{" + out + "}";
}

std::string Listed(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out.empty() ? "none" : out;
}

std::string ConditionText(const json::Value& condition) {
  const std::string& reason = condition["reason"].StringOrEmpty();
  const std::string& message = condition["message"].StringOrEmpty();
  std::string out = condition["type"].StringOrEmpty() + "=" + condition["status"].StringOrEmpty();
  if (!reason.empty()) out += " (" + reason + (message.empty() ? ")" : ": " + message + ")");
  return out;
}

std::string OwnerText(const json::Value& owner) {
  return owner["kind"].StringOrEmpty() + "/" + owner["name"].StringOrEmpty() +
         (owner["uid"].StringOrEmpty().empty() ? "" : " " + owner["uid"].StringOrEmpty()) +
         (owner["controller"].AsBool().value_or(false) ? " (controller)" : "");
}

// Returns whether the reference is one to `owner`, in any version of its API.
bool RefersTo(const json::Value& reference, const json::Value& owner) {
  const json::Value& metadata = owner["metadata"];
  const std::string& uid = metadata["uid"].StringOrEmpty();
  if (!uid.empty()) return reference["uid"].StringOrEmpty() == uid;
  return reference["kind"] == owner["kind"] && reference["name"] == metadata["name"];
}

}  // namespace

std::string NameOfDocument(const json::Value& object) {
  const json::Value& metadata = object["metadata"];
  const std::string& namespace_ = metadata["namespace"].StringOrEmpty();
  const std::string& kind = object["kind"].StringOrEmpty();
  return (kind.empty() ? "object" : kind) + " " + (namespace_.empty() ? "" : namespace_ + "/") +
         metadata["name"].StringOrEmpty();
}

DocumentCheck HasTextAt(const std::string& what, std::string pointer, const TextCheck& text) {
  return {.expected = "has a " + what + " that " + text.expected,
          .refused = "has no " + what + " that " + text.expected,
          .run = [what, pointer = std::move(pointer), text](const json::Value& object) -> Verdict {
            const std::string& found = object.At(pointer).StringOrEmpty();
            return {.holds = text.holds(found), .found = "has the " + what + " " + Quoted(found)};
          }};
}

DocumentCheck HasEntry(std::string_view map, std::string key, std::optional<TextCheck> text) {
  const std::string one = map == "labels" ? "label" : "annotation";
  const std::string which = one + " " + Quoted(key) + (text ? " that " + text->expected : "");
  return {.expected = "has the " + which,
          .refused = "does not have the " + which,
          .run = [map = std::string(map), one, key = std::move(key),
                  text = std::move(text)](const json::Value& object) -> Verdict {
            const json::Value& entries = object["metadata"][map];
            const json::Value* value = entries.Find(key);
            if (value == nullptr) {
              return {.holds = false,
                      .found = "has no " + one + " " + Quoted(key) + "; its " + map + " are " +
                               EntriesOf(entries)};
            }
            return {.holds = !text || text->holds(value->StringOrEmpty()),
                    .found = "has the " + one + " " + Quoted(key) + " with the value " +
                             Quoted(value->StringOrEmpty())};
          }};
}

DocumentCheck HasFinalizerNamed(std::string name) {
  return {.expected = "has the finalizer " + Quoted(name),
          .refused = "does not have the finalizer " + Quoted(name),
          .run = [name = std::move(name)](const json::Value& object) -> Verdict {
            std::vector<std::string> found;
            for (const json::Value& item : object["metadata"]["finalizers"].items()) {
              found.push_back(Quoted(item.StringOrEmpty()));
            }
            return {.holds = std::ranges::find(found, Quoted(name)) != found.end(),
                    .found = "has these finalizers: " + Listed(found)};
          }};
}

DocumentCheck HasConditionOf(std::string type, std::string status,
                             std::optional<TextCheck> reason) {
  const std::string which =
      "condition " + type + "=" + status + (reason ? ", whose reason " + reason->expected : "");
  return {.expected = "has the " + which,
          .refused = "does not have the " + which,
          .run = [type = std::move(type), status = std::move(status),
                  reason = std::move(reason)](const json::Value& object) -> Verdict {
            std::vector<std::string> found;
            bool holds = false;
            for (const json::Value& condition : object["status"]["conditions"].items()) {
              found.push_back(ConditionText(condition));
              holds = holds || (condition["type"].StringOrEmpty() == type &&
                                condition["status"].StringOrEmpty() == status &&
                                (!reason || reason->holds(condition["reason"].StringOrEmpty())));
            }
            return {.holds = holds, .found = "has these conditions: " + Listed(found)};
          }};
}

DocumentCheck IsOwned(Result<json::Value> owner, bool controller) {
  const std::string verb = controller ? "controlled by " : "owned by ";
  if (!owner) {
    const std::string why = "the owner cannot be read: " + owner.error().message();
    return {.expected = "is " + verb + "(" + why + ")",
            .refused = "is not " + verb + "(" + why + ")",
            .run = [why](const json::Value&) { return Verdict{false, "is not compared: " + why}; }};
  }
  std::string name = verb + NameOfDocument(*owner);
  if (const std::string& uid = (*owner)["metadata"]["uid"].StringOrEmpty(); !uid.empty()) {
    name += " " + uid;
  }
  return {.expected = "is " + name,
          .refused = "is not " + name,
          .run = [owner = *std::move(owner), controller](const json::Value& object) -> Verdict {
            std::vector<std::string> found;
            bool holds = false;
            for (const json::Value& reference : object["metadata"]["ownerReferences"].items()) {
              found.push_back(OwnerText(reference));
              holds = holds || (RefersTo(reference, owner) &&
                                (!controller || reference["controller"].AsBool().value_or(false)));
            }
            return {.holds = holds, .found = "has these owners: " + Listed(found)};
          }};
}

Verdict FindEvent(const std::vector<json::Value>& events, const std::string& type,
                  const std::string& reason, const std::optional<TextCheck>& message) {
  std::string found;
  for (const json::Value& event : events) {
    // events.k8s.io/v1 calls it a note.
    const std::string& text = event[event.contains("note") ? "note" : "message"].StringOrEmpty();
    if (event["type"].StringOrEmpty() == type && event["reason"].StringOrEmpty() == reason &&
        (!message || message->holds(text))) {
      return {.holds = true, .found = "has the event " + type + " " + reason + " " + text};
    }
    found +=
        "\n  " + event["type"].StringOrEmpty() + " " + event["reason"].StringOrEmpty() + " " + text;
  }
  return {.holds = false, .found = "has these events:" + (found.empty() ? " none" : found)};
}

}  // namespace kinformer::internal::kit
