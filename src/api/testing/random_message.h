// api/testing/random_message.h
//
// RandomMessage: bytes of a message of a given type that no server would write but any protobuf
// reader must accept: fields in any order, repeated scalars and messages, packed and unpacked
// numbers, fields that the schema lacks.

#ifndef KINFORMER_API_TESTING_RANDOM_MESSAGE_H_
#define KINFORMER_API_TESTING_RANDOM_MESSAGE_H_

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/descriptor.h"

namespace kinformer::testing {

// Thread-compatible. The same seed gives the same messages.
class RandomMessage {
 public:
  // Messages that are not list elements are split into several parts down to this level; the root's
  // fields are level 0.
  RandomMessage(std::uint64_t seed, int split_levels) : random_(seed), split_(split_levels) {}

  // The message always has metadata.
  std::string Make(const internal::MessageDescriptor& type);
  std::size_t Pick(std::size_t below) { return static_cast<std::size_t>(random_() % below); }

 private:
  std::string Message(const internal::MessageDescriptor& type, int level);
  void Field(const internal::FieldDescriptor& field, int level, std::vector<std::string>& parts);
  void Value(const internal::FieldDescriptor& field, std::uint32_t number, int level,
             std::string& out);
  std::string Special(internal::FieldKind kind);
  std::string Union(const internal::MessageDescriptor& type, int level);
  std::string Packed(const internal::FieldDescriptor& field);
  std::string Unknown();
  std::uint64_t Scalar(internal::FieldKind kind);
  std::string Word();
  bool OneIn(std::size_t n) { return Pick(n) == 0; }

  std::mt19937_64 random_;
  const int split_;
  int split_depth_ = 0;  // number of split messages around the current one
};

}  // namespace kinformer::testing

#endif  // KINFORMER_API_TESTING_RANDOM_MESSAGE_H_
