// apiserver/write/request/node_limits.h
//
// Has the plug-in NodeRestriction check those writes of kubelets that store no sent object.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_NODE_LIMITS_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_NODE_LIMITS_H_

#include "kinformer/base/result.h"

#include "apiserver/plugins/admission_plugins.h"
#include "apiserver/store/stored_object.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/request/admitted.h"

namespace kinformer::apiserver {

// Succeed at once for users who are no kubelets, and without the plug-in.
[[nodiscard]] Result<void> CheckNodesDelete(const AdmissionPlugins& plugins,
                                            const WriteTarget& target, const StoredObject& stored);
[[nodiscard]] Result<void> CheckNodesCreate(const AdmissionPlugins& plugins,
                                            UnstoredCreate& create);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_NODE_LIMITS_H_
