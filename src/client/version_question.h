// client/version_question.h
//
// VersionQuestions: asks for the newest resourceVersion of the server, before a watch is resumed: a
// server restored from a backup accepts a version from its future, and then stays silent until it
// gets there.

#ifndef KINFORMER_CLIENT_VERSION_QUESTION_H_
#define KINFORMER_CLIENT_VERSION_QUESTION_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/lister_watcher.h"

namespace kinformer::internal::client {

// A collection whose version is asked for.
struct VersionSource {
  Env& env;
  std::string resource;    // of the server
  std::string namespace_;  // empty: all, or a cluster-scoped kind
  // Sets `call` to a list that has the version, and then sends it.
  std::function<Result<void>(ListReceiver& receiver, std::unique_ptr<ListWatchCall>& call)> send;
};

// For one server. One request per resource is under way at a time. Callers that asked before it was
// sent share its answer; later callers wait for the next one, since the answer may be older than
// the end of their watch. Loop-confined.
class VersionQuestions {
 public:
  using Answer = std::function<void(Result<std::string> version)>;

  VersionQuestions();
  ~VersionQuestions();
  VersionQuestions(const VersionQuestions&) = delete;
  VersionQuestions& operator=(const VersionQuestions&) = delete;

  // Calls `answer` once, never before returning, unless the result is destroyed first; `answer` may
  // destroy it.
  [[nodiscard]] std::unique_ptr<ListWatchCall> Ask(VersionSource source, Answer answer);

 private:
  class Asker;
  class Question;
  std::map<std::string, std::shared_ptr<Question>> questions_;  // by resource
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_VERSION_QUESTION_H_
