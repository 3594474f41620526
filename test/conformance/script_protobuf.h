// test/conformance/script_protobuf.h
//
// Converts the JSON objects and events of server_checks.txt to protobuf and back, with the
// library's own tables.

#ifndef KINFORMER_TEST_CONFORMANCE_SCRIPT_PROTOBUF_H_
#define KINFORMER_TEST_CONFORMANCE_SCRIPT_PROTOBUF_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::testing {

// Decodes hexadecimal digits.
std::string FromHex(std::string_view digits);

// Returns the object, which must be of a built-in kind, in its envelope; `more` is appended to its
// message. Fails the test if it cannot be converted.
std::string ObjectToProtobuf(const std::string& object, std::string_view more);

// Returns the object; if it cannot be read, or is not encoded as Go's generated code would encode
// it, returns a text with the error.
json::Value ObjectFromProtobuf(std::string_view bytes);
// Returns the events of a watch like its JSON frames.
std::vector<json::Value> FramesFromProtobuf(std::string_view bytes);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_CONFORMANCE_SCRIPT_PROTOBUF_H_
