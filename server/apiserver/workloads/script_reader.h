// apiserver/workloads/script_reader.h
//
// ScriptReader: reads the members of one map of a workload script, and notes the first mistake with
// its file, line, field and remedy.

#ifndef KINFORMER_APISERVER_WORKLOADS_SCRIPT_READER_H_
#define KINFORMER_APISERVER_WORKLOADS_SCRIPT_READER_H_

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/apiserver/workload_script.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver::workloads {

// Text of a script, and its first mistake.
struct ScriptText {
  std::string_view yaml{};
  std::string_view file{};
  std::optional<Error> mistake{};
  // Notes a mistake, unless there is one already.
  void Fail(const std::string& path, const std::string& what);
};

// The readers of members do nothing if the member is absent, and keep `out` if it is wrong.
class ScriptReader {
 public:
  // `path`: of the map, in messages; empty for the whole script. `known`: its members.
  ScriptReader(ScriptText& text, const json::Value& map, std::string path,
               std::initializer_list<std::string_view> known);

  void Text(std::string_view name, std::string& out);
  void Flag(std::string_view name, bool& out);
  void Number(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t& out);
  void Number(std::string_view name, std::int64_t least, std::int64_t most, int& out);
  void Probability(std::string_view name, double& out);
  void Time(std::string_view name, Duration& out);
  void Time(std::string_view name, std::optional<Duration>& out);
  void Range(std::string_view name, DelayRange& out);
  void Selector(std::string_view name, LabelSelector& out);
  // Texts or numbers by name; `quantities`: they must be quantities.
  void Map(std::string_view name, bool quantities, std::map<std::string, std::string>& out);
  using Read = std::function<void(const json::Value& item, const std::string& path)>;
  void List(std::string_view name, const Read& read);
  void Inner(std::string_view name, const Read& read);

  void Fail(std::string_view name, const std::string& what);

 private:
  [[nodiscard]] std::string PathOf(std::string_view name) const;
  // Returns null if it is absent.
  [[nodiscard]] const json::Value* Member(std::string_view name) const;

  ScriptText& text_;
  const json::Value& map_;
  std::string path_;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_SCRIPT_READER_H_
