#include "object/values/field_pointer.h"

#include <algorithm>
#include <array>

namespace kinformer::internal {
namespace {

// A field that is elsewhere than its name says.
struct Renamed {
  std::string_view group;
  std::string_view resource;
  std::string_view field;
  std::string_view pointer;
};
constexpr auto kRenamed = std::to_array<Renamed>({
    {"", "pods", "spec.host", "/spec/nodeName"},
    {"", "pods", "status.podIPs", "/status/podIPs/0/ip"},
    {"", "events", "source", "/source/component"},
    {"batch", "jobs", "status.successful", "/status/succeeded"},
});

}  // namespace

std::string FieldPointer(std::string_view group, std::string_view resource,
                         std::string_view field) {
  for (const Renamed& renamed : kRenamed) {
    if (renamed.field == field && renamed.resource == resource && renamed.group == group) {
      return std::string(renamed.pointer);
    }
  }
  std::string pointer = "/" + std::string(field);
  std::replace(pointer.begin(), pointer.end(), '.', '/');
  return pointer;
}

}  // namespace kinformer::internal
