#ifndef EXAMPLES_OPERATOR_WEBSITE_WEBHOOKS_H_
#define EXAMPLES_OPERATOR_WEBSITE_WEBHOOKS_H_

#include "kinformer/base/result.h"
#include "kinformer/webhook/webhook_certificates.h"
#include "kinformer/webhook/webhook_server.h"

// Certificates of the webhooks; manifests/operator.yaml names the same objects.
kinformer::WebhookCertificatesOptions WebsiteCertificates();

// Defaults a Website to one pod, and requires a page.
kinformer::Result<void> RegisterWebsiteWebhooks(kinformer::WebhookServer& webhooks);

#endif  // EXAMPLES_OPERATOR_WEBSITE_WEBHOOKS_H_
