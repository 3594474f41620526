// bench/micro/data.h
//
// Common input of all decoders in a run: pods of the simulated cluster.

#ifndef KINFORMER_BENCH_MICRO_DATA_H_
#define KINFORMER_BENCH_MICRO_DATA_H_

#include <string>
#include <vector>

#include "micro/pods.h"

namespace kinformer::bench {

struct Data {
  // One object each.
  std::vector<std::string> protobuf;  // without envelopes
  std::vector<std::string> json;
  // Bodies of lists of all objects.
  std::string protobuf_list;
  std::string json_list;
  // The same objects with an annotation that contains the object again, as written by `kubectl
  // apply`: many escapes.
  std::string escaped_list;
  // The body of a watch, with a MODIFIED event for each object.
  std::string json_watch;
};

const Data& AllData();

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_MICRO_DATA_H_
