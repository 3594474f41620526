package main

import (
	_ "go.opentelemetry.io/collector/receiver/otlpreceiver"
	_ "go.opentelemetry.io/collector/component/componenttest"
	_ "go.opentelemetry.io/collector/consumer"
	_ "go.opentelemetry.io/collector/pdata/ptrace"
	_ "go.opentelemetry.io/collector/receiver/receivertest"
)

func main() {}
