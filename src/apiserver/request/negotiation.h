// apiserver/request/negotiation.h
//
// Content negotiation: which form of an answer the Accept header asks for, and what a request body
// is.

#ifndef KINFORMER_APISERVER_REQUEST_NEGOTIATION_H_
#define KINFORMER_APISERVER_REQUEST_NEGOTIATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver {

enum class MediaType : std::uint8_t { kJson, kYaml, kProtobuf };

enum class Form : std::uint8_t { kObject, kPartialMetadata, kTable };

// What a Table's rows carry beside their cells.
enum class IncludeObject : std::uint8_t { kMetadata, kObject, kNone };

struct OutputFormat {
  MediaType media{MediaType::kJson};
  Form form{Form::kObject};
  // Of a Table or PartialObjectMetadata: "v1" or "v1beta1".
  std::string form_version{"v1"};
  IncludeObject include{IncludeObject::kMetadata};
  bool pretty = false;
};

// What the endpoint can do.
struct Offer {
  bool protobuf = false;          // full objects as protobuf
  bool protobuf_metadata = true;  // PartialObjectMetadata as protobuf
  bool list = false;   // the answer is a list: PartialObjectMetadataList, not PartialObjectMetadata
  bool watch = false;  // the answer is a stream: no YAML
  bool transforms = true;  // Table and PartialObjectMetadata
  bool table = true;       // and not the latter alone
};

// NotAcceptable where no clause of the header can be met.
Result<OutputFormat> Negotiate(std::string_view accept, const Offer& offer);

// The Content-Type of an answer in that format.
std::string_view ContentTypeOf(const OutputFormat& format, bool watch);

// Is this header's value the given media type, parameters aside?
bool IsMediaType(std::string_view header, std::string_view type);

// One clause of an Accept header and its parameters.
struct AcceptClause {
  std::string type{};
  std::string as{};
  std::string group{};
  std::string version{};
  bool pretty = false;
  double q{1};
};
// The clauses, best first. Of equal quality: as sent.
std::vector<AcceptClause> ParseAccept(std::string_view accept);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_NEGOTIATION_H_
