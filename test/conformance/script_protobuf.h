// test/conformance/script_protobuf.h
//
// The scripts of server_checks.txt are JSON; these are the same objects and events in protobuf, by
// the library's own tables.

#ifndef KINFORMER_TEST_CONFORMANCE_SCRIPT_PROTOBUF_H_
#define KINFORMER_TEST_CONFORMANCE_SCRIPT_PROTOBUF_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"

namespace kinformer::testing {

// The bytes that digits of base 16 stand for.
std::string FromHex(std::string_view digits);

// The object, whose kind is built in, in its envelope; `more` is put at the end of its message.
// Fails the test where it cannot.
std::string ObjectToProtobuf(const std::string& object, std::string_view more);

// What cannot be read, or is not written as Go's generated code writes it, gives a text that says
// so.
json::Value ObjectFromProtobuf(std::string_view bytes);
// The events of a watch as its JSON frames have them.
std::vector<json::Value> FramesFromProtobuf(std::string_view bytes);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_CONFORMANCE_SCRIPT_PROTOBUF_H_
