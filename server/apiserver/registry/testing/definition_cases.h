// apiserver/registry/testing/definition_cases.h
//
// Cases of CheckDefinition: a valid definition with one change, and the problems that it has then.

#ifndef KINFORMER_APISERVER_REGISTRY_TESTING_DEFINITION_CASES_H_
#define KINFORMER_APISERVER_REGISTRY_TESTING_DEFINITION_CASES_H_

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "apiserver/registry/custom_resource_definition_check.h"

namespace kinformer::apiserver::testing {

// Returns a valid definition.
inline json::Value Definition() {
  return yaml::Parse(R"(
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  conversion: {strategy: None}
  names: {plural: foos, singular: foo, kind: Foo, listKind: FooList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {
      spec: {type: object, properties: {s: {type: string}, i: {type: integer}, b: {type: boolean},
      f: {type: number}}}}}}}
status: {storedVersions: [v1]})")
      .OrExit();
}

// Sets the value at a JSON pointer; an empty value erases it.
inline json::Value With(json::Value definition, std::string_view pointer, std::string_view value) {
  if (value.empty()) {
    (void)definition.ErasePointer(pointer);
  } else {
    definition.SetPointer(pointer, yaml::Parse(value).OrExit()).OrExit();
  }
  return definition;
}

inline std::vector<std::string> Texts(const std::vector<StatusCause>& causes) {
  std::vector<std::string> texts;
  for (const StatusCause& cause : causes) texts.push_back(cause.field + ": " + cause.message);
  return texts;
}

struct Case {
  std::string_view pointer;
  std::string_view value;
  std::vector<std::string> problems;
};

inline void Expect(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const json::Value definition = With(Definition(), c.pointer, c.value);
    EXPECT_EQ(Texts(CheckDefinition(definition, nullptr)), c.problems)
        << c.pointer << ": " << c.value;
  }
}

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_REGISTRY_TESTING_DEFINITION_CASES_H_
