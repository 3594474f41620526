// client/testing/pod_view.h
//
// Pod: a view of the objects that FakeServer serves.

#ifndef KINFORMER_CLIENT_TESTING_POD_VIEW_H_
#define KINFORMER_CLIENT_TESTING_POD_VIEW_H_

#include <string>

#include "kinformer/object/object.h"

#include "client/testing/test_pods.h"

namespace kinformer {

// Reads the fields that MakePod writes.
class Pod {
 public:
  explicit Pod(const internal::Block* block) : block_(block) {}
  [[nodiscard]] std::string name() const { return std::string(block_->name()); }
  [[nodiscard]] std::string value() const { return internal::client::PodValue(*block_); }
  [[nodiscard]] std::string uid() const { return std::string(block_->uid()); }
  [[nodiscard]] auto metadata() const { return Object(block_).metadata(); }
  static const KindInfo& kind_info() { return internal::client::PodType(); }

 private:
  const internal::Block* block_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_TESTING_POD_VIEW_H_
