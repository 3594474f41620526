#include "client/status.h"

#include <gtest/gtest.h>

#include "wire/envelope.h"
#include "wire/protobuf_writer.h"

namespace kinformer::internal::client {
namespace {

constexpr char kGone[] =
    R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"next"},"status":"Failure",)"
    R"x("message":"too old resource version: 1 (1003)","reason":"Expired","code":410})x";

TEST(Status, JsonStatusWinsOverTheCode_RS08) {
  const Error error = ErrorOfResponse("GET", 500, "application/json", kGone, std::nullopt);
  EXPECT_EQ(error.reason(), Reason::kExpired);
  EXPECT_EQ(error.message(), "too old resource version: 1 (1003)");
  EXPECT_EQ(error.http_status(), 410);
  EXPECT_EQ(error.details().continue_, "next");
  EXPECT_TRUE(IsResourceExpired(error));
}

TEST(Status, DetailsAndCauses) {
  const auto error = ErrorOfJsonStatus(
      R"({"kind":"Status","status":"Failure","reason":"Timeout","code":504,"message":"m",)"
      R"("details":)"
      R"({"name":"n","group":"g","kind":"k","uid":"u","retryAfterSeconds":3,)"
      R"("causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version",)"
      R"("field":"f"}]}})");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->retry_after(), std::chrono::seconds(3));
  EXPECT_EQ(error->message(), "m");
  EXPECT_EQ(error->http_status(), 504);
  EXPECT_EQ(error->details().name, "n");
  EXPECT_EQ(error->details().group, "g");
  EXPECT_EQ(error->details().kind, "k");
  EXPECT_EQ(error->details().uid, "u");
  EXPECT_EQ(error->details().continue_, "");
  ASSERT_EQ(error->details().causes.size(), 1u);
  EXPECT_EQ(error->details().causes[0].reason, "ResourceVersionTooLarge");
  EXPECT_EQ(error->details().causes[0].message, "Too large resource version");
  EXPECT_EQ(error->details().causes[0].field, "f");
  EXPECT_TRUE(IsTooLargeResourceVersion(*error));
}

TEST(Status, HugeRetryAfter_IsClampedTo32Bits) {
  constexpr std::chrono::seconds kMost(2'147'483'647);
  for (const char* seconds : {"2147483648", "100000000000", "9000000000000000000"}) {
    const auto error = ErrorOfJsonStatus(
        std::string(R"({"kind":"Status","status":"Failure","code":429,"details":)") +
        R"({"retryAfterSeconds":)" + seconds + "}}");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->retry_after(), kMost) << seconds;
  }
  for (const std::uint64_t seconds : {std::uint64_t{9'000'000'000'000'000'000}, ~std::uint64_t{}}) {
    std::string details;
    wire::ProtobufWriter(details).VarintField(5, seconds);
    std::string message;
    wire::ProtobufWriter writer(message);
    writer.BytesField(2, "Failure");
    writer.BytesField(5, details);
    const auto error = ErrorOfProtobufStatus(message);
    ASSERT_TRUE(error);
    // The largest number of 64 bits is -1.
    const bool negative = seconds == ~std::uint64_t{};
    EXPECT_EQ(error->retry_after(), negative ? std::nullopt : std::optional(kMost));
  }
}

TEST(Status, WithoutARetryAfterThereIsNone) {
  for (const char* details : {"", R"(,"details":{})", R"(,"details":{"retryAfterSeconds":0})"}) {
    const std::string text =
        std::string(R"({"kind":"Status","status":"Failure","reason":"Timeout","code":504)") +
        details + "}";
    const auto error = ErrorOfJsonStatus(text);
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->retry_after(), std::nullopt) << text;
    EXPECT_EQ(error->message(), "unknown");
    const Error answer = ErrorOfResponse("GET", 504, "application/json", text, 4);
    EXPECT_EQ(answer.retry_after(), std::chrono::seconds(4)) << "the header's";
  }
}

TEST(Status, WithoutARetryAfterThereIsNoneInProtobufEither) {
  std::string message;
  wire::ProtobufWriter writer(message);
  writer.BytesField(2, "Failure");
  const auto error = ErrorOfProtobufStatus(message);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->retry_after(), std::nullopt);
  EXPECT_EQ(error->http_status(), 0);
  EXPECT_EQ(error->reason(), Reason::kUnknown);
}

