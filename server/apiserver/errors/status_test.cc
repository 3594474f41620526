#include "apiserver/errors/status.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/errors/decode_error.h"
#include "apiserver/errors/protobuf_envelope.h"

namespace kinformer::apiserver {
namespace {

constexpr ErrorSubject kPod{.group = "", .resource = "pods", .name = "a"};
constexpr ErrorSubject kDeployment{.group = "apps", .resource = "deployments", .name = "d"};

// A Status begins with this, and ends with its code.
std::string Failure(std::string_view rest) {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)" +
         std::string(rest) + "}";
}

TEST(StatusErrors, Json_HasTheTextReasonDetailsAndCodeOfARealServer) {
  struct Case {
    Error error;
    std::string_view rest;
  };
  const std::vector<Case> cases = {
      {BadRequestError("no"), R"("no","reason":"BadRequest","code":400)"},
      {NotFoundError(kPod),
       R"("pods \"a\" not found","reason":"NotFound","details":{"name":"a","kind":"pods"},)"
       R"("code":404)"},
      {NotFoundError(kDeployment),
       R"("deployments.apps \"d\" not found","reason":"NotFound",)"
       R"("details":{"name":"d","group":"apps","kind":"deployments"},"code":404)"},
      {NoSuchResourceError(),
       R"("the server could not find the requested resource","reason":"NotFound","details":{},)"
       R"("code":404)"},
      {MethodNotAllowedError(),
       R"("the server does not allow this method on the requested resource",)"
       R"("reason":"MethodNotAllowed","details":{},"code":405)"},
      {AlreadyExistsError(kPod, false), R"("pods \"a\" already exists","reason":"AlreadyExists",)"
                                        R"("details":{"name":"a","kind":"pods"},"code":409)"},
      {AlreadyExistsError(kPod, true),
       R"("object is being deleted: pods \"a\" already exists","reason":"AlreadyExists",)"
       R"("details":{"name":"a","kind":"pods"},"code":409)"},
      {ConflictError(kDeployment, "busy"),
       R"("Operation cannot be fulfilled on deployments.apps \"d\": busy","reason":"Conflict",)"
       R"("details":{"name":"d","group":"apps","kind":"deployments"},"code":409)"},
      {ModifiedConflictError(kPod),
       R"("Operation cannot be fulfilled on pods \"a\": the object has been modified; please )"
       R"(apply your changes to the latest version and try again","reason":"Conflict",)"
       R"("details":{"name":"a","kind":"pods"},"code":409)"},
      {UidPreconditionError(kPod, "u", ""),
       R"("Operation cannot be fulfilled on pods \"a\": Precondition failed: UID in )"
       R"(precondition: u, UID in object meta: ","reason":"Conflict",)"
       R"("details":{"name":"a","kind":"pods"},"code":409)"},
      {ForbiddenError(kPod, "no"),
       R"("pods \"a\" is forbidden: no","reason":"Forbidden","details":{"name":"a",)"
       R"("kind":"pods"},"code":403)"},
      {ForbiddenError({.group = "apps", .resource = "deployments"}, "no"),
       R"("deployments.apps is forbidden: no","reason":"Forbidden",)"
       R"("details":{"group":"apps","kind":"deployments"},"code":403)"},
      {ExpiredError("old"), R"("old","reason":"Expired","code":410)"},
      {TooOldResourceVersionError(7, 9),
       R"*("too old resource version: 7 (9)","reason":"Expired","code":410)*"},
      {TooLargeResourceVersionError(9, 7),
       R"("Timeout: Too large resource version: 9, current: 7","reason":"Timeout",)"
       R"("details":{"causes":[{"reason":"ResourceVersionTooLarge",)"
       R"("message":"Too large resource version"}],"retryAfterSeconds":1},"code":504)"},
      {NotAcceptableError(false),
       R"("only the following media types are accepted: application/json, application/yaml",)"
       R"("reason":"NotAcceptable","details":{},"code":406)"},
      {NotAcceptableError(true),
       R"("only the following media types are accepted: application/json, application/yaml, )"
       R"(application/vnd.kubernetes.protobuf","reason":"NotAcceptable","details":{},"code":406)"},
      {UnsupportedMediaTypeError("application/json"),
       R"("the body of the request was in an unknown format - accepted media types include: )"
       R"(application/json","reason":"UnsupportedMediaType","code":415)"},
      {UnsupportedPatchError(),
       R"("415: Unsupported Media Type","reason":"UnsupportedMediaType","details":{},"code":415)"},
      {Error(Reason::kUnknown, "odd"), R"("odd","code":500)"},
  };
  for (const Case& c : cases) EXPECT_EQ(StatusJson(c.error), Failure(c.rest));
  EXPECT_EQ(NoSuchResourceError().http_status(), 404);
  EXPECT_EQ(TooLargeResourceVersionError(9, 7).http_status(), 504);
}

