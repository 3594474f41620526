// test/crds/compare_definitions.h
//
// Differences between definitions and those that were made of the structs that were written for
// them.

#ifndef KINFORMER_TEST_CRDS_COMPARE_DEFINITIONS_H_
#define KINFORMER_TEST_CRDS_COMPARE_DEFINITIONS_H_

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

namespace kinformer::testing {

// Prints where two values differ, and returns the number of places.
inline int Differences(const json::Value& theirs, const json::Value& ours,
                       const std::string& path) {
  if (theirs == ours) return 0;
  int count = 0;
  if (theirs.is_object() && ours.is_object()) {
    for (const auto& [name, value] : theirs.members()) {
      count += Differences(value, ours[name], path + "." + name);
    }
    for (const auto& [name, value] : ours.members()) {
      if (!theirs.contains(name)) {
        count += Differences(json::Value(), value, path + "." + name);
      }
    }
  } else if (theirs.is_array() && ours.is_array() && theirs.size() == ours.size()) {
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      count += Differences(theirs[i], ours[i], path + "[" + std::to_string(i) + "]");
    }
  }
  if (count == 0) {
    std::cout << path << ": " << theirs << " became " << ours << '\n';
    count = 1;
  }
  return count;
}

// Sorts the names of required members, whose order means nothing.
inline void SortRequired(json::Value& schema) {
  if (json::Object* const members = schema.IfObject()) {
    for (std::size_t i = 0; i < members->size(); ++i) {
      json::Value& value = members->value(i);
      if (members->name(i) == "required" && value.is_array()) {
        json::Array& names = value.EnsureArray();
        std::sort(names.begin(), names.end(),
                  [](const json::Value& a, const json::Value& b) { return a.Dump() < b.Dump(); });
      } else {
        SortRequired(value);
      }
    }
  } else if (json::Array* const items = schema.IfArray()) {
    for (json::Value& item : *items) SortRequired(item);
  }
}

// Returns a version without what each object has, which is written in the same way for all.
inline json::Value Comparable(json::Value version) {
  json::Value& schema = version.Ensure("schema", "openAPIV3Schema");
  json::Value& properties = schema.Ensure("properties");
  if (!properties.is_object()) properties = json::Value::MakeObject();
  for (const char* const name : {"apiVersion", "kind", "metadata"}) {
    properties.EnsureObject().Erase(name);
    if (json::Value* const required = schema.Find("required")) {
      std::erase(required->EnsureArray(), json::Value(name));
    }
  }
  if (schema["required"].size() == 0) schema.Erase("required");
  if (version["deprecated"] == json::Value(false)) version.Erase("deprecated");
  if (version["subresources"].size() == 0) version.Erase("subresources");
  if (version["additionalPrinterColumns"].size() == 0) version.Erase("additionalPrinterColumns");
  for (json::Value& column : version.Ensure("additionalPrinterColumns").EnsureArray()) {
    if (column["priority"] == json::Value(0)) column.Erase("priority");
  }
  SortRequired(schema);
  return version;
}

inline const json::Value* Named(const json::Array& all, const json::Value& name) {
  for (const json::Value& one : all) {
    if (one["name"] == name || one["metadata"]["name"] == name) return &one;
  }
  return nullptr;
}

// Compares what is kept: all but labels, annotations, conversion and versions that are not served.
inline int CompareDefinition(const json::Value& theirs, const json::Value& ours) {
  const std::string name = theirs["metadata"]["name"].StringOrEmpty();
  int count = 0;
  json::Value names = theirs["spec"]["names"];
  const std::string& kind = names["kind"].StringOrEmpty();
  if (!names.contains("listKind")) names.Set("listKind", kind + "List");
  if (!names.contains("singular")) names.Set("singular", ours["spec"]["names"]["singular"]);
  for (const char* const list : {"shortNames", "categories"}) {
    if (names[list].size() == 0) names.Erase(list);
  }
  count += Differences(names, ours["spec"]["names"], name + ".names");
  count += Differences(theirs["spec"]["scope"], ours["spec"]["scope"], name + ".scope");
  for (const json::Value& version : theirs["spec"]["versions"].items()) {
    if (!(version["served"] == json::Value(true))) continue;
    const json::Value* const made = Named(ours["spec"]["versions"].items(), version["name"]);
    count += Differences(Comparable(version), made != nullptr ? Comparable(*made) : json::Value(),
                         name + "/" + version["name"].StringOrEmpty());
  }
  return count;
}

// Compares the definitions of a file. Returns an exit status.
inline int CompareWithFile(const char* path, const std::vector<json::Value>& made) {
  std::ifstream in(path);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  int count = 0;
  int definitions = 0;
  for (const json::Value& theirs : yaml::ParseAll(text, path).OrExit()) {
    if (!(theirs["kind"] == json::Value("CustomResourceDefinition"))) continue;
    ++definitions;
    const json::Value* const ours = Named(made, theirs["metadata"]["name"]);
    if (ours == nullptr) {
      std::cout << theirs["metadata"]["name"] << " is missing\n";
      ++count;
    } else {
      count += CompareDefinition(theirs, *ours);
    }
  }
  std::cout << definitions << " definitions, " << count << " differences\n";
  return count == 0 && definitions > 0 ? 0 : 1;
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_CRDS_COMPARE_DEFINITIONS_H_
