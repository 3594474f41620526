// kinformer/internal/own_write.h
//
// OwnWrite: a write of this process that has changed an object, as the events of the object show
// it.

#ifndef KINFORMER_INTERNAL_OWN_WRITE_H_
#define KINFORMER_INTERNAL_OWN_WRITE_H_

#include <string>

namespace kinformer::internal {

// One write: it turned version `from` of the object into version `to`, with nothing in between.
struct OwnWrite {
  std::string uid{};
  std::string from{};
  std::string to{};
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_OWN_WRITE_H_
