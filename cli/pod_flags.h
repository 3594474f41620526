// cli/pod_flags.h
//
// Options and notes that the commands for one pod share.

#ifndef KINFORMER_CLI_POD_FLAGS_H_
#define KINFORMER_CLI_POD_FLAGS_H_

#include <iostream>
#include <string>

#include "cli/connection.h"
#include "cli/printable.h"

namespace kinformer::cli {

// Returns the namespace that is meant.
inline std::string NamespaceOf(const Connection& connection, const std::string& given) {
  if (!given.empty()) return given;
  const std::string& own = connection.config.namespace_;
  return own.empty() ? "default" : own;
}

// Prints a note for the person, if there is one.
inline void SayNote(const std::string& note) {
  if (!note.empty()) std::cerr << Printable(note) << '\n';
}

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_POD_FLAGS_H_
