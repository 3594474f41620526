// A receiver of OTLP with the OpenTelemetry collector's own parser (pdata), and checks of what a program
// sends to it.
//
//	collector PROGRAM [ARGUMENT...]  runs PROGRAM with the receiver's address in its environment, and
//	                                 checks its spans at its end
//	collector                        takes spans until it is interrupted, for benchmarks; prints the
//	                                 address first, and at the end how many came
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What the program is to send in its header, by OTEL_EXPORTER_OTLP_HEADERS.
const (
	headers     = "x-scene=a%2Cb"
	headerName  = "x-scene"
	headerValue = "a,b"
	service     = "traced"
)

// A span with the attributes of its resource.
type span struct {
	ptrace.Span
	service string
}

type collected struct {
	mutex     sync.Mutex
	spans     []span
	noHeader  int
	counted   atomic.Int64
	onlyCount bool
}

func (c *collected) take(header []string, traces ptrace.Traces) {
	c.counted.Add(int64(traces.SpanCount()))
	if c.onlyCount {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(header) != 1 || header[0] != headerValue {
		c.noHeader++
	}
	for _, resource := range traces.ResourceSpans().All() {
		name, _ := resource.Resource().Attributes().Get("service.name")
		for _, scope := range resource.ScopeSpans().All() {
			for _, one := range scope.Spans().All() {
				copied := ptrace.NewSpan()
				one.CopyTo(copied)
				c.spans = append(c.spans, span{copied, name.AsString()})
			}
		}
	}
}

// start begins to receive, and returns the URL and what ends it.
func start(c *collected) (string, func(), error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(answer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err == nil && request.Header.Get("Content-Type") != "application/json" {
			err = errors.New("the content type is not application/json")
		}
		var traces ptrace.Traces
		if err == nil {
			traces, err = (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
		}
		if err != nil {
			http.Error(answer, err.Error(), http.StatusBadRequest)
			return
		}
		c.take(request.Header.Values(headerName), traces)
		answer.Header().Set("Content-Type", "application/json")
		_, _ = answer.Write([]byte("{}"))
	})
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

func text(s span, name string) string {
	value, _ := s.Attributes().Get(name)
	return value.AsString()
}

// check returns what is wrong with the spans of a traced operator.
func check(c *collected) []string {
	var wrong []string
	say := func(format string, arguments ...any) {
		wrong = append(wrong, fmt.Sprintf(format, arguments...))
	}
	byID := map[string]span{}
	for _, s := range c.spans {
		id := s.SpanID().String()
		if _, twice := byID[id]; twice {
			say("%s: the id %s came twice", s.Name(), id)
		}
		byID[id] = s
		if s.TraceID().IsEmpty() || s.SpanID().IsEmpty() {
			say("%s has no id", s.Name())
		}
		if s.StartTimestamp() == 0 || s.EndTimestamp() < s.StartTimestamp() {
			say("%s: from %v to %v", s.Name(), s.StartTimestamp(), s.EndTimestamp())
		}
		if s.service != service {
			say("%s: service.name is %q", s.Name(), s.service)
		}
	}
	if c.noHeader > 0 {
		say("%d requests lack the header %s", c.noHeader, headerName)
	}
	reconciles, requests, linked, failed := 0, 0, 0, 0
	for _, s := range c.spans {
		if !s.ParentSpanID().IsEmpty() {
			parent, found := byID[s.ParentSpanID().String()]
			if !found {
				say("%s has a parent that was not sent", s.Name())
			} else if parent.TraceID() != s.TraceID() {
				say("%s is in another trace than its parent %s", s.Name(), parent.Name())
			} else if parent.Name() == "mark" && s.Kind() == ptrace.SpanKindClient {
				requests++
			}
		}
		for _, link := range s.Links().All() {
			if _, found := byID[link.SpanID().String()]; !found {
				say("%s has a link to a span that was not sent", s.Name())
			}
		}
		if strings.HasPrefix(s.Name(), "reconcile ") {
			reconciles++
			if s.Links().Len() > 0 {
				linked++
			}
			if s.Status().Code() == ptrace.StatusCodeError && text(s, "kinformer.result") == "error" {
				failed++
			}
			if text(s, "kinformer.reconcile_id") == "" || text(s, "kinformer.key") == "" {
				say("%s lacks attributes", s.Name())
			}
		}
	}
	for what, count := range map[string]int{"reconciles": reconciles, "requests of reconciles": requests,
		"links to the reconcile before": linked, "failed reconciles": failed} {
		if count == 0 {
			say("there are no %s", what)
		}
	}
	for _, prefix := range []string{"watch-list ", "watch ", "election acquire", "GET ", "PUT "} {
		found := false
		for _, s := range c.spans {
			found = found || strings.HasPrefix(s.Name(), prefix)
		}
		if !found {
			say("no span begins with %q", prefix)
		}
	}
	sort.Strings(wrong)
	return wrong
}

func run() error {
	c := &collected{onlyCount: len(os.Args) < 2}
	url, stop, err := start(c)
	if err != nil {
		return err
	}
	defer stop()
	if c.onlyCount {
		fmt.Println(url)
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		<-interrupted
		fmt.Printf("%d spans\n", c.counted.Load())
		return nil
	}
	program := exec.Command(os.Args[1], os.Args[2:]...)
	program.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+url,
		"OTEL_EXPORTER_OTLP_HEADERS="+headers, "OTEL_SERVICE_NAME="+service)
	program.Stdout, program.Stderr = os.Stdout, os.Stderr
	if err := program.Run(); err != nil {
		return err
	}
	names := map[string]int{}
	for _, s := range c.spans {
		names[s.Name()]++
	}
	for name, count := range names {
		fmt.Printf("%4d %s\n", count, name)
	}
	wrong := check(c)
	for _, line := range wrong {
		fmt.Println("WRONG:", line)
	}
	if len(wrong) > 0 {
		return errors.New("the spans are not as they should be")
	}
	fmt.Printf("%d spans are well\n", len(c.spans))
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
