// wire/yaml_builder.h
//
// Makes a json::Value of what the parser finds in one document: resolves scalars, copies what
// aliases stand for, brings in what << names, and counts all of it while it is made. The
// counterpart is the decoder of Go's yaml.v2 and the step to JSON behind it.

#ifndef KINFORMER_WIRE_YAML_BUILDER_H_
#define KINFORMER_WIRE_YAML_BUILDER_H_

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "kinformer/json.h"

#include "wire/yaml_cursor.h"

namespace kinformer::yaml {

// What stands in front of a value.
struct Properties {
  Mark mark;  // where it, or the value, begins
  std::string anchor{};
  std::string tag{};  // in full
};

// For one document. Not thread-safe. Throws a Stop where the document is none that JSON has a form
// for, or too deep, or more than its bounds.
class Builder {
 public:
  // `repeated`: where keys that occur twice are noted; may be null. `copied`: the bytes of all that
  // aliases have copied, in all documents of one text.
  Builder(std::vector<std::string>* repeated, std::size_t& copied)
      : repeated_(repeated), copied_(copied) {}

  json::Value Take() { return std::move(root_); }

  void OnAlias(const Mark& mark, const std::string& name);
  // `plain`: it stands without quotes, and no block.
  void OnScalar(const Properties& properties, const std::string& text, bool plain);
  void OnListStart(const Properties& properties);
  void OnMapStart(const Properties& properties);
  // The list or map that began last ends.
  void OnEnd();

 private:
  struct Open {
    json::Value value;
    Properties properties;
    std::size_t first_node = 0;
    std::size_t first_byte = 0;
    std::size_t depth = 1;  // with what it holds so far
    // Of a map: in the order of the text. Names that occur twice are found when it ends.
    std::vector<json::Object::Member> members{};
    std::vector<std::size_t> lines{};  // of their values; kMerged for what << brought
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

  // `open` gets something of that depth.
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