TEST(StatusErrors, JsonString_IsQuotedAndEscaped) {
  EXPECT_EQ(JsonString(""), R"("")");
  EXPECT_EQ(JsonString("a\"\\\n"), R"("a\"\\\n")");
}

TEST(StatusErrors, Invalid_NamesEachCauseOnceInItsMessage) {
  const StatusCause required = Required("spec.a");
  const StatusCause explained = Required("spec.a", "say it");
  EXPECT_EQ(StatusJson(InvalidError({.group = "apps", .resource = "Deployment", .name = "d"},
                                    {required, required, explained})),
            Failure(R"("Deployment.apps \"d\" is invalid: [spec.a: Required value, )"
                    R"(spec.a: Required value: say it]","reason":"Invalid",)"
                    R"("details":{"name":"d","group":"apps","kind":"Deployment","causes":[)"
                    R"({"reason":"FieldValueRequired","message":"Required value",)"
                    R"("field":"spec.a"},)"
                    R"({"reason":"FieldValueRequired","message":"Required value",)"
                    R"("field":"spec.a"},)"
                    R"({"reason":"FieldValueRequired","message":"Required value: say it",)"
                    R"("field":"spec.a"}]},"code":422)"));
  EXPECT_EQ(InvalidError(kPod, {required, required}).message(),
            "pods \"a\" is invalid: spec.a: Required value");
  EXPECT_EQ(StatusJson(InvalidOptionsError("DeleteOptions", {InvalidValue("x", "1", "no")})),
            Failure(R"("DeleteOptions.meta.k8s.io \"\" is invalid: x: Invalid value: 1: no",)"
                    R"("reason":"Invalid","details":{"group":"meta.k8s.io",)"
                    R"("kind":"DeleteOptions","causes":[{"reason":"FieldValueInvalid",)"
                    R"("message":"Invalid value: 1: no","field":"x"}]},"code":422)"));
  EXPECT_EQ(StatusJson(Error(Reason::kInvalid, "x")),
            Failure(R"("x","reason":"Invalid","details":{},"code":422)"));
}

TEST(StatusErrors, Json_LeavesOutWhatIsEmpty) {
  const auto json = [](const StatusDetails& details) {
    Error error(Reason::kConflict, "x");
    error.WithDetails(details);
    return StatusJson(error);
  };
  const auto with = [](std::string_view details) {
    return Failure(R"("x","reason":"Conflict","details":{)" + std::string(details) +
                   R"(},"code":409)");
  };
  EXPECT_EQ(json({}), Failure(R"("x","reason":"Conflict","code":409)"));
  EXPECT_EQ(json({.name = "n"}), with(R"("name":"n")"));
  EXPECT_EQ(json({.group = "g"}), with(R"("group":"g")"));
  EXPECT_EQ(json({.kind = "k"}), with(R"("kind":"k")"));
  EXPECT_EQ(json({.uid = "u"}), with(R"("uid":"u")"));
  EXPECT_EQ(json({.causes = {{.message = "m"}}}), with(R"("causes":[{"message":"m"}])"));
  EXPECT_EQ(json({.name = "n", .causes = {{.reason = "r"}, {.field = "f"}}}),
            with(R"("name":"n","causes":[{"reason":"r"},{"field":"f"}])"));
  EXPECT_EQ(json({.continue_ = "c"}),
            R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"c"},"status":"Failure",)"
            R"("message":"x","reason":"Conflict","code":409})");
  Error late(Reason::kConflict, "x");
  late.WithRetryAfter(std::chrono::seconds(0));
  EXPECT_EQ(StatusJson(late), with(R"("retryAfterSeconds":0)"));
  late.WithDetails({.uid = "u"});
  EXPECT_EQ(StatusJson(late), with(R"("uid":"u","retryAfterSeconds":0)"));
}

