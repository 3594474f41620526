#ifndef EXAMPLES_OPERATOR_WEBSITE_WEBHOOKS_H_
#define EXAMPLES_OPERATOR_WEBSITE_WEBHOOKS_H_

#include "kinformer/result.h"
#include "kinformer/webhook_certificates.h"
#include "kinformer/webhook_server.h"

// Who may pose as these webhooks: see manifests/operator.yaml, which names the same objects.
kinformer::WebhookCertificatesOptions WebsiteCertificates();

// A Website has one pod if it does not say otherwise, and must have a page.
kinformer::Result<void> RegisterWebsiteWebhooks(kinformer::WebhookServer& webhooks);

#endif  // EXAMPLES_OPERATOR_WEBSITE_WEBHOOKS_H_
