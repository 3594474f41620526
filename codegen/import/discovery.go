package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

type groupDiscovery struct {
	Items []struct {
		Metadata struct{ Name string }
		Versions []struct {
			Version   string
			Resources []struct {
				Resource         string
				ResponseKind     *gvk
				Scope            string
				SingularResource string
				Verbs            []string
				ShortNames       []string
				Categories       []string
				Subresources     []struct {
					Subresource  string
					ResponseKind *gvk
					Verbs        []string
				}
			}
		}
	}
}

type gvk struct{ Group, Version, Kind string }

func (k *gvk) String() string {
	if k == nil {
		return "-"
	}
	return k.Group + "/" + k.Version + "/" + k.Kind
}

// importResources asks the server behind kubeconfig what it serves, and marks what the one behind defaults serves too.
func importResources(kubeconfig, defaults string) ([][]string, error) {
	byDefault := map[string]bool{}
	if defaults != "" {
		err := discover(defaults, func(group string, d groupDiscovery) {
			for _, item := range d.Items {
				for _, v := range item.Versions {
					byDefault[item.Metadata.Name+"/"+v.Version] = true
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	var lines [][]string
	add := func(_ string, d groupDiscovery) {
		for order, item := range d.Items {
			for rank, v := range item.Versions {
				on := "optional"
				if byDefault[item.Metadata.Name+"/"+v.Version] {
					on = "default"
				}
				lines = append(lines, []string{"version", item.Metadata.Name, v.Version, fmt.Sprint(order), fmt.Sprint(rank), on})
				sort.Slice(v.Resources, func(i, j int) bool { return v.Resources[i].Resource < v.Resources[j].Resource })
				for _, r := range v.Resources {
					lines = append(lines, []string{"resource", item.Metadata.Name, v.Version, r.Resource, r.ResponseKind.String(), r.Scope,
						r.SingularResource, list(r.Verbs), list(r.ShortNames), list(r.Categories)})
					for _, s := range r.Subresources {
						lines = append(lines, []string{"subresource", item.Metadata.Name, v.Version, r.Resource + "/" + s.Subresource,
							s.ResponseKind.String(), list(s.Verbs)})
					}
				}
			}
		}
	}
	lines = append(lines,
		[]string{"# What a real API server serves, written by codegen/import. Not to be edited."},
		[]string{"# version: group, version, order of the group, rank in the group, served by default or only when switched on"},
		[]string{"# resource: group, version, plural, kind, scope, singular, verbs, short names, categories"},
		[]string{"# subresource: group, version, plural/subresource, kind, verbs"})
	if err := discover(kubeconfig, add); err != nil {
		return nil, err
	}
	return lines, nil
}

func list(items []string) string {
	if len(items) == 0 {
		return "-"
	}
	return strings.Join(items, ",")
}

func discover(kubeconfig string, use func(string, groupDiscovery)) error {
	client, server, err := connect(kubeconfig)
	if err != nil {
		return fmt.Errorf("%s: %w", kubeconfig, err)
	}
	for _, root := range []string{"/api", "/apis"} {
		request, err := http.NewRequest("GET", server+root, nil)
		if err != nil {
			return err
		}
		request.Header.Set("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s: %s", root, response.Status)
		}
		var d groupDiscovery
		if err := json.Unmarshal(body, &d); err != nil {
			return fmt.Errorf("GET %s: %w", root, err)
		}
		use(root, d)
	}
	return nil
}

// connect reads just what a test server's kubeconfig holds: one cluster and one user with a client certificate.
func connect(path string) (*http.Client, string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	var config struct {
		Clusters []struct {
			Cluster struct {
				Server string `json:"server"`
				CA     string `json:"certificate-authority"`
				CAData string `json:"certificate-authority-data"`
			} `json:"cluster"`
		} `json:"clusters"`
		Users []struct {
			User struct {
				Cert     string `json:"client-certificate"`
				CertData string `json:"client-certificate-data"`
				Key      string `json:"client-key"`
				KeyData  string `json:"client-key-data"`
			} `json:"user"`
		} `json:"users"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return nil, "", err
	}
	if len(config.Clusters) != 1 || len(config.Users) != 1 {
		return nil, "", fmt.Errorf("one cluster and one user are expected")
	}
	cluster, user := config.Clusters[0].Cluster, config.Users[0].User
	ca, err := fileOrData(cluster.CA, cluster.CAData)
	if err != nil {
		return nil, "", err
	}
	cert, err := fileOrData(user.Cert, user.CertData)
	if err != nil {
		return nil, "", err
	}
	key, err := fileOrData(user.Key, user.KeyData)
	if err != nil {
		return nil, "", err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, "", err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}}
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}, cluster.Server, nil
}

func fileOrData(file, data string) ([]byte, error) {
	if data != "" {
		return base64.StdEncoding.DecodeString(data)
	}
	return os.ReadFile(file)
}
