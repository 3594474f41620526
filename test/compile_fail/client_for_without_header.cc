// The error of For names the header that is missing.
// first: For needs the header of what it gives: #include "kinformer/client/resource_client.h"

#include "kinformer/api/corev1.h"
#include "kinformer/client/client.h"
#ifdef CORRECT
#include "kinformer/client/resource_client.h"
#endif

bool Use(const kinformer::Client& client) {
  return client.For<kinformer::corev1::Pod>("default").Get("web-0").ok();
}
