// test/conformance/server_script.h
//
// The checks of server_checks.txt, and what runs them: one file of requests and expected answers
// for every kind of API server.

#ifndef KINFORMER_TEST_CONFORMANCE_SERVER_SCRIPT_H_
#define KINFORMER_TEST_CONFORMANCE_SERVER_SCRIPT_H_

#include <chrono>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/transport.h"

#include "conformance/script_answer.h"

namespace kinformer::testing {

// The server that a script talks to. Belongs to one thread.
class ScriptPeer {
 public:
  virtual ~ScriptPeer() = default;
  // The word before a colon that makes a line of the script this server's own: "ours", "real".
  [[nodiscard]] virtual std::string_view word() const = 0;
  // Starts a request and returns its number.
  virtual int Start(HttpRequest request) = 0;
  // The same, but nothing of the answer's body is read before Finish: a client that has stopped
  // reading.
  virtual int StartSlow(HttpRequest request) = 0;
  // Waits for the whole answer.
  virtual ScriptReply Finish(int number) = 0;
  virtual void Sleep(std::chrono::milliseconds time) = 0;
  // Makes the server forget its history.
  virtual void Compact() = 0;
};

// One case: its title, "SRV1 SRV2: subject", and its lines with their numbers in the file.
struct ScriptCase {
  std::string title{};
  int line = 0;
  std::vector<std::pair<int, std::string>> lines{};
  // Is it for that kind of server? `http`: one that is reached over a network; without, what only a
  // network shows is left out.
  [[nodiscard]] bool IsFor(std::string_view word, bool http) const;
  // Is it about what only a network shows?
  [[nodiscard]] bool NeedsHttp() const;
  // Its checks as the name of a test: "SRV1_SRV2_17".
  [[nodiscard]] std::string TestName() const;
  // For GoogleTest.
  friend void PrintTo(const ScriptCase& script_case, std::ostream* out) {
    *out << script_case.title;
  }
};

struct Script {
  std::vector<std::pair<std::string, std::string>> definitions{};
  std::vector<ScriptCase> cases{};
};

// Empty where the file cannot be read.
Script LoadScript(const std::string& path);

// Runs one case in its own namespaces, whose names begin with `prefix`. Unmet expectations are
// failures of the test.
void RunScriptCase(const Script& script, const ScriptCase& script_case, ScriptPeer& peer,
                   const std::string& prefix);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_CONFORMANCE_SERVER_SCRIPT_H_