// Values in the Status take precedence over those in the response's headers.
TEST(Status, StatusWithoutRetryAfter_HeaderIsUsed) {
  const auto answer = [](const std::string& members, std::optional<int> retry_after) {
    return ErrorOfResponse("GET", 429, "application/json",
                           R"({"kind":"Status","status":"Failure")" + members + "}", retry_after);
  };
  const std::string second = R"(,"details":{"retryAfterSeconds":1})";
  EXPECT_EQ(answer(second, 4).retry_after(), std::chrono::seconds(1));
  EXPECT_EQ(answer(second, {}).retry_after(), std::chrono::seconds(1));
  EXPECT_EQ(answer("", 4).retry_after(), std::chrono::seconds(4));
  EXPECT_EQ(answer("", {}).retry_after(), std::nullopt);
  EXPECT_EQ(answer("", {}).http_status(), 429);
  EXPECT_EQ(answer(R"(,"code":503)", {}).http_status(), 503);
}

TEST(Status, BodiesWithoutFailureStatus_AreNoError_RS07) {
  EXPECT_FALSE(ErrorOfJsonStatus(R"({"kind":"Status","status":"Success"})"));
  EXPECT_FALSE(ErrorOfJsonStatus(R"({"kind":"Pod","status":{"phase":"Failed"}})"));
  EXPECT_FALSE(ErrorOfJsonStatus(R"({"kind":"Order","status":"Failure"})"));
  EXPECT_FALSE(ErrorOfJsonStatus("404 page not found"));
}

TEST(Status, ProtobufStatusInItsEnvelope) {
  std::string details;
  details += std::string("\x0a\x01n\x1a\x04pods\x28\x02", 11);
  std::string message;
  message += std::string(
      "\x0a\x05\x0a\x00\x1a\x01"
      "c",
      7);
  message += std::string(
      "\x12\x07"
      "Failure",
      9);
  message += std::string("\x1a\x04gone\x22\x08NotFound", 16);
  message += std::string("\x2a\x0b", 2) + details;
  message += std::string("\x30\x94\x03", 3);
  const std::string body = wire::SealEnvelope("v1", "Status", message);
  const Error error = ErrorOfResponse("GET", 404, "application/vnd.kubernetes.protobuf", body, {});
  EXPECT_EQ(error.reason(), Reason::kNotFound);
  EXPECT_EQ(error.message(), "gone");
  EXPECT_EQ(error.http_status(), 404);
  EXPECT_EQ(error.details().name, "n");
  EXPECT_EQ(error.details().kind, "pods");
  EXPECT_EQ(error.details().continue_, "c");
  EXPECT_EQ(error.retry_after(), std::chrono::seconds(2));
}

TEST(Status, EveryFieldOfAProtobufStatus) {
  std::string message;
  wire::ProtobufWriter writer(message);
  writer.BytesField(2, "Failure");
  writer.BytesField(3, "it is bad");
  writer.BytesField(4, "Invalid");
  writer.Nested(5, [](wire::ProtobufWriter& details) {
    details.BytesField(1, "name");
    details.BytesField(2, "group");
    details.BytesField(3, "kind");
    for (const char* number : {"1", "2"}) {
      details.Nested(4, [&](wire::ProtobufWriter& cause) {
        cause.BytesField(1, std::string("reason-") + number);
        cause.BytesField(2, std::string("message-") + number);
        cause.BytesField(3, std::string("field-") + number);
      });
    }
    details.VarintField(5, 3);
    details.BytesField(6, "uid");
  });
  writer.VarintField(6, 422);
  const auto error = ErrorOfProtobufStatus(message);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason(), Reason::kInvalid);
  EXPECT_EQ(error->message(), "it is bad");
  EXPECT_EQ(error->http_status(), 422);
  EXPECT_EQ(error->retry_after(), std::chrono::seconds(3));
  const StatusDetails& details = error->details();
  EXPECT_EQ(details.name, "name");
  EXPECT_EQ(details.group, "group");
  EXPECT_EQ(details.kind, "kind");
  EXPECT_EQ(details.uid, "uid");
  ASSERT_EQ(details.causes.size(), 2U);
  EXPECT_EQ(details.causes[0].reason, "reason-1");
  EXPECT_EQ(details.causes[0].message, "message-1");
  EXPECT_EQ(details.causes[0].field, "field-1");
  EXPECT_EQ(details.causes[1].field, "field-2");
  // Without its last byte, it is no Status; cut anywhere else, it is none, or has fewer members.
  EXPECT_FALSE(ErrorOfProtobufStatus(message.substr(0, message.size() - 1)));
  for (std::size_t size = 0; size < message.size(); ++size) {
    const auto cut = ErrorOfProtobufStatus(message.substr(0, size));
    if (cut) {
      EXPECT_LE(cut->details().causes.size(), 2U);
    }
  }
}

