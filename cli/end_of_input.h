// cli/end_of_input.h
//
// StopAtEndOfInput: `--stop-with-stdin`. A test that ends in whatever way closes the pipe to the
// server that it has started, and so none is left behind.

#ifndef KINFORMER_CLI_END_OF_INPUT_H_
#define KINFORMER_CLI_END_OF_INPUT_H_

#include <thread>

#include "kinformer/base/stop.h"

namespace kinformer::cli {

class StopAtEndOfInput {
 public:
  // Reads `input` on a thread of its own, discards what comes, and requests `stop` at its end.
  // Does not close it.
  StopAtEndOfInput(int input, StopSource stop);
  ~StopAtEndOfInput();
  StopAtEndOfInput(const StopAtEndOfInput&) = delete;
  StopAtEndOfInput& operator=(const StopAtEndOfInput&) = delete;

 private:
  int leaving_;
  std::thread reader_;
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_END_OF_INPUT_H_
