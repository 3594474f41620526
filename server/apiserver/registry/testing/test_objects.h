// apiserver/registry/testing/test_objects.h
//
// Helpers for the tests of this folder: resources by name, objects in short form, causes as text.

#ifndef KINFORMER_APISERVER_REGISTRY_TESTING_TEST_OBJECTS_H_
#define KINFORMER_APISERVER_REGISTRY_TESTING_TEST_OBJECTS_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/errors/status.h"
#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver::testing {

// Parses JSON that has ' in place of ". An empty text is null.
inline json::Value Quoted(std::string text) {
  if (text.empty()) return {};
  std::replace(text.begin(), text.end(), '\'', '"');
  return json::Parse(text).OrExit();
}

// Returns one value of a JSON text, as text.
inline std::string ValueAt(std::string_view text, std::string_view pointer) {
  const json::Value object = json::Parse(text).OrExit();
  return object.At(pointer).Dump();
}

// Returns the built-in resource "pods" or "apps/deployments", with its names only.
inline ServedResource Builtin(std::string_view name) {
  const std::size_t slash = name.find('/');
  ServedResource resource;
  if (slash != std::string_view::npos) resource.group = name.substr(0, slash);
  resource.plural = slash == std::string_view::npos ? name : name.substr(slash + 1);
  return resource;
}

// Returns "field: message" of each cause, one in a line.
inline std::string Lines(const std::vector<StatusCause>& causes) {
  std::string out;
  for (const StatusCause& cause : causes) out += cause.field + ": " + cause.message + "\n";
  return out;
}

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_REGISTRY_TESTING_TEST_OBJECTS_H_