// Returns "number=value" of each field, messages in braces.
std::string Fields(std::string_view message, std::string_view nested) {
  std::string out;
  const std::vector<WireField> fields = ReadFields(message).value();
  for (const WireField& field : fields) {
    const std::string number = std::to_string(field.number);
    out += out.empty() ? number : " " + number;
    const bool varint = nested == "details" ? field.number == 5 : field.number == 6;
    if (varint && nested != "text") {
      out += "=" + std::to_string(field.varint);
    } else if (nested == "status" && field.number == 1) {
      out += "{" + Fields(field.bytes, "text") + "}";
    } else if (nested == "status" && field.number == 5) {
      out += "{" + Fields(field.bytes, "details") + "}";
    } else if (nested == "details" && field.number == 4) {
      out += "{" + Fields(field.bytes, "text") + "}";
    } else {
      out += "=" + std::string(field.bytes);
    }
  }
  return out;
}

// The field numbers are those of metav1.Status, StatusDetails, StatusCause and ListMeta.
TEST(StatusErrors, Protobuf_HasTheFieldsOfAStatus) {
  EXPECT_EQ(Fields(StatusProtobuf(BadRequestError("no")), "status"),
            "1{1= 2= 3=} 2=Failure 3=no 4=BadRequest 6=400");
  EXPECT_EQ(Fields(StatusProtobuf(NotFoundError(kDeployment)), "status"),
            "1{1= 2= 3=} 2=Failure 3=deployments.apps \"d\" not found 4=NotFound "
            "5{1=d 2=apps 3=deployments 5=0 6=} 6=404");
  Error error(Reason::kExpired, "m");
  error.WithRetryAfter(std::chrono::seconds(3));
  error.WithDetails({.name = "n",
                     .group = "g",
                     .kind = "k",
                     .uid = "u",
                     .causes = {{.reason = "r", .message = "t", .field = "f"}, {}},
                     .continue_ = "c"});
  EXPECT_EQ(Fields(StatusProtobuf(error), "status"),
            "1{1= 2= 3=c} 2=Failure 3=m 4=Expired 5{1=n 2=g 3=k 4{1=r 2=t 3=f} 4{1= 2= 3=} 5=3 "
            "6=u} 6=410");
}

TEST(StatusErrors, Deletion_IsASuccessThatNamesTheObject) {
  EXPECT_EQ(DeletedStatusJson(kDeployment, "u"),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":)"
            R"({"name":"d","group":"apps","kind":"deployments","uid":"u"}})");
  EXPECT_EQ(DeletedStatusJson({.group = "g"}, "u"),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":)"
            R"({"group":"g","uid":"u"}})");
  EXPECT_EQ(Fields(DeletedStatusProtobuf(kDeployment, "u"), "status"),
            "1{1= 2= 3=} 2=Success 3= 4= 5{1=d 2=apps 3=deployments 5=0 6=u} 6=0");
}

TEST(StatusErrors, Preconditions_ThatFail_NameBothValues) {
  EXPECT_EQ(UidConflict("a", "b"),
            "the UID in the precondition (a) does not match the UID in record (b). The object "
            "might have been deleted and then recreated");
  EXPECT_EQ(VersionConflict("1", "2"),
            "the ResourceVersion in the precondition (1) does not match the ResourceVersion in "
            "record (2). The object might have been modified");
}

