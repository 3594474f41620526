// object/transcode/projection_tree.h
//
// ProjectionTree: the paths of a Projection, and their application to an object's bytes.

#ifndef KINFORMER_OBJECT_TRANSCODE_PROJECTION_TREE_H_
#define KINFORMER_OBJECT_TRANSCODE_PROJECTION_TREE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/descriptor.h"

#include "object/transcode/json_tape.h"

namespace kinformer::internal {

// Immutable and thread-safe.
class ProjectionTree {
 public:
  struct Node {
    std::string name{};
    bool whole = false;  // a path ends here
    std::vector<Node> children{};

    [[nodiscard]] const Node* Find(std::string_view child) const {
      for (const Node& node : children) {
        if (node.name == child) return &node;
      }
      return nullptr;
    }
  };

  // kInvalidArgument with the path and the error in it.
  static Result<ProjectionTree> Make(bool keep, const std::vector<std::string>& paths);

  // Appends the kept part of a kind's message to `out`. Fields keep their order, and lists keep all
  // elements. Fields unknown to the descriptor are dropped with keep, and kept with drop. kDecode
  // with the byte offset if a message on a path is malformed.
  Result<void> Cut(const MessageDescriptor& message, std::string_view bytes,
                   std::string& out) const;

  // The same for an object's JSON.
  void Cut(const JsonTape& tape, std::string& out) const;

  // For code that cuts by itself: whether the named paths are kept or dropped; the paths; those in
  // the metadata, or null if nothing is dropped there.
  [[nodiscard]] bool keeps() const { return keep_; }
  [[nodiscard]] const Node& root() const { return root_; }
  [[nodiscard]] const Node* DroppedMetadata() const {
    return keep_ ? nullptr : root_.Find("metadata");
  }

  [[nodiscard]] Result<void> CheckFor(const MessageDescriptor& message) const;

  // Whether objects lose user data by the projection; managedFields do not count.
  [[nodiscard]] bool MakesPartial() const { return makes_partial_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Result<void> CutMessage(const MessageDescriptor& message, std::string_view bytes,
                          const Node& node, bool root, std::string& out) const;
  Result<void> CutNested(const FieldDescriptor& field, std::string_view bytes, const Node& node,
                         std::string& out) const;
  Result<void> CutEntry(const FieldDescriptor& field, std::string_view whole,
                        std::string_view entry, const Node& node, std::string& out) const;
  void CutValue(const JsonTape& tape, std::uint32_t at, const Node& node, bool root,
                std::string& out) const;

  bool keep_ = true;
  bool makes_partial_ = true;
  Node root_;
  std::string text_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_PROJECTION_TREE_H_
