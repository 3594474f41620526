#include "cache/store/empty_name.h"

#include <string>

namespace kinformer::internal::cache {

Error EmptyName(std::string_view resource, bool wants_namespace, std::string_view namespace_,
                NameForm form) {
  std::string message(resource);
  message += ": the name is empty";
  if (!namespace_.empty()) {
    message += ", and \"" + std::string(namespace_) + "\" stands in the place of the namespace";
  } else if (wants_namespace) {
    message += ", and so is the namespace";
  }
  std::string arguments = "namespace, name";
  if (!wants_namespace) {
    arguments = namespace_.empty() ? "\"\", name" : "\"\", \"" + std::string(namespace_) + '"';
  }
  const bool braces = form == NameForm::kObjectName;
  message += braces ? ": {" + arguments + "}" : ": Get(" + arguments + ")";
  return Error(Reason::kInvalidArgument, message);
}

}  // namespace kinformer::internal::cache
