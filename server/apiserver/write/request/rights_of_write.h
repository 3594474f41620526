// apiserver/write/request/rights_of_write.h
//
// Rights that a write needs beside that of its request.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_RIGHTS_OF_WRITE_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_RIGHTS_OF_WRITE_H_

#include "kinformer/base/result.h"

#include "apiserver/authorization/authorizer.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

// Fails without the right to create what an update makes.
Result<void> CheckMayMake(const Authorizer& authorizer, const ResourceRequest& request,
                          const Draft& draft);

// Fails without the right to give what a role or a binding gives. Loads the old object of `draft`.
Result<void> CheckMayGive(const Authorizer& authorizer, const ResourceRequest& request,
                          Draft& draft);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_RIGHTS_OF_WRITE_H_
