// client/version_question.h
//
// VersionQuestions: what is the newest resourceVersion that this server has given to anything? Who
// is about to resume a watch asks, since a server that was restored from a backup takes a version
// that is yet to come, and says nothing until it gets there.

#ifndef KINFORMER_CLIENT_VERSION_QUESTION_H_
#define KINFORMER_CLIENT_VERSION_QUESTION_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kinformer/list_watch.h"
#include "kinformer/result.h"

namespace kinformer::internal::client {

struct ListSource;

// Of one server. Per resource one question is under way at a time, and all who have asked before it
// was sent share its answer; who asks later waits for the next, since the answer may be older than
// the end of his watch. Outside the list gate: it reads one key. Confined to the loop.
class VersionQuestions {
 public:
  using Answer = std::function<void(Result<std::string> version)>;

  VersionQuestions();
  ~VersionQuestions();
  VersionQuestions(const VersionQuestions&) = delete;
  VersionQuestions& operator=(const VersionQuestions&) = delete;

  // `answer` is called once, never before this has returned, unless the result is destroyed first;
  // it may destroy it.
  [[nodiscard]] std::unique_ptr<ListWatchCall> Ask(std::shared_ptr<ListSource> source,
                                                   Answer answer);

 private:
  class Asker;
  class Question;
  std::map<std::string, std::shared_ptr<Question>> questions_;  // by resource
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_VERSION_QUESTION_H_
