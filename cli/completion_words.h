// cli/completion_words.h
//
// Completion of a command line: the words that may stand where the cursor is.

#ifndef KINFORMER_CLI_COMPLETION_WORDS_H_
#define KINFORMER_CLI_COMPLETION_WORDS_H_

#include <map>
#include <string>
#include <vector>

#include "cli/command_help.h"

namespace kinformer::cli {

struct Candidate {
  std::string word{};
  std::string help{};  // empty: none
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// Names that the kubeconfig or the server knows. A server that does not answer has none.
class LiveNames {
 public:
  virtual ~LiveNames() = default;
  virtual std::vector<Candidate> Contexts() = 0;
  virtual std::vector<Candidate> Resources() = 0;
  // Returns names of objects. Empty `namespace_`: the context's.
  virtual std::vector<Candidate> Objects(const std::string& resource,
                                         const std::string& namespace_) = 0;
};

// A command line that ends with the word to complete.
struct TypedLine {
  const CommandHelp* command = nullptr;  // null: none before the last word
  std::vector<std::string> positionals{};
  std::map<std::string, std::string> values{};  // of options, by long name; of flags: "true"
  const OptionHelp* awaiting = nullptr;         // the last word is the value of this option
  bool behind_dashes = false;                   // "--" stands before the last word
  bool unknown = false;                         // the command is: nothing can be completed
  std::string last{};
};

// Reads the words behind the program's name. `program` outlives the result.
TypedLine ReadTyped(const ProgramHelp& program, const std::vector<std::string>& words);

struct Completion {
  std::vector<Candidate> candidates{};
  bool files = false;     // names of files, which the shell knows
  bool no_space = false;  // more text follows a candidate: "pods/"
};

// Returns the candidates for the last word, all of which begin with it. Asks `names` for nothing
// that it does not need.
Completion Complete(const ProgramHelp& program, const TypedLine& typed, LiveNames& names);

// Returns the answer for the script of a shell: a line for each candidate, its help behind a tab,
// and a last line ":words", ":files" or ":nospace".
std::string CompletionText(const Completion& completion);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_COMPLETION_WORDS_H_
