// test/conformance/websocket_exchange.h
//
// A request that asks for a WebSocket, and all that comes of it, for the scripts.

#ifndef KINFORMER_TEST_CONFORMANCE_WEBSOCKET_EXCHANGE_H_
#define KINFORMER_TEST_CONFORMANCE_WEBSOCKET_EXCHANGE_H_

#include <string>

#include "kinformer/transport.h"

#include "conformance/script_answer.h"

namespace kinformer::testing {

// `curl` knows whom to trust, and has the URL of the server, `origin`. The usual headers are added
// to those of the request; of its own, "-" leaves one out, and "Send-Frames" has in hex what
// follows the request at once. Blocks until the server ends the connection. The reply's body are
// the payloads of all frames of data, in the form that the body of a watch without a WebSocket has;
// its header "Frames" says what came, "81 8a:6162 88:03e8": the first byte of each, of control
// frames with the payload.
ScriptReply WebSocketExchange(void* curl, const HttpRequest& request, const std::string& origin);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_CONFORMANCE_WEBSOCKET_EXCHANGE_H_
