// kinformer/controller.h
//
// All public headers of the group controller.

#ifndef KINFORMER_CONTROLLER_H_
#define KINFORMER_CONTROLLER_H_

#include "kinformer/controller/async_delegating_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/cache_checks.h"
#include "kinformer/controller/cached_resource_client.h"
#include "kinformer/controller/causes.h"
#include "kinformer/controller/cluster.h"
#include "kinformer/controller/controller.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/delegating_client_options.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/controller/fights.h"
#include "kinformer/controller/finalizers.h"
#include "kinformer/controller/handler.h"
#include "kinformer/controller/manager.h"
#include "kinformer/controller/merge_from.h"
#include "kinformer/controller/meta.h"
#include "kinformer/controller/object_reconciler.h"
#include "kinformer/controller/pace.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/controller/request_queue.h"
#include "kinformer/controller/runnable.h"
#include "kinformer/controller/source.h"

#endif  // KINFORMER_CONTROLLER_H_
