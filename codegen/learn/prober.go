package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// prober sends objects to the server and gives back what the server makes of them before it looks whether they are valid.
type prober struct {
	server string
	client *http.Client
	check  *checker // nil: none
	hook   *http.Server

	mu    sync.Mutex
	seen  map[string]map[string]any // by metadata.name
	count int
}

var probedFirst = &root{version: "v1", plural: "configmaps", kindName: "ConfigMap", namespaced: true}

const hookName = "learn.example.com"

func newProber(server, data string) (*prober, error) {
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
	p := &prober{server: server, seen: map[string]map[string]any{}}
	p.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{cert}}, ForceAttemptHTTP2: true}}
	url, bundle, err := p.serveHook()
	if err != nil {
		return nil, err
	}
	return p, p.installHook(url, bundle)
}

// serveHook starts the webhook and says where it is and how it is known.
func (p *prober) serveHook() (string, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "learn"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true,
		BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	p.hook = &http.Server{Handler: http.HandlerFunc(p.review),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}}
	go p.hook.ServeTLS(listener, "", "")
	return "https://" + listener.Addr().String() + "/", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), nil
}

func (p *prober) review(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Request struct {
			UID    string         `json:"uid"`
			Object map[string]any `json:"object"`
		} `json:"request"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	name := nameOf(in.Request.Object)
	allowed := !strings.HasPrefix(name, "probe-")
	if !allowed {
		p.mu.Lock()
		p.seen[name] = in.Request.Object
		p.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
		"response": map[string]any{"uid": in.Request.UID, "allowed": allowed}})
}

func nameOf(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}

func (p *prober) installHook(url string, bundle []byte) error {
	const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
	p.call("DELETE", path+"/"+hookName, nil)
	code, body, err := p.call("POST", path, map[string]any{
		"metadata": map[string]any{"name": hookName},
		"webhooks": []any{map[string]any{"name": hookName, "clientConfig": map[string]any{"url": url, "caBundle": bundle},
			"rules": []any{map[string]any{"apiGroups": []string{"*"}, "apiVersions": []string{"*"}, "operations": []string{"CREATE"},
				"resources": []string{"*"}}},
			"matchPolicy": "Exact", "sideEffects": "None", "admissionReviewVersions": []string{"v1"}}}})
	if err != nil || code != 201 {
		return fmt.Errorf("the webhook cannot be registered: %d %s %v", code, body, err)
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if got, err := p.object(probedFirst, map[string]any{}); err == nil && got != nil {
			return nil
		}
	}
	return fmt.Errorf("the server does not call the webhook")
}

func (p *prober) close() {
	p.call("DELETE", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/"+hookName, nil)
	p.hook.Close()
}

func (p *prober) call(method, path string, body any) (int, []byte, error) {
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, p.server+path, reader)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := p.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// object gives what becomes of an object; nil: the server did not show it, and the error says what it answered.
func (p *prober) object(r *root, object map[string]any) (map[string]any, error) {
	p.mu.Lock()
	p.count++
	name := fmt.Sprintf("probe-%d", p.count)
	p.mu.Unlock()
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	metadata["name"] = name
	code, body, err := p.call("POST", r.path()+"?dryRun=All", object)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.seen[name]
	delete(p.seen, name)
	defer func() {
		if seen != nil && p.check != nil {
			p.check.compare(r, r.path(), []byte(text(object)), seen)
		}
	}()
	if seen == nil && !r.shown() && code == 201 {
		err = json.Unmarshal(body, &seen)
	} else if seen == nil {
		err = fmt.Errorf("%d %s", code, body)
	}
	return seen, err
}

func (p *prober) version() (string, error) {
	_, body, err := p.call("GET", "/version", nil)
	if err != nil {
		return "", err
	}
	var v struct {
		GitVersion string `json:"gitVersion"`
	}
	return v.GitVersion, json.Unmarshal(body, &v)
}

// readEnums takes the values that strings may have from the server's OpenAPI documents.
func (p *prober) readEnums(s *schema) error {
	_, body, err := p.call("GET", "/openapi/v3", nil)
	if err != nil {
		return err
	}
	var index struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	if err := json.Unmarshal(body, &index); err != nil {
		return err
	}
	for _, at := range index.Paths {
		_, body, err := p.call("GET", at.ServerRelativeURL, nil)
		if err != nil {
			return err
		}
		var doc struct {
			Components struct {
				Schemas map[string]struct {
					Properties map[string]struct{ Enum []any }
				}
			}
		}
		if err := json.Unmarshal(body, &doc); err != nil {
			return err
		}
		for name, schema := range doc.Components.Schemas {
			m := s.messages[strings.Replace(name, "io.k8s.", "k8s.io.", 1)]
			if m == nil {
				continue
			}
			for property, definition := range schema.Properties {
				f := m.field(property)
				if f == nil || len(f.enum) > 0 || len(definition.Enum) > 12 {
					continue
				}
				for _, value := range definition.Enum {
					if text, ok := value.(string); ok && text != "" {
						f.enum = append(f.enum, text)
					}
				}
			}
		}
	}
	return nil
}