TEST(Status, MediaTypes) {
  EXPECT_EQ(MediaType("application/json"), "application/json");
  EXPECT_EQ(MediaType("  application/json  ;stream=watch;x"), "application/json");
  EXPECT_EQ(MediaType(" application/json "), "application/json");
  EXPECT_EQ(MediaType("   application/json   ;a"), "application/json");
  EXPECT_EQ(MediaType(""), "");
  EXPECT_EQ(MediaType("   "), "");
  EXPECT_EQ(MediaType(";a=b"), "");
}

TEST(Status, ReasonOfBareCodes_RS06_RS08) {
  const struct {
    const char* method;
    int code;
    Reason reason;
  } kRows[] = {
      {"GET", 400, Reason::kBadRequest},
      {"GET", 401, Reason::kUnauthorized},
      {"GET", 403, Reason::kForbidden},
      {"GET", 404, Reason::kNotFound},
      {"GET", 405, Reason::kMethodNotAllowed},
      {"GET", 406, Reason::kNotAcceptable},
      {"POST", 409, Reason::kAlreadyExists},
      {"PUT", 409, Reason::kConflict},
      {"GET", 410, Reason::kGone},
      {"PUT", 413, Reason::kRequestEntityTooLarge},
      {"POST", 415, Reason::kUnsupportedMediaType},
      {"POST", 422, Reason::kInvalid},
      {"GET", 429, Reason::kTooManyRequests},
      {"GET", 500, Reason::kInternalError},
      {"GET", 502, Reason::kInternalError},
      {"GET", 503, Reason::kServiceUnavailable},
      {"GET", 504, Reason::kTimeout},
      {"GET", 418, Reason::kUnknown},
  };
  for (const auto& row : kRows) {
    const Error error = ErrorOfResponse(row.method, row.code, "text/plain", "some text\n", 7);
    EXPECT_EQ(error.reason(), row.reason) << row.code;
    EXPECT_EQ(error.http_status(), row.code);
    EXPECT_EQ(error.retry_after(), std::chrono::seconds(7));
    ASSERT_EQ(error.details().causes.size(), 1u);
    EXPECT_EQ(error.details().causes[0].reason, "UnexpectedServerResponse");
    EXPECT_EQ(error.details().causes[0].message, "some text");
  }
}

TEST(Status, BareCodes_HaveMessages) {
  const auto message = [](int code, std::string_view body) {
    return ErrorOfResponse("GET", code, "text/plain", body, {}).message();
  };
  const struct {
    int code;
    const char* says;
  } kRows[] = {
      {400, "rejected our request for an unknown reason"},
      {401, "asked for the client to provide credentials"},
      {404, "could not find the requested resource"},
      {405, "does not allow this method"},
      {406, "unable to respond with a content type"},
      {409, "reported a conflict"},
      {415, "does not accept the media type"},
      {422, "due to an error in our request"},
      {429, "received too many requests"},
      {503, "currently unable to handle the request"},
      {504, "unable to return a response in the time allotted"},
  };
  for (const auto& row : kRows) {
    EXPECT_NE(message(row.code, "x").find(row.says), std::string::npos) << row.code;
  }
  EXPECT_EQ(message(403, ""), "access is forbidden");
  EXPECT_EQ(message(403, "not you"), "not you");
  for (const int code : {500, 502}) {
    EXPECT_EQ(message(code, "it burns"),
              "an error on the server (\"it burns\") has prevented the request from succeeding");
    EXPECT_NE(message(code, "").find("(\"unknown\")"), std::string::npos);
  }
  for (const int code : {418, 499}) {
    EXPECT_EQ(message(code, "x"), "the server responded with the status code " +
                                      std::to_string(code) +
                                      " but did not return more information");
  }
}

