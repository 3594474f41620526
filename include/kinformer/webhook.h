// kinformer/webhook.h
//
// All public headers of the group webhook.

#ifndef KINFORMER_WEBHOOK_H_
#define KINFORMER_WEBHOOK_H_

#include "kinformer/webhook/admission.h"
#include "kinformer/webhook/admission_defaulter.h"
#include "kinformer/webhook/admission_validator.h"
#include "kinformer/webhook/authentication.h"
#include "kinformer/webhook/conversion.h"
#include "kinformer/webhook/user_info.h"
#include "kinformer/webhook/webhook_call.h"
#include "kinformer/webhook/webhook_certificates.h"
#include "kinformer/webhook/webhook_listener.h"
#include "kinformer/webhook/webhook_server.h"

#endif  // KINFORMER_WEBHOOK_H_
