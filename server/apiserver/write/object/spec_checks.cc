#include "apiserver/write/object/spec_checks.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "apiserver/builtin/contradictions.h"
#include "apiserver/builtin/dependent_fields.h"
#include "apiserver/builtin/field_checks.h"
#include "apiserver/builtin/object_checks.h"
#include "apiserver/builtin/pod_checks.h"
#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {
namespace {

// Two checks may find the same. The later one knows the order of a real server.
std::vector<StatusCause> WithoutRepetitions(std::vector<StatusCause> causes) {
  std::set<std::pair<std::string, std::string>> known;
  std::vector<StatusCause> kept;
  for (auto cause = causes.rbegin(); cause != causes.rend(); ++cause) {
    if (known.emplace(cause->field, cause->message).second) kept.push_back(std::move(*cause));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::vector<StatusCause> FaultyFields(const ResourceAt& at, const json::Value& object) {
  std::vector<StatusCause> causes;
  if (at.version->message == nullptr) return causes;
  ValidateFields(*at.version->message, object, causes);
  ValidateDependent(*at.resource, object, causes);
  ValidatePodSpec(*at.resource, object, causes);
  ValidateContradictions(*at.resource, object, causes);
  return causes;
}

std::vector<StatusCause> NewlyFaulty(std::vector<StatusCause> causes,
                                     const std::vector<StatusCause>& before) {
  std::set<std::pair<std::string, std::string>> known;
  for (const StatusCause& cause : before) known.emplace(cause.field, cause.message);
  std::erase_if(causes, [&](const StatusCause& cause) {
    return known.contains({cause.field, cause.message});
  });
  return causes;
}

}  // namespace

std::vector<StatusCause> CheckSpec(const ResourceAt& at, const json::Value& object,
                                   const json::Value* old, bool validation) {
  std::vector<StatusCause> causes;
  if (validation) {
    causes = FaultyFields(at, object);
    if (!causes.empty() && old != nullptr) {
      causes = NewlyFaulty(std::move(causes), FaultyFields(at, *old));
    }
  }
  std::vector<StatusCause> more = ValidateObject(*at.resource, object);
  causes.insert(causes.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
  return WithoutRepetitions(std::move(causes));
}

void DropRepeated(std::vector<StatusCause>& causes) {
  std::vector<StatusCause> kept;
  for (StatusCause& cause : causes) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const StatusCause& other) {
      return other.field == cause.field && other.message == cause.message;
    });
    if (!known) kept.push_back(std::move(cause));
  }
  causes = std::move(kept);
}

}  // namespace kinformer::apiserver