// A text body that is no Status becomes the message of the cause, cut to 2048 bytes.
TEST(Status, BareCodeWithText_TextIsTheCause) {
  const auto told = [](std::string_view content_type, std::string_view body) {
    return ErrorOfResponse("GET", 502, content_type, body, {}).details().causes.at(0).message;
  };
  EXPECT_EQ(told("text/html; charset=utf-8", "bad gateway \n \n"), "bad gateway");
  EXPECT_EQ(told("", "bad gateway"), "bad gateway");
  EXPECT_EQ(told("text/plain", std::string(2048, 'a') + "b"), std::string(2048, 'a'));
  EXPECT_EQ(told("text/plain", std::string(2047, 'a') + "b"), std::string(2047, 'a') + "b");
  EXPECT_EQ(told("text/plain", " \n"), "unknown");
  EXPECT_EQ(told("application/octet-stream", "bytes"), "unknown");
  EXPECT_EQ(told("application/json", "{}"), "unknown");
}

// A Status is only recognized in the encoding that its media type declares.
TEST(Status, AStatusIsReadAsItsMediaTypeSays) {
  EXPECT_EQ(ErrorOfResponse("GET", 500, "", kGone, {}).reason(), Reason::kExpired);
  EXPECT_EQ(ErrorOfResponse("GET", 500, "text/plain", kGone, {}).reason(), Reason::kInternalError);
  std::string message;
  wire::ProtobufWriter writer(message);
  writer.BytesField(2, "Failure");
  writer.BytesField(4, "Expired");
  constexpr char kProtobuf[] = "application/vnd.kubernetes.protobuf";
  EXPECT_EQ(ErrorOfResponse("GET", 500, kProtobuf, wire::SealEnvelope("v1", "Status", message), {})
                .reason(),
            Reason::kExpired);
  EXPECT_EQ(
      ErrorOfResponse("GET", 500, kProtobuf, wire::SealEnvelope("v1", "Pod", message), {}).reason(),
      Reason::kInternalError);
  EXPECT_EQ(ErrorOfResponse("GET", 500, kProtobuf, "no envelope", {}).reason(),
            Reason::kInternalError);
}

TEST(Status, StatusWithoutReason_ReasonFollowsFromItsCode) {
  const auto reason = [](const char* members) {
    return ErrorOfJsonStatus(std::string(R"({"kind":"Status","status":"Failure")") + members + "}")
        ->reason();
  };
  EXPECT_EQ(reason(R"(,"code":404)"), Reason::kNotFound);
  EXPECT_EQ(reason(R"(,"code":409)"), Reason::kConflict);
  EXPECT_EQ(reason(R"(,"reason":"Expired","code":404)"), Reason::kExpired);
  EXPECT_EQ(reason(""), Reason::kUnknown);
}

TEST(Status, PlainHttpThatATlsServerRefuses_IsToldTheUrl) {
  const auto refused = [](int status, std::string_view body, const std::string& server) {
    return AsForTls(ErrorOfResponse("GET", status, "text/plain", body, {}), server);
  };
  for (const char* body : {"Client sent an HTTP request to an HTTPS server.\n",
                           "400 The plain HTTP request was sent to HTTPS port"}) {
    const auto error = refused(400, body, "http://h:6443");
    ASSERT_TRUE(error) << body;
    EXPECT_EQ(error->reason(), Reason::kBadRequest);
    EXPECT_EQ(error->http_status(), 400);
    EXPECT_EQ(error->message(),
              "http://h:6443: the server speaks TLS, and was sent plain HTTP. Its URL is "
              "https://h:6443 (cluster.server, --server)");
    EXPECT_EQ(error->details().causes.size(), 1U);
    EXPECT_FALSE(refused(400, body, "https://h:6443"));
    EXPECT_FALSE(refused(400, body, "HTTPS://h:6443"));
    const auto in_capitals = refused(400, body, "HTTP://h:6443/c/x");
    ASSERT_TRUE(in_capitals);
    EXPECT_NE(in_capitals->message().find("Its URL is https://h:6443/c/x ("), std::string::npos)
        << in_capitals->message();
    EXPECT_FALSE(refused(404, body, "http://h:6443"));
  }
  EXPECT_FALSE(refused(400, "bad field", "http://h:6443"));
}

TEST(Status, UnknownReason_IsNotGuessedFromTheCode) {
  const auto error = ErrorOfJsonStatus(
      R"({"kind":"Status","status":"Failure","reason":"StorageReadError","code":404,)"
      R"("message":"m"})");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason(), Reason::kUnknown);
}

}  // namespace
}  // namespace kinformer::internal::client
