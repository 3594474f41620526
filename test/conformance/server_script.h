// test/conformance/server_script.h
//
// Runs the checks of server_checks.txt: one file of requests and expected answers for every kind of
// API server.

#ifndef KINFORMER_TEST_CONFORMANCE_SERVER_SCRIPT_H_
#define KINFORMER_TEST_CONFORMANCE_SERVER_SCRIPT_H_

#include <chrono>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

#include "conformance/script_answer.h"

namespace kinformer::testing {

// The server that a script talks to. Belongs to one thread.
class ScriptPeer {
 public:
  virtual ~ScriptPeer() = default;
  // Word ("ours", "real") that marks lines of the script, before a colon, as meant for this server.
  [[nodiscard]] virtual std::string_view word() const = 0;
  // Starts a request and returns its number.
  virtual int Start(HttpRequest request) = 0;
  // Like Start, but reads nothing of the answer's body before Finish, like a client that has
  // stopped reading.
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
  // Whether the case applies to this kind of server. If `http` is false, cases that need a network
  // are left out.
  [[nodiscard]] bool IsFor(std::string_view word, bool http) const;
  // Whether the embedded server authorizes by roles in this case.
  [[nodiscard]] bool ByRoles() const;
  // Whether kubelets have the rights of their nodes then, and NodeRestriction limits them.
  [[nodiscard]] bool ForNodes() const;
  // Whether the embedded server keeps the details of a cluster and the owners of fields, and signs
  // tokens if it has a network.
  [[nodiscard]] bool HasDetails() const;
  // Whether the case needs a network.
  [[nodiscard]] bool NeedsHttp() const;
  // The checks as the name of a test: "SRV1_SRV2_17".
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

// Returns an empty script if the file cannot be read.
Script LoadScript(const std::string& path);

// Runs one case in its own namespaces, whose names begin with `prefix`. Unmet expectations are
// failures of the test.
void RunScriptCase(const Script& script, const ScriptCase& script_case, ScriptPeer& peer,
                   const std::string& prefix);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_CONFORMANCE_SERVER_SCRIPT_H_
