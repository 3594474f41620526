// peers runs the clients that people write in Go against an API server: client-go's informers and leader election, and
// controller-runtime's manager. Each check is a subcommand; it exits with 1 and a reason when the client sees what it should not,
// or does not see what it should in time.
//
//	peers CHECK [--kubeconfig FILE] [--protobuf] [--protocol HTTP/2.0]
//
// CHECK: probe (prints the protocol that the server offers), informer, dynamic, metadata, expired, faults, leader, manager;
// follow RESOURCE[/NAMESPACE]..., which is no check (follow.go); nor are reads and queues, benchmarks without a server
// (reads.go, queues.go), and controller and requests, benchmarks with bench_serve (controller.go, requests.go).
// WatchList is switched by the environment: KUBE_FEATURE_WatchListClient=true or false.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	protobuf = "application/vnd.kubernetes.protobuf"
	patience = 60 * time.Second
)

var checks = map[string]func(context.Context, *peer) error{
	"informer": informer,
	"dynamic":  dynamicInformer,
	"metadata": metadataInformer,
	"expired":  expired,
	"faults":   faults,
	"leader":   leader,
	"manager":  runManager,
}

// peer is what a check works with.
type peer struct {
	config *rest.Config
	seen   *wire
	client kubernetes.Interface
}

// wire notes what went over the connections, and can cut them.
type wire struct {
	mu        sync.Mutex
	protocols map[string]int
	types     map[string]int
	requests  []string
	held      bool // watches are refused
	cut       map[int]context.CancelFunc
	next      int
}

func newWire() *wire {
	return &wire{protocols: map[string]int{}, types: map[string]int{}, cut: map[int]context.CancelFunc{}}
}

type roundTripper struct {
	inner http.RoundTripper
	wire  *wire
}

var errHeld = errors.New("connection refused by the test")

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	watch := request.URL.Query().Get("watch") != "" && request.URL.Query().Get("watch") != "false"
	r.wire.mu.Lock()
	r.wire.requests = append(r.wire.requests, request.Method+" "+request.URL.RequestURI())
	if watch && r.wire.held {
		r.wire.mu.Unlock()
		return nil, errHeld
	}
	if watch {
		ctx, cancel := context.WithCancel(request.Context())
		request = request.WithContext(ctx)
		r.wire.cut[r.wire.next] = cancel
		r.wire.next++
	}
	r.wire.mu.Unlock()
	response, err := r.inner.RoundTrip(request)
	if err == nil {
		r.wire.mu.Lock()
		r.wire.protocols[response.Proto]++
		r.wire.types[strings.SplitN(response.Header.Get("Content-Type"), ";", 2)[0]]++
		r.wire.mu.Unlock()
	}
	return response, err
}

// hold ends all watches and lets no new one through until release.
func (w *wire) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = true
	for i, cancel := range w.cut {
		cancel()
		delete(w.cut, i)
	}
}

func (w *wire) release() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = false
}

// asked says whether a request was sent whose method and URL contain all the parts.
func (w *wire) asked(parts ...string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, request := range w.requests {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(request, part)
		}
		if all {
			return true
		}
	}
	return false
}

func (w *wire) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = nil
}

// until waits for the condition; what it says last becomes the error.
func until(ctx context.Context, what string, condition func() (bool, string)) error {
	deadline := time.After(patience)
	for {
		ok, state := condition()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-deadline:
			return fmt.Errorf("%s: not within %v; last: %s", what, patience, state)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// record is what an informer's handler was told, by key.
type record struct {
	mu      sync.Mutex
	added   map[string]int
	updated map[string]int
	deleted map[string]int
	resyncs int
	state   map[string]string // resourceVersion
	errors  []string
}

func newRecord() *record {
	return &record{added: map[string]int{}, updated: map[string]int{}, deleted: map[string]int{}, state: map[string]string{}}
}

func keyAndVersion(object any) (string, string) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return fmt.Sprintf("%T", object), ""
	}
	return accessor.GetNamespace() + "/" + accessor.GetName(), accessor.GetResourceVersion()
}

func (r *record) handler() cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			r.mu.Lock()
			defer r.mu.Unlock()
			key, version := keyAndVersion(object)
			if _, there := r.state[key]; there {
				r.errors = append(r.errors, "added twice: "+key)
			}
			r.added[key]++
			r.state[key] = version
		},
		UpdateFunc: func(old, object any) {
			r.mu.Lock()
			defer r.mu.Unlock()
			key, version := keyAndVersion(object)
			_, before := keyAndVersion(old)
			if r.state[key] != before {
				r.errors = append(r.errors, fmt.Sprintf("update of %s from %q, but the state was %q", key, before, r.state[key]))
			}
			if before == version {
				r.resyncs++
			} else {
				r.updated[key]++
			}
			r.state[key] = version
		},
		DeleteFunc: func(object any) {
			r.mu.Lock()
			defer r.mu.Unlock()
			key, _ := keyAndVersion(object)
			if _, there := r.state[key]; !there {
				r.errors = append(r.errors, "deleted, but not there: "+key)
			}
			r.deleted[key]++
			delete(r.state, key)
		},
	}
}

