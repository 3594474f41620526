// base/core/user_call.h
//
// Calls of what the user gave us: a warning handler, a tweak, a trace. What it throws goes no
// further: it would pass through libcurl's C code, or end a task of the loop in its middle, and
// whatever waits for that task would wait for ever.

#ifndef KINFORMER_BASE_CORE_USER_CALL_H_
#define KINFORMER_BASE_CORE_USER_CALL_H_

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/env.h"
#include "kinformer/error.h"
#include "kinformer/result.h"

namespace kinformer::internal::base {

// Inside a catch: what has been thrown, in words.
[[nodiscard]] std::string Thrown();

// Inside a catch: logs what `function` of the user's has thrown, counts it in
// kinformer_user_exceptions_total, and says it as an Error. `of`: which one, or for what; empty:
// there is but one.
Error ReportThrown(Env& env, std::string_view function, const std::string& of = {});

// Logs and counts it in the same way, in the words `what`: for what must not be said as it was
// thrown.
void ReportThrownText(Env& env, std::string_view function, const std::string& of,
                      const std::string& what);

// Inside a catch, where there is no Env: an Error of `reason` that says what `function` of the
// user's has thrown. ReportCarried logs and counts it as ReportThrown would, and does nothing with
// other errors.
Error CarryThrown(Reason reason, std::string_view function, const std::string& of);
void ReportCarried(Env& env, const Error& error);

// Calls `call`, which is `function` of the user's. An error: it threw, which is logged and counted.
// `of` gives ReportThrown's text, when there is something to report.
template <class Call, class Of>
Result<void> CallUser(Env& env, std::string_view function, Call&& call, const Of& of) {
  try {
    std::forward<Call>(call)();
  } catch (...) {
    return ReportThrown(env, function, of());
  }
  return {};
}
template <class Call>
Result<void> CallUser(Env& env, std::string_view function, Call&& call) {
  return CallUser(env, function, std::forward<Call>(call), [] { return std::string(); });
}

// The same of what gives a Result: what it throws is the error of that.
template <class Call, class Of>
std::invoke_result_t<Call> CallUserForResult(Env& env, std::string_view function, Call&& call,
                                             const Of& of) {
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    return ReportThrown(env, function, of());
  }
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_USER_CALL_H_
