// apiserver/errors/status.h
//
// Errors of the API and their form on the wire (metav1.Status). Inside the server, a failure is a
// kinformer::Error; the functions here make its message, code and encoding.

#ifndef KINFORMER_APISERVER_ERRORS_STATUS_H_
#define KINFORMER_APISERVER_ERRORS_STATUS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"

namespace kinformer::apiserver {

// Subject in the details of a Status: a resource, or a kind for Invalid.
struct ErrorSubject {
  std::string_view group{};
  std::string_view resource{};
  std::string_view name{};
};

Error BadRequestError(std::string message);
Error NotFoundError(const ErrorSubject& subject);
// The path below /api or /apis names no resource.
Error NoSuchResourceError();
Error MethodNotAllowedError();
Error AlreadyExistsError(const ErrorSubject& subject, bool terminating);
// `why` follows "Operation cannot be fulfilled on pods "x": ".
Error ConflictError(const ErrorSubject& subject, std::string_view why);
Error ModifiedConflictError(const ErrorSubject& subject);
// An update or binding names another uid than the object has; `actual` is empty if no object
// exists.
Error UidPreconditionError(const ErrorSubject& subject, std::string_view asked,
                           std::string_view actual);
// Reasons for the failed precondition of a delete.
std::string UidConflict(std::string_view asked, std::string_view actual);
std::string VersionConflict(std::string_view asked, std::string_view actual);
Error ForbiddenError(const ErrorSubject& subject, std::string_view why);
// `subject.resource` is the kind here.
Error InvalidError(const ErrorSubject& subject, std::vector<StatusCause> causes);
Error InvalidOptionsError(std::string_view kind, std::vector<StatusCause> causes);
Error ExpiredError(std::string message);
// A watch starts at `asked`, older than the history, which starts at `oldest`.
Error TooOldResourceVersionError(std::int64_t asked, std::int64_t oldest);
Error TooLargeResourceVersionError(std::int64_t asked, std::int64_t current);
Error NotAcceptableError(bool protobuf);
Error UnsupportedMediaTypeError(std::string_view accepted);
// A patch of this type is not supported for built-in kinds. Checked before the body is parsed.
Error UnsupportedPatchError();

// Make causes with the API's values of StatusCause.reason and the beginning of its message.
StatusCause Required(std::string field, std::string_view detail = {});
StatusCause InvalidValue(std::string field, std::string_view value, std::string_view detail);
StatusCause ForbiddenField(std::string field, std::string_view detail);
StatusCause NotSupported(std::string field, std::string_view value, std::string_view supported);

// Limits of the causes in one Status. Nobody reads more, and values and field names can be as long
// as the request: a body of 3 MB may contain a million mistakes.
inline constexpr std::size_t kMaxCauses = 256;
inline constexpr std::size_t kMaxCauseBytes = std::size_t{1} << 20;
// Returns whether the limits are reached. Loops over request data check it before each iteration,
// so that causes exceed the limits by at most one.
[[nodiscard]] bool AreEnough(const std::vector<StatusCause>& causes);

// Returns {"kind":"Status","apiVersion":"v1",...} without a newline.
std::string StatusJson(const Error& error);
// Returns the bare metav1.Status message.
std::string StatusProtobuf(const Error& error);

// Return the response to a delete that removed its object at once.
std::string DeletedStatusJson(const ErrorSubject& subject, std::string_view uid);
std::string DeletedStatusProtobuf(const ErrorSubject& subject, std::string_view uid);

// Returns messages as Go prints an aggregate of errors: "a", "[a, b]".
std::string AggregateText(std::span<const std::string> errors);

// Appends `text` as a JSON string with quotes.
void AppendJsonString(std::string_view text, std::string& out);
std::string JsonString(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ERRORS_STATUS_H_
