#include "operator/cause_check.h"

#include <set>

namespace kinformer::testing {
namespace {

using Map = CauseCheck::Map;

std::string NameOf(const Map& map) {
  return ObjectName{std::string(map.metadata().namespace_()), std::string(map.metadata().name())}
      .ToString();
}
std::string VersionOf(const Map& map) { return std::string(map.metadata().resourceVersion()); }

std::string ControllerOf(const Map& map) {
  for (const metav1::OwnerReference owner : map.metadata().ownerReferences()) {
    if (owner.controller().value_or(false)) {
      return ObjectName{std::string(map.metadata().namespace_()), std::string(owner.name())}
          .ToString();
    }
  }
  return {};
}

bool IsEvent(const Cause& cause) {
  switch (cause.type) {
    case CauseType::kAdded:
    case CauseType::kInitialList:
    case CauseType::kUpdated:
    case CauseType::kDeleted:
    case CauseType::kResync:
      return true;
    default:
      return false;
  }
}

std::string TextOf(CauseType type, const std::string& object, const std::string& before,
                   const std::string& now) {
  return std::string(CauseTypeName(type)) + " " + object + " " + before + ">" + now;
}

}  // namespace

template <class Keys>
predicate::Predicate<Map> CauseCheck::NoteWith(Keys keys) {
  const auto note = [this](const std::set<std::string>& requests, const std::string& text) {
    for (const std::string& request : requests) {
      if (!request.empty()) expected_[request].push_back(text);
    }
    return true;
  };
  return {
      .create =
          [note, keys](const Added<Map>& e) {
            const auto type = e.is_in_initial_list ? CauseType::kInitialList : CauseType::kAdded;
            return note({keys(e.object)}, TextOf(type, NameOf(e.object), "", VersionOf(e.object)));
          },
      .update =
          [note, keys](const Updated<Map>& e) {
            const bool resync = e.is_resync();
            return note(
                {keys(e.old_object), keys(e.new_object)},
                TextOf(resync ? CauseType::kResync : CauseType::kUpdated, NameOf(e.new_object),
                       resync ? "" : VersionOf(e.old_object), VersionOf(e.new_object)));
          },
      .delete_ =
          [note, keys](const Deleted<Map>& e) {
            return note({keys(e.object)},
                        TextOf(CauseType::kDeleted, NameOf(e.object), "", VersionOf(e.object)));
          }};
}

predicate::Predicate<Map> CauseCheck::OfObjects() { return NoteWith(NameOf); }
predicate::Predicate<Map> CauseCheck::OfChildren() { return NoteWith(ControllerOf); }

std::string CauseCheck::Begins(const Request& request, const Causes& causes) {
  std::deque<std::string>& expected = expected_[request.ToString()];
  for (std::size_t i = 0; i < causes.list.size(); ++i) {
    const Cause& cause = causes.list[i];
    if (!IsEvent(cause)) continue;
    const std::string text =
        TextOf(cause.type, cause.object.ToString(), cause.old_version, cause.new_version);
    // Between the first ones and the newest, some may be left out.
    const bool gap = causes.left_out > 0 && i + 1 == causes.list.size();
    for (std::size_t skipped = 0; gap && skipped < causes.left_out; ++skipped) {
      if (expected.empty() || expected.front() == text) break;
      expected.pop_front();
    }
    if (expected.empty()) return request.ToString() + " has a cause that never came: " + text;
    if (expected.front() != text) {
      return request.ToString() + " has the cause " + text + " in place of " + expected.front();
    }
    expected.pop_front();
    ++compared_;
  }
  if (causes.left_out == 0 && causes.list.empty()) return request.ToString() + " has no cause";
  return {};
}

std::string CauseCheck::AtRest() const {
  for (const auto& [request, events] : expected_) {
    if (!events.empty()) return request + " was not reconciled after " + events.front();
  }
  return {};
}

}  // namespace kinformer::testing
