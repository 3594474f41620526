// kinformer/json/jsonpath.h
//
// JSONPath templates as `kubectl get -o jsonpath=` understands them: text with actions in braces.
//
//   json::Value list = json::Parse(R"({"items": [{"n": "a"}, {"n": "b"}]})").OrExit();
//   json::JSONPath names = json::JSONPath::Parse("{range .items[*]}{.n}, {end}").OrExit();
//   std::cout << names.Execute(list).OrExit();  // a, b,

#ifndef KINFORMER_JSON_JSONPATH_H_
#define KINFORMER_JSON_JSONPATH_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::wire {
struct PathTemplate;
}  // namespace kinformer::wire

namespace kinformer::json {

// Options for executing a template.
struct JSONPathOptions {
  // A member that no value has gives nothing, instead of an error. Counterpart:
  // JSONPath.AllowMissingKeys.
  bool allow_missing_keys = false;
  // Execute prints each action's values as a JSON array. Counterpart: JSONPath.EnableJSONOutput.
  bool json_output = false;
  // The number of values that may be looked at; more are an error. Several unions or .. one behind
  // another can multiply.
  std::size_t max_values = 50'000'000;
};

// A parsed template.
//
//   {.spec.containers}            a member; . within its name is written \.
//   {.spec['replicas','paused']}  members by their names in quotes
//   {.items[0]} {.items[-1]}      an item, also from the end
//   {.items[1:5:2]} {.items[*]}   some of the items, or all
//   {.items[0,2]}                 a union
//   {.spec.*} {..image}           every member; at any depth
//   {.items[?(@.kind=="Pod")]}    items for which == != < > <= >= holds, or that have the member
//   {range .items[*]}...{end}     a part for each value; paths in it begin at that value
//   {"\n"} {'\t'} {5} {true}      literals
//
// $ and @ may stand in front of a path; both are where paths begin there.
//
// A value; copies share it. Thread-safe; nothing blocks. Counterpart:
// jsonpath.JSONPath of client-go. It differs in three points: a name in quotes is taken whole
// (['a.b'], also in double quotes), integers compare with other numbers, and what would fail with
// any document is an error of Parse.
class JSONPath {
 public:
  // Errors are kInvalidArgument and name the position: "at 7: ...".
  static Result<JSONPath> Parse(std::string_view text, const JSONPathOptions& options = {});

  // Returns the template's output. Values in one action stand apart by one blank; objects and
  // arrays are JSON with sorted members. kInvalidArgument: a member is missing, an index is outside
  // of its array, values cannot be compared, or max_values is exceeded.
  [[nodiscard]] Result<std::string> Execute(const Value& data) const;

  // Returns the values of each action and text, in the order of the output. They live as long as
  // both `data` and this template. Errors as above.
  [[nodiscard]] Result<std::vector<std::vector<const Value*>>> FindResults(const Value& data) const;

 private:
  JSONPath(std::shared_ptr<const wire::PathTemplate> parsed, const JSONPathOptions& options);

  std::shared_ptr<const wire::PathTemplate> parsed_;
  JSONPathOptions options_;
};

// Returns the template "{.spec.replicas}" for one path in any of these forms: {.spec.replicas},
// {spec.replicas}, .spec.replicas, spec.replicas. Counterpart: kubectl's
// get.RelaxedJSONPathExpression.
Result<std::string> RelaxedJSONPathExpression(std::string_view path);

// Returns a value as Execute prints it: a string as it is, a number as Go prints it, other values
// as JSON.
std::string EvalToText(const Value& value);

}  // namespace kinformer::json

#endif  // KINFORMER_JSON_JSONPATH_H_