TEST(StatusCauses, Text_IsThatOfARealServer) {
  const auto text = [](const StatusCause& cause) {
    return cause.reason + "|" + cause.field + "|" + cause.message;
  };
  EXPECT_EQ(text(Required("f")), "FieldValueRequired|f|Required value");
  EXPECT_EQ(text(Required("f", "d")), "FieldValueRequired|f|Required value: d");
  EXPECT_EQ(text(InvalidValue("f", "1", "")), "FieldValueInvalid|f|Invalid value: 1");
  EXPECT_EQ(text(InvalidValue("f", "1", "d")), "FieldValueInvalid|f|Invalid value: 1: d");
  EXPECT_EQ(text(ForbiddenField("f", "d")), "FieldValueForbidden|f|Forbidden: d");
  EXPECT_EQ(text(NotSupported("f", "v", R"("a", "b")")),
            R"(FieldValueNotSupported|f|Unsupported value: "v": supported values: "a", "b")");
}

TEST(StatusCauses, Limits_AreANumberAndAnAmountOfText) {
  std::vector<StatusCause> causes(kMaxCauses - 1);
  EXPECT_EQ(kMaxCauses, 256U);
  EXPECT_FALSE(AreEnough(causes));
  causes.emplace_back();
  EXPECT_TRUE(AreEnough(causes));
  EXPECT_FALSE(AreEnough({}));

  EXPECT_EQ(kMaxCauseBytes, 1'048'576U);
  const std::string half(kMaxCauseBytes / 2, 'x');
  EXPECT_FALSE(AreEnough({{.message = half, .field = half}}));
  EXPECT_FALSE(AreEnough({{.message = half}, {.field = half}}));
  EXPECT_TRUE(AreEnough({{.message = half, .field = half}, {.message = "x"}}));
  EXPECT_TRUE(AreEnough({{.message = half}, {.field = half + "x"}}));
}

TEST(DecodeErrors, Offset_IsTakenOffWhereItIsOne) {
  for (const auto& [text, rest] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"JSON: spec.x: expected a string at byte 17", "spec.x: expected a string"},
           {"JSON: spec.x: expected a string", "spec.x: expected a string"},
           {"JSON: a at byte b at byte 7", "a at byte b"},
           {"JSON: a at byte 7x", "a at byte 7x"},
           {"spec.x at byte 17", "spec.x at byte 17"},
           {"JSON: ", ""},
           {"", ""}}) {
    EXPECT_EQ(WithoutOffset(text), rest) << text;
  }
}

TEST(ProtobufEnvelopes, Message_ComesBackOutOfItsEnvelope) {
  const std::string message = "\x08\x07\x12\x01x";
  const std::string sealed = Envelope("apps/v1", "Deployment", message);
  EXPECT_EQ(sealed, EnvelopeHeader("apps/v1", "Deployment", message.size()) + message +
                        std::string(kEnvelopeTrailer));
  EXPECT_EQ(EnvelopeHeader("v1", "Pod", 300),
            std::string("k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\xac\x02", 18));
  const auto parts = ParseEnvelope(sealed);
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->api_version, "apps/v1");
  EXPECT_EQ(parts->kind, "Deployment");
  EXPECT_EQ(parts->raw, message);
  const auto fields = ReadFields(message);
  ASSERT_TRUE(fields.has_value());
  ASSERT_EQ(fields->size(), 2U);
  EXPECT_EQ(fields->at(0).number, 1U);
  EXPECT_EQ(fields->at(0).varint, 7U);
  EXPECT_EQ(fields->at(1).number, 2U);
  EXPECT_EQ(fields->at(1).bytes, "x");
  EXPECT_FALSE(ParseEnvelope("k8s").has_value());
  EXPECT_FALSE(ReadFields("\x12\x05x").has_value());
  std::string varint;
  AppendVarint(300, varint);
  AppendVarintField(2, 1, varint);
  EXPECT_EQ(varint, "\xac\x02\x10\x01");
}

}  // namespace
}  // namespace kinformer::apiserver
