// cli/description.h
//
// Description: lines of labels and values in columns, as `kinformer describe` prints them.

#ifndef KINFORMER_CLI_DESCRIPTION_H_
#define KINFORMER_CLI_DESCRIPTION_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

#include "cli/event_rows.h"

namespace kinformer::cli {

// Cells of neighbouring lines stand in columns, which end where a line has no such cell. Control
// characters of texts are escaped. `level`: an indentation of two blanks each. Thread-compatible.
class Description {
 public:
  void Row(int level, std::vector<std::string> cells);
  // "label:" and a value. A value of several lines continues below it.
  void Field(int level, const std::string& label, std::string_view value);
  // A field that is left out if the value is empty.
  void FieldIfAny(int level, const std::string& label, std::string_view value);
  // A label whose lines follow, each deeper by one.
  void Title(int level, const std::string& label) { Row(level, {label + ":"}); }
  // Text that stands as it is, line by line.
  void Text(int level, std::string_view text);
  void Blank() { rows_.emplace_back(); }
  // "a=b" for each label, or "key: value" for each annotation; "<none>" for none.
  void Labels(int level, const std::string& label, const json::Value& labels);
  void Annotations(int level, const std::string& label, const json::Value& annotations);
  // Members as fields in the order of their names.
  void Map(int level, const std::string& label, const json::Value& map);

  [[nodiscard]] std::string ToText() const;

 private:
  void Lines(int level, const std::string& label, const std::vector<std::string>& values);

  std::vector<std::vector<std::string>> rows_;
};

// Returns "Thu, 01 Jan 2026 00:00:01 +0000"; the text itself if it is no time.
std::string TimeText(const std::string& time);
// Returns a scalar as text: "5", "true", "abc"; `none` for null.
std::string ScalarText(const json::Value& value, const char* none = "");
// Returns the text; "<none>" if it is empty.
std::string OrNone(const std::string& text);
// Returns "True" or "False".
std::string TrueFalse(bool value);
// Returns "[get list]" for an array of strings.
std::string InBrackets(const json::Value& strings);
// Names of an object's members in their order.
std::vector<std::string> SortedNames(const json::Value& object);

// A service that an ingress names, and its EndpointSlices.
struct Backend {
  json::Value service{};
  std::string error{};  // why it could not be read
  std::vector<json::Value> slices{};
};

// Material for an object's description beside the object. What is not needed is empty.
struct Related {
  std::vector<EventRow> events{};
  bool shows_events = true;
  std::vector<json::Value> pods{};            // those of a node, a workload, or a claim
  std::vector<json::Value> slices{};          // EndpointSlices of a service
  std::vector<json::Value> quotas{};          // of a namespace
  std::vector<json::Value> limits{};          // LimitRanges
  std::vector<json::Value> replica_sets{};    // of a deployment, in the order of their names
  std::map<std::string, Backend> backends{};  // of an ingress, by the services' names
  json::Value lease{};                        // of a node
  std::string lease_error{};                  // why it could not be read
};

// Describes any object: those kinds that have a form of their own, and others by their fields.
std::string Describe(const json::Value& object, const Related& related, WallTime now);

// ---- Parts, by file.
// describe_object.cc
void DescribeHead(Description& out, const json::Value& object, bool namespaced = true);
void DescribeController(Description& out, const json::Value& object);
// As in kubectl, the first `padded` cells of each line are wider by a blank.
void DescribeConditions(Description& out, const json::Value& conditions,
                        const std::vector<std::string>& fields, std::size_t padded);
void DescribeGeneric(Description& out, const json::Value& object);
// describe_pod.cc
void DescribePod(Description& out, const json::Value& pod);
void DescribePodTemplate(Description& out, const json::Value& pod_template);
// describe_node.cc
void DescribeNode(Description& out, const json::Value& object, const Related& related,
                  WallTime now);
// describe_volumes.cc
void DescribeVolumes(Description& out, int level, const json::Value& spec);
void DescribeVolumeSource(Description& out, int level, const std::string& name,
                          const json::Value& source);
// Each returns false for a kind that it does not know.
bool DescribeWorkload(Description& out, const json::Value& object, const Related& related);
bool DescribePolicy(Description& out, const json::Value& object);
bool DescribeClusterKind(Description& out, const json::Value& object, const Related& related,
                         WallTime now);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_DESCRIPTION_H_
