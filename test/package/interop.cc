// A header for another library, as installed: kinformer's own package knows nothing of that one.

#include "kinformer/interop/fmt.h"

int main() { fmt::print("{}\n", kinformer::ObjectName{"default", "web-0"}); }
