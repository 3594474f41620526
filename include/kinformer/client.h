// kinformer/client.h
//
// All public headers of the group client.

#ifndef KINFORMER_CLIENT_H_
#define KINFORMER_CLIENT_H_

#include "kinformer/client/api_resource.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/async_discovery.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/client.h"
#include "kinformer/client/clientcmd.h"
#include "kinformer/client/clientcmd_api.h"
#include "kinformer/client/clientcmd_flags.h"
#include "kinformer/client/config.h"
#include "kinformer/client/csaupgrade.h"
#include "kinformer/client/deletion.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/list_pager.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/managedfields.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/pod_logs.h"
#include "kinformer/client/port_forward.h"
#include "kinformer/client/remote_command.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/request_record.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/rest_mapper.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/client/rest_request.h"
#include "kinformer/client/retry.h"
#include "kinformer/client/retry_watcher.h"
#include "kinformer/client/scale_client.h"
#include "kinformer/client/transport.h"
#include "kinformer/client/transport_wrapper.h"
#include "kinformer/client/wait_conditions.h"
#include "kinformer/client/watcher.h"

#endif  // KINFORMER_CLIENT_H_
