// kinformer/certificate.h
//
// All public headers of the group certificate.

#ifndef KINFORMER_CERTIFICATE_H_
#define KINFORMER_CERTIFICATE_H_

#include "kinformer/certificate/cert.h"
#include "kinformer/certificate/certificate_manager.h"
#include "kinformer/certificate/certificate_store.h"
#include "kinformer/certificate/csr.h"

#endif  // KINFORMER_CERTIFICATE_H_