// is waits until the handler's state is exactly `want`: key and resourceVersion.
func (r *record) is(ctx context.Context, what string, want map[string]string) error {
	err := until(ctx, what, func() (bool, string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return same(r.state, want)
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.errors) > 0 {
		return errors.New(what + ": " + strings.Join(r.errors, "; "))
	}
	return err
}

func same(have, want map[string]string) (bool, string) {
	var odd []string
	for key, version := range want {
		if have[key] != version {
			odd = append(odd, fmt.Sprintf("%s is at %q, not at %q", key, have[key], version))
		}
	}
	for key := range have {
		if _, there := want[key]; !there {
			odd = append(odd, key+" is not on the server")
		}
	}
	sort.Strings(odd)
	if len(odd) > 3 {
		odd = append(odd[:3], fmt.Sprintf("and %d more", len(odd)-3))
	}
	return len(odd) == 0, strings.Join(odd, "; ")
}

func probe(config *rest.Config) error {
	address, err := url.Parse(config.Host)
	if err != nil {
		return err
	}
	offered := "HTTP/1.1"
	if address.Scheme == "https" {
		connection, err := tls.Dial("tcp", address.Host, &tls.Config{
			InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
		if err != nil {
			return err
		}
		defer connection.Close()
		if connection.ConnectionState().NegotiatedProtocol == "h2" {
			offered = "HTTP/2.0"
		}
	}
	fmt.Println(offered)
	return nil
}

func run() error {
	flags := flag.NewFlagSet("peers", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", os.Getenv("KUBECONFIG"), "the server to talk to")
	wantProtobuf := flags.Bool("protobuf", false, "typed clients ask for protobuf")
	events := flags.String("events", "", "follow: write what handlers are told to this file")
	workers := flags.Int("workers", 1, "controller: how many reconciles at a time")
	pods := flags.Int("pods", 100_000, "controller: how many pods the server has")
	rounds := flags.Int("rounds", 10, "controller: how often all of them are reconciled")
	changes := flags.Int("changes", 500, "controller: how many changes are waited for")
	requests := flags.Int("requests", 20_000, "requests: how many")
	atOnce := flags.Int("at-once", 1, "requests: how many at a time")
	protocol := flags.String("protocol", "", "all answers must have come in this one: HTTP/1.1 or HTTP/2.0")
	if len(os.Args) < 2 {
		return errors.New("usage: peers CHECK [flags]")
	}
	name := os.Args[1]
	_ = flags.Parse(os.Args[2:])
	if name == "reads" {
		reads(150_000, 15)
		return nil
	}
	if name == "queues" {
		queues(1_000_000)
		return nil
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	if name == "probe" {
		return probe(config)
	}
	if *wantProtobuf {
		config.AcceptContentTypes = protobuf + ",application/json"
		config.ContentType = protobuf
	} else {
		config.AcceptContentTypes = "application/json"
		config.ContentType = "application/json"
	}
	config.QPS, config.Burst = -1, -1
	if name == "controller" {
		return benchController(config, *workers, *pods, *rounds, *changes)
	}
	if name == "requests" {
		return benchRequests(config, *requests, *atOnce)
	}
	if name == "follow" {
		return follow(config, flags.Args(), *events)
	}
	check, there := checks[name]
	if !there {
		return fmt.Errorf("there is no check %q", name)
	}
	seen := newWire()
	config.WrapTransport = func(inner http.RoundTripper) http.RoundTripper { return roundTripper{inner, seen} }
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*patience)
	defer cancel()
	if err := check(ctx, &peer{config: config, seen: seen, client: client}); err != nil {
		return err
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for proto, count := range seen.protocols {
		if *protocol != "" && proto != *protocol {
			return fmt.Errorf("%d answers came in %s, not in %s", count, proto, *protocol)
		}
	}
	typed := name == "informer" || name == "expired" || name == "leader"
	if typed && *wantProtobuf != (seen.types[protobuf] > 0) {
		return fmt.Errorf("answers in protobuf: %d", seen.types[protobuf])
	}
	return nil
}

// errSkipped: the server does not offer what the check needs.
var errSkipped = errors.New("skipped")

func main() {
	switch err := run(); {
	case errors.Is(err, errSkipped):
		fmt.Println(err)
		os.Exit(77)
	case err != nil:
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}
