// apiserver/request/negotiation.h
//
// Content negotiation: the response format that an Accept header selects, and the media type of a
// request body.

#ifndef KINFORMER_APISERVER_REQUEST_NEGOTIATION_H_
#define KINFORMER_APISERVER_REQUEST_NEGOTIATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

namespace kinformer::apiserver {

enum class MediaType : std::uint8_t { kJson, kYaml, kProtobuf };

enum class Form : std::uint8_t { kObject, kPartialMetadata, kTable };

// Object in each row of a Table, beside its cells.
enum class IncludeObject : std::uint8_t { kMetadata, kObject, kNone };

struct OutputFormat {
  MediaType media{MediaType::kJson};
  Form form{Form::kObject};
  // Version of the Table or PartialObjectMetadata: "v1" or "v1beta1".
  std::string form_version{"v1"};
  IncludeObject include{IncludeObject::kMetadata};
  bool pretty = false;
};

// Formats that an endpoint supports.
struct Offer {
  bool protobuf = false;          // full objects as protobuf
  bool protobuf_metadata = true;  // PartialObjectMetadata as protobuf
  bool list = false;   // responds with a list: PartialObjectMetadataList, not PartialObjectMetadata
  bool watch = false;  // responds with a stream: no YAML
  bool transforms = true;  // Table and PartialObjectMetadata
  bool table = true;       // Table too, not only PartialObjectMetadata
};

// Returns NotAcceptable where the endpoint supports no clause of the header.
Result<OutputFormat> Negotiate(std::string_view accept, const Offer& offer);

// Returns the Content-Type of a response in that format.
std::string_view ContentTypeOf(const OutputFormat& format, bool watch);

// Returns whether the header's value is the given media type, ignoring parameters.
bool IsMediaType(std::string_view header, std::string_view type);

// One clause of an Accept header, with its parameters.
struct AcceptClause {
  std::string type{};
  std::string as{};
  std::string group{};
  std::string version{};
  bool pretty = false;
  double q{1};
};
// Returns the clauses by quality, best first; equal ones in the order sent.
std::vector<AcceptClause> ParseAccept(std::string_view accept);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_NEGOTIATION_H_
