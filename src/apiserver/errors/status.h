// apiserver/errors/status.h
//
// The errors of the API and their form on the wire (metav1.Status). Inside the server a failure is
// a kinformer::Error; here it gets its words, code and encoding.

#ifndef KINFORMER_APISERVER_ERRORS_STATUS_H_
#define KINFORMER_APISERVER_ERRORS_STATUS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/error.h"

namespace kinformer::apiserver {

// What the details of a Status name: a resource, or for Invalid a kind.
struct ErrorSubject {
  std::string_view group{};
  std::string_view resource{};
  std::string_view name{};
};

Error BadRequestError(std::string message);
Error NotFoundError(const ErrorSubject& subject);
// A path below /api or /apis that leads nowhere.
Error NoSuchResourceError();
Error MethodNotAllowedError();
Error AlreadyExistsError(const ErrorSubject& subject, bool terminating);
// `why` follows "Operation cannot be fulfilled on pods "x": ".
Error ConflictError(const ErrorSubject& subject, std::string_view why);
Error ModifiedConflictError(const ErrorSubject& subject);
// An update or binding that names another uid than the object has; `actual` is empty where there is
// no object.
Error UidPreconditionError(const ErrorSubject& subject, std::string_view asked,
                           std::string_view actual);
// Why a precondition of a delete fails.
std::string UidConflict(std::string_view asked, std::string_view actual);
std::string VersionConflict(std::string_view asked, std::string_view actual);
Error ForbiddenError(const ErrorSubject& subject, std::string_view why);
// `subject.resource` is the Kind here.
Error InvalidError(const ErrorSubject& subject, std::vector<StatusCause> causes);
Error InvalidOptionsError(std::string_view kind, std::vector<StatusCause> causes);
Error ExpiredError(std::string message);
// A watch from `asked`, which history no longer covers; `oldest` is the first that it does.
Error TooOldResourceVersionError(std::int64_t asked, std::int64_t oldest);
Error TooLargeResourceVersionError(std::int64_t asked, std::int64_t current);
Error NotAcceptableError(bool protobuf);
Error UnsupportedMediaTypeError(std::string_view accepted);
// Of a patch to a built-in kind, whose types are settled before the body is looked at.
Error UnsupportedPatchError();

// The values of StatusCause.reason and the start of its message.
StatusCause Required(std::string field, std::string_view detail = {});
StatusCause InvalidValue(std::string field, std::string_view value, std::string_view detail);
StatusCause ForbiddenField(std::string field, std::string_view detail);
StatusCause NotSupported(std::string field, std::string_view value, std::string_view supported);

// Somebody who has got as many wrong will not read more, nor so much text: values, and the names in
// paths, are as long as those who write objects like, and a body of 3 MB has a million mistakes.
inline constexpr std::size_t kMaxCauses = 256;
inline constexpr std::size_t kMaxCauseBytes = std::size_t{1} << 20;
// Whether no more causes are to be looked for. For loops over what somebody sent, ahead of the next
// one: what is made stays within these bounds and one cause.
[[nodiscard]] bool AreEnough(const std::vector<StatusCause>& causes);

// {"kind":"Status","apiVersion":"v1",...} without a newline.
std::string StatusJson(const Error& error);
// The bare metav1.Status message.
std::string StatusProtobuf(const Error& error);

// The answer to a delete whose object is gone at once.
std::string DeletedStatusJson(const ErrorSubject& subject, std::string_view uid);
std::string DeletedStatusProtobuf(const ErrorSubject& subject, std::string_view uid);

// Appends `text` as a JSON string with quotes.
void AppendJsonString(std::string_view text, std::string& out);
std::string JsonString(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ERRORS_STATUS_H_
