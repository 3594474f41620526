// wire/yaml_builder.h
//
// Builds a json::Value from the parser's events for one document: resolves scalars, copies the
// values of aliases, merges maps named by <<, and enforces limits while doing so. Counterpart: the
// decoder of Go's yaml.v2 and the conversion to JSON behind it.

#ifndef KINFORMER_WIRE_YAML_BUILDER_H_
#define KINFORMER_WIRE_YAML_BUILDER_H_

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "kinformer/json/json.h"

#include "wire/yaml_cursor.h"

namespace kinformer::yaml {

// Anchor and tag of a value.
struct Properties {
  Mark mark;  // where the properties or, without any, the value begins
  std::string anchor{};
  std::string tag{};  // in full
};

// Builds one document. Not thread-safe. Throws a Stop if the document has no JSON form, is nested
// too deeply, or exceeds a limit.
class Builder {
 public:
  // `repeated`: receives keys that occur twice; may be null. `copied`: bytes copied by aliases so
  // far, in all documents of the text.
  Builder(std::vector<std::string>* repeated, std::size_t& copied)
      : repeated_(repeated), copied_(copied) {}

  json::Value Take() { return std::move(root_); }

  void OnAlias(const Mark& mark, const std::string& name);
  // `plain`: without quotes and not a block scalar.
  void OnScalar(const Properties& properties, const std::string& text, bool plain);
  void OnListStart(const Properties& properties);
  void OnMapStart(const Properties& properties);
  // Ends the list or map that began last.
  void OnEnd();

 private:
  struct Open {
    json::Value value;
    Properties properties;
    std::size_t first_node = 0;
    std::size_t first_byte = 0;
    std::size_t depth = 1;  // including its content so far
    // For a map: members in the order of the text. Duplicate names are resolved when it ends.
    std::vector<json::Object::Member> members{};
    std::vector<std::size_t> lines{};  // lines of their values; kMerged for members from <<
    bool has_key = false;
    bool merge_key = false;
    std::string key{};
  };
  struct Anchored {
    json::Value value;
    std::size_t nodes = 1;
    std::size_t bytes = 0;
    std::size_t depth = 0;
  };

  void Begin(const Properties& properties, json::Value empty);
  void Add(const Properties& properties, json::Value value, bool is_merge_key);
  void Place(const Mark& mark, json::Value value, bool is_merge_key);
  void Merge(const Mark& mark, Open& into, const json::Value& value);
  void Settle(Open& done) const;

  // Records that `open` contains a value of that depth.
  void Deepen(const Mark& mark, Open& open, std::size_t depth) const;
  void Count(const Mark& mark, std::size_t nodes);
  void Copy(const Mark& mark, std::size_t bytes);

  std::vector<std::string>* const repeated_;
  json::Value root_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;  // of all values so far
  std::size_t& copied_;
  std::vector<Open> open_;
  std::unordered_map<std::string, Anchored> anchors_;
};

}  // namespace kinformer::yaml

#endif  // KINFORMER_WIRE_YAML_BUILDER_H_
