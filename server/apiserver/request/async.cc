#include "apiserver/request/async.h"

#include <new>
#include <string>

#include "kinformer/base/log.h"

#include "apiserver/request/awaited.h"
#include "base/core/out_of_memory.h"
#include "base/core/user_call.h"

namespace kinformer::apiserver {

namespace async {

Error ErrorOfThrown(Env& env) {
  std::string what;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    internal::base::DieOfNoMemory("a request");
  } catch (...) {
    what = internal::base::Thrown();
  }
  env.log().Log(LogLevel::kError, "a request's task threw", {{"what", what}});
  return Error(Reason::kInternalError, "Internal error occurred: " + what).WithHttpStatus(500);
}

}  // namespace async

ResponsePtr Respond(Env& env, Task<ResponsePtr> task) {
  struct Place {
    ResponsePtr at_once{};
    Awaited* later = nullptr;
  };
  const auto place = std::make_shared<Place>();
  AsyncTicket ticket = Start<ResponsePtr>(env, std::move(task), [place](ResponsePtr response) {
    if (place->later != nullptr) return place->later->Answer(std::move(response));
    place->at_once = std::move(response);
  });
  if (place->at_once != nullptr) return std::move(place->at_once);
  auto answer = std::make_unique<Awaited>();
  place->later = answer.get();
  answer->Hold(std::move(ticket));
  return answer;
}

}  // namespace kinformer::apiserver
