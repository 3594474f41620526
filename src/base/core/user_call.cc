#include "base/core/user_call.h"

#include <exception>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"

namespace kinformer::internal::base {

std::string Thrown() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

namespace {

// Cause of an error that reports an exception: its message is the exception's text, its field names
// the function.
constexpr std::string_view kCarried = "UserException";

std::string Described(std::string_view function, const std::string& of, const std::string& what) {
  return std::string(function) + (of.empty() ? "" : " of " + of) + " threw: " + what;
}

}  // namespace

void ReportThrownText(Env& env, std::string_view function, const std::string& of,
                      const std::string& what) {
  env.log().Log(LogLevel::kError, "a function of the program's threw",
                {{"function", std::string(function)}, {"of", of}, {"err", what}});
  env.metrics()
      .NewCounter("kinformer_user_exceptions_total",
                  "What functions that the program gave the library have thrown.",
                  {{"function", function}})
      ->Add();
}

Error ReportThrown(Env& env, std::string_view function, const std::string& of) {
  const std::string what = Thrown();
  ReportThrownText(env, function, of, what);
  return Error(Reason::kUnknown, Described(function, of, what));
}

Error CarryThrown(Reason reason, std::string_view function, const std::string& of) {
  const std::string what = Thrown();
  Error error(reason, Described(function, of, what));
  StatusDetails details{.name = of, .causes = {}};
  details.causes.push_back({std::string(kCarried), what, std::string(function)});
  error.WithDetails(std::move(details));
  return error;
}

void ReportCarried(Env& env, const Error& error) {
  for (const StatusCause& cause : error.details().causes) {
    if (cause.reason == kCarried) {
      ReportThrownText(env, cause.field, error.details().name, cause.message);
    }
  }
}

}  // namespace kinformer::internal::base
