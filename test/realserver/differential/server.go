package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type server struct {
	name   string
	url    string
	client *http.Client
	token  string
	user   string // is impersonated, with its groups
	groups []string
}

// as is the same server for a user; for its administrator if he has no name.
func (s *server) as(user string, groups []string) *server {
	out := *s
	out.user, out.groups = user, groups
	return &out
}

func (s *server) identify(request *http.Request) {
	if s.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.token)
	}
	if s.user != "" {
		request.Header.Set("Impersonate-User", s.user)
	}
	for _, group := range s.groups {
		request.Header.Add("Impersonate-Group", group)
	}
}

func newServer(name, url, data string) (*server, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	if data != "" {
		ca, err := os.ReadFile(filepath.Join(data, "ca.crt"))
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(ca)
		cert, err := tls.LoadX509KeyPair(filepath.Join(data, "admin.crt"), filepath.Join(data, "admin.key"))
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{cert}}
		transport.ForceAttemptHTTP2 = true
	}
	return &server{name: name, url: url, client: &http.Client{Transport: transport}}, nil
}

// answer is what a server said.
type answer struct {
	code   int
	body   any   // JSON; a string if it is none
	events []any // of watches
	// The texts of its Warning headers, sorted.
	warnings []any
}

func (s *server) do(method, path, contentType string, body []byte) (answer, error) {
	request, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	s.identify(request)
	response, err := s.client.Do(request)
	if err != nil && strings.Contains(err.Error(), "INTERNAL_ERROR") { // a handler of the real server that panics
		return answer{code: 500, body: "panic"}, nil
	}
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	out := answer{code: response.StatusCode, body: parse(text)}
	for _, warning := range slices.Sorted(slices.Values(response.Header["Warning"])) {
		out.warnings = append(out.warnings, warning)
	}
	return out, nil
}

func parse(text []byte) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(text)
	}
	return value
}

// A watch is over when nothing has come for this long: everything it can show has happened before it began.
const quiet = 350 * time.Millisecond

func (s *server) watch(path string) (answer, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
	if err != nil {
		return answer{}, err
	}
	s.identify(request)
	response, err := s.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		text, err := io.ReadAll(response.Body)
		return answer{code: response.StatusCode, body: parse(text)}, err
	}
	out := answer{code: 200, events: []any{}}
	timer := time.AfterFunc(quiet, cancel)
	defer timer.Stop()
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	for {
		var event any
		if decoder.Decode(&event) != nil {
			return out, nil
		}
		out.events = append(out.events, event)
		timer.Reset(quiet)
	}
}

const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,
"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}]}}`

// prepare makes the custom resources that sequences are about, too.
func (s *server) prepare() error {
	for plural, definition := range map[string]string{"widgets": definition, "gadgets": gadgetDefinition} {
		got, err := s.do("POST", definitionsPath, "application/json", []byte(definition))
		if err != nil {
			return err
		}
		if got.code != 201 && got.code != 409 {
			return fmt.Errorf("%s cannot be defined: %d %v", plural, got.code, got.body)
		}
		served := func() bool {
			got, err = s.do("GET", "/apis/example.com/v1/"+plural, "", nil)
			return err == nil && got.code == 200
		}
		for end := time.Now().Add(20 * time.Second); !served(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				return fmt.Errorf("%s are not served: %d %v", plural, got.code, got.body)
			}
		}
	}
	return nil
}

// The real server's controller that repairs the allocation of addresses writes an Event when a new Service is not in its cache yet.
// Sequences are about Events, too, so it is not let.
const silencePolicy = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"silence"},
"spec":{"failurePolicy":"Ignore","matchConstraints":{"resourceRules":[{"apiGroups":["","events.k8s.io"],"apiVersions":["v1"],
"operations":["CREATE"],"resources":["events"]}]},"validations":[{"expression":"!has(object.action) || object.action != 'ClusterIPAllocation'"}]}}`

const silenceBinding = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"silence"},
"spec":{"policyName":"silence","validationActions":["Deny"]}}`

// silence keeps the server from writing Events of its own, once it returns.
func (s *server) silence() error {
	const group = "/apis/admissionregistration.k8s.io/v1/"
	for path, body := range map[string]string{"validatingadmissionpolicies": silencePolicy, "validatingadmissionpolicybindings": silenceBinding} {
		got, err := s.do("POST", group+path, "application/json", []byte(body))
		if err != nil {
			return err
		}
		if got.code != 201 && got.code != 409 {
			return fmt.Errorf("the policy cannot be made: %d %v", got.code, got.body)
		}
	}
	const event = `{"metadata":{"generateName":"probe-"},"involvedObject":{"kind":"Service","namespace":"default","name":"probe"},
"action":"ClusterIPAllocation","reason":"Probe","type":"Normal","reportingComponent":"probe","reportingInstance":"probe","eventTime":"2026-01-02T03:04:05.000000Z"}`
	var got answer
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if got, err = s.do("POST", "/api/v1/namespaces/default/events?dryRun=All", "application/json", []byte(event)); err == nil && got.code == 422 {
			return nil
		}
	}
	return fmt.Errorf("the policy does not hold: %d %v", got.code, got.body)
}
