#include "controller/events/event_parts.h"

#include "kinformer/events/event_recorder.h"

#include "controller/events/event_name.h"

namespace kinformer::internal::events {

std::string JoinedKey(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) key.append(part).push_back('\0');
  return key;
}

void SetEventName(const corev1::ObjectReferenceMutable& about, Env& env,
                  metav1::ObjectMetaMutable& metadata) {
  metadata.name = EventName(about.name, env);
  metadata.namespace_ = about.namespace_.empty() ? "default" : about.namespace_;
}

bool IsEvent(const corev1::ObjectReferenceMutable& about, std::string_view type,
             std::string_view reason, std::string_view text, std::string_view who, Env& env) {
  const bool has_object = !about.name.empty() && !about.kind.empty();
  const bool has_type = type == kEventTypeNormal || type == kEventTypeWarning;
  if (has_object && has_type) return true;
  env.log().Log(LogLevel::kError,
                has_object ? "an event's type is neither Normal nor Warning"
                           : "an event is about nothing: its reference has no kind or no name",
                {{"component", std::string(who)},
                 {"reason", std::string(reason)},
                 {"message", std::string(text)}});
  return false;
}

}  // namespace kinformer::internal::events
