// test/conformance/websocket_exchange.h
//
// Sends a request for a WebSocket and collects the result, for the scripts.

#ifndef KINFORMER_TEST_CONFORMANCE_WEBSOCKET_EXCHANGE_H_
#define KINFORMER_TEST_CONFORMANCE_WEBSOCKET_EXCHANGE_H_

#include <string>

#include "kinformer/client/transport.h"

#include "conformance/script_answer.h"

namespace kinformer::testing {

// `curl` has the trusted authorities and `origin`, the URL of the server. Adds the usual headers to
// those of the request; "-" names one to leave out, and "Send-Frames" has bytes, in hex, that are
// sent right after the request. Blocks until the server ends the connection. The reply's body has
// the payloads of all data frames, in the form of a watch's body without a WebSocket; its header
// "Frames" lists the frames, "81 8a:6162 88:03e8": the first byte of each, and for control frames
// also the payload.
ScriptReply WebSocketExchange(void* curl, const HttpRequest& request, const std::string& origin);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_CONFORMANCE_WEBSOCKET_EXCHANGE_H_
