#include "kinformer/testing/audit_log.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

namespace kinformer::testing {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

Error CannotWrite(const std::string& path, int error) {
  return {Reason::kConfig, path + " cannot be written: " + std::generic_category().message(error)};
}

void SetUnlessEmpty(json::Value& object, std::string_view member, const std::string& text) {
  if (!text.empty()) object.Set(member, text);
}

}  // namespace

json::Value AuditEventOf(const Action& action) {
  json::Value event = json::Value::MakeObject({{"kind", "Event"},
                                               {"apiVersion", "audit.k8s.io/v1"},
                                               {"level", "Metadata"},
                                               {"stage", "RequestReceived"},
                                               {"verb", action.verb}});
  if (!action.path.empty()) {
    event.Set("requestURI", action.path);
    return event;
  }
  json::Value object = json::Value::MakeObject();
  SetUnlessEmpty(object, "resource", action.resource.resource);
  SetUnlessEmpty(object, "namespace", action.namespace_);
  SetUnlessEmpty(object, "name", action.name);
  SetUnlessEmpty(object, "apiGroup", action.resource.group);
  SetUnlessEmpty(object, "apiVersion", action.resource.version);
  SetUnlessEmpty(object, "subresource", action.subresource);
  event.Set("objectRef", std::move(object));
  return event;
}

Result<void> AppendAuditLog(const std::string& path, const std::vector<Action>& actions) {
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "abe"));
  if (file == nullptr) return CannotWrite(path, errno);
  // One write for each line, so that lines of several processes stay whole.
  if (std::setvbuf(file.get(), nullptr, _IOLBF, 1 << 16) != 0) return CannotWrite(path, errno);
  for (const Action& action : actions) {
    const std::string line = AuditEventOf(action).Dump() + "\n";
    if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size()) {
      return CannotWrite(path, errno);
    }
  }
  if (std::fflush(file.get()) != 0) return CannotWrite(path, errno);
  return {};
}

}  // namespace kinformer::testing
