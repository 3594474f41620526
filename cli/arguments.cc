#include "cli/arguments.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace kinformer::cli {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Converts "a,b" to " a b".
std::string Apart(const std::string& names) {
  std::string text;
  for (const std::string& name : Split(names, ',')) text += name.empty() ? "" : " " + name;
  return text;
}

// Whether the arguments are a resource and object keys in the form of client-go's caches.
bool AreKeys(const std::vector<std::string>& arguments) {
  const auto is_key = [](const std::string& text) {
    const std::vector<std::string> parts = Split(text, '/');
    return parts.size() == 2 && !parts[0].empty() && !parts[1].empty();
  };
  return arguments.size() > 1 && arguments.front().find('/') == std::string::npos &&
         std::all_of(arguments.begin() + 1, arguments.end(), is_key);
}

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

}  // namespace

Result<std::vector<Asked>> ReadArguments(const std::vector<std::string>& arguments) {
  std::vector<Asked> asked;
  const auto has_slash = [](const std::string& text) {
    return text.find('/') != std::string::npos;
  };
  const auto slashed = std::count_if(arguments.begin(), arguments.end(), has_slash);
  if (AreKeys(arguments)) {
    const std::vector<std::string> parts = Split(arguments[1], '/');
    return Invalid("\"" + arguments[1] + "\" is a key: write " + arguments.front() + " " +
                   parts[1] + " -n " + parts[0] + "; or write all of them as RESOURCE/NAME");
  }
  if (slashed != 0) {
    for (const std::string& argument : arguments) {
      const std::vector<std::string> parts = Split(argument, '/');
      if (parts.size() == 1) {
        return Invalid("\"" + argument +
                       "\" stands beside RESOURCE/NAME: write all of them so, or none");
      }
      if (parts.size() > 2) return Invalid("\"" + argument + "\" has more than one slash");
      if (parts[0].empty() || parts[1].empty() || parts[0].find(',') != std::string::npos) {
        return Invalid("\"" + argument + "\" is not RESOURCE/NAME: one resource and one name");
      }
      asked.push_back({parts[0], parts[1]});
    }
    return asked;
  }
  for (const std::string& resource : Split(arguments.front(), ',')) {
    if (resource.empty()) {
      return Invalid("\"" + arguments.front() + "\" lacks a resource beside a comma");
    }
    if (arguments.size() == 1) asked.push_back({resource, ""});
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      if (arguments[i].empty()) return Invalid("a name is empty");
      if (arguments[i].find(',') != std::string::npos) {
        return Invalid("\"" + arguments[i] +
                       "\" is no name: only resources stand behind commas; names stand apart: " +
                       resource + Apart(arguments[i]));
      }
      asked.push_back({resource, arguments[i]});
    }
  }
  return asked;
}

}  // namespace kinformer::cli
