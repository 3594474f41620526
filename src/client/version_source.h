// client/version_source.h
//
// The VersionSource of a list source: the cheapest list that has the newest resourceVersion.

#ifndef KINFORMER_CLIENT_VERSION_SOURCE_H_
#define KINFORMER_CLIENT_VERSION_SOURCE_H_

#include "client/list_source.h"
#include "client/version_question.h"

namespace kinformer::internal::client {

// Its lists bypass the list gate, as they read one key.
[[nodiscard]] VersionSource VersionSourceOf(const ListSource& source);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_VERSION_SOURCE_H_
