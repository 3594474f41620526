// apiserver/http/greeting.h
//
// Greeting: a connection before anything is known of it: the TLS handshake, which decides who the client is and what it speaks.

#ifndef KINFORMER_APISERVER_HTTP_GREETING_H_
#define KINFORMER_APISERVER_HTTP_GREETING_H_

#include <memory>

#include "apiserver/http/connection.h"

namespace kinformer::apiserver {

// Gives way to the connection of the protocol that was agreed upon.
std::shared_ptr<Connection> NewGreeting(ConnectionHost& host, std::unique_ptr<ByteStream> stream);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_GREETING_H_
