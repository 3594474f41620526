package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// checker sends to another server whatever the real one is asked, and compares what the two make of it.
type checker struct {
	server   string
	compared int
	refused  int            // by rules of the other that the real server applies only later
	failed   map[string]int // a line for each difference, and how often it was seen
	examples map[string]string
}

// compare: `sent` gave `want` on the real server; what the other gives must be the same but for what is done after decoding.
func (c *checker) compare(r *root, path string, sent []byte, want map[string]any) {
	response, err := http.Post(c.server+path+"?dryRun=All", "application/json", bytes.NewReader(sent))
	if err != nil {
		c.fail(r, "no answer", err.Error(), sent)
		return
	}
	body, _ := io.ReadAll(response.Body)
	response.Body.Close()
	var got map[string]any
	if code := response.StatusCode; code == 403 || code == 404 || code == 422 {
		c.refused++
		return
	}
	if err := json.Unmarshal(body, &got); err != nil || response.StatusCode != 201 {
		c.fail(r, fmt.Sprint("answers ", response.StatusCode), string(body), sent)
		return
	}
	c.compared++
	want = normal(want).(map[string]any)
	for _, object := range []map[string]any{want, got} {
		strip(r, object)
	}
	differences("", want, got, func(path, difference string) { c.fail(r, path, difference, sent) })
}

// compareCauses: what the real server says of a place without a member, the other should say too, and no more.
func (c *checker) compareCauses(at *place, member string, want []cause) {
	sent := []byte(text(at.object))
	response, err := http.Post(c.server+at.root.path()+"?dryRun=All", "application/json", bytes.NewReader(sent))
	if err != nil {
		c.fail(at.root, "no answer", err.Error(), sent)
		return
	}
	body, _ := io.ReadAll(response.Body)
	response.Body.Close()
	got, err := causesIn(response.StatusCode, body)
	if err != nil {
		c.fail(at.root, at.path+"."+member, err.Error(), sent)
		return
	}
	c.compared++
	for _, cause := range want {
		if at.concerns(member, cause) && !slices.Contains(got, cause) {
			c.fail(at.root, at.path+"."+member, "lacks "+fmt.Sprint(cause), sent)
		}
	}
	for _, cause := range got {
		if !slices.Contains(want, cause) {
			c.fail(at.root, at.path+"."+member, "has "+fmt.Sprint(cause), sent)
		}
	}
}

func (c *checker) fail(r *root, path, difference string, sent []byte) {
	line := r.scope() + " " + path + ": " + difference
	if len(line) > 300 {
		line = line[:300]
	}
	c.failed[line]++
	c.examples[line] = string(sent)
}

func (c *checker) report() error {
	fmt.Printf("%d objects compared, %d refused, %d differences\n", c.compared, c.refused, len(c.failed))
	if c.refused > c.compared/4 {
		return fmt.Errorf("too many objects are refused")
	}
	lines := make([]string, 0, len(c.failed))
	for line := range c.failed {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	for _, line := range lines {
		example := c.examples[line]
		fmt.Printf("%5d × %s\n        e.g. %s\n", c.failed[line], line, example[:min(len(example), 300)])
	}
	if len(c.failed) > 0 {
		return fmt.Errorf("%d differences", len(c.failed))
	}
	return nil
}

// strip takes away what a server does after it has decoded an object, and what is its own affair.
func strip(r *root, object map[string]any) {
	delete(object, "kind")
	delete(object, "apiVersion")
	delete(object, "metadata")
	delete(object, "status")
	spec, _ := object["spec"].(map[string]any)
	switch r.scope() {
	case "v1 Pod":
		delete(spec, "priority")
		delete(spec, "preemptionPolicy")
		delete(spec, "tolerations")
	case "v1 Service":
		for _, name := range []string{"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"} {
			delete(spec, name)
		}
		ports, _ := spec["ports"].([]any)
		for _, port := range ports {
			if port, ok := port.(map[string]any); ok {
				delete(port, "nodePort")
			}
		}
	case "resource.k8s.io/v1 ResourceSlice", "resource.k8s.io/v1beta1 ResourceSlice", "resource.k8s.io/v1beta2 ResourceSlice",
		"resource.k8s.io/v1alpha3 DeviceTaintRule", "resource.k8s.io/v1beta2 DeviceTaintRule":
		dropAll(object, "timeAdded") // the time of the request
	case "v1 Namespace":
		delete(spec, "finalizers")
	case "v1 ServiceAccount": // of whose secrets only the names are kept
		secrets, _ := object["secrets"].([]any)
		for i, secret := range secrets {
			if secret, ok := secret.(map[string]any); ok {
				secrets[i] = map[string]any{"name": secret["name"]}
			}
		}
	case "certificates.k8s.io/v1 CertificateSigningRequest":
		for _, name := range []string{"username", "uid", "groups", "extra"} { // who asks is filled in
			delete(spec, name)
		}
	case "batch/v1 Job":
		delete(spec, "selector")
		if template, ok := spec["template"].(map[string]any); ok {
			delete(template, "metadata")
		}
	}
}

func dropAll(value any, name string) {
	switch value := value.(type) {
	case map[string]any:
		delete(value, name)
		for _, inner := range value {
			dropAll(inner, name)
		}
	case []any:
		for _, inner := range value {
			dropAll(inner, name)
		}
	}
}

func differences(path string, want, got any, say func(path, difference string)) {
	if reflect.DeepEqual(want, got) {
		return
	}
	wantMap, a := want.(map[string]any)
	gotMap, b := got.(map[string]any)
	if a && b {
		for name, value := range wantMap {
			if other, ok := gotMap[name]; ok {
				differences(path+"."+name, value, other, say)
			} else {
				say(path+"."+name, "lacks "+text(value))
			}
		}
		for name, value := range gotMap {
			if _, ok := wantMap[name]; !ok {
				say(path+"."+name, "has "+text(value))
			}
		}
		return
	}
	wantList, a := want.([]any)
	gotList, b := got.([]any)
	if a && b && len(wantList) == len(gotList) {
		for i := range wantList {
			differences(path+"[]", wantList[i], gotList[i], say)
		}
		return
	}
	say(path, text(got)+", not "+text(want))
}

// checkFiles compares the objects of a folder of JSON files named after their kinds.
func checkFiles(s *schema, p *prober, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no JSON files in %q", dir)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var object map[string]any
		if err := json.Unmarshal(data, &object); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		apiVersion, _ := object["apiVersion"].(string)
		kind, _ := object["kind"].(string)
		at := slices.IndexFunc(s.roots, func(r *root) bool { return r.scope() == apiVersion+" "+kind })
		if at < 0 {
			continue
		}
		object["metadata"] = map[string]any{}
		// Names of things that are not there.
		dropAll(object, "priorityClassName")
		dropAll(object, "priority")
		dropAll(object, "nodePort")
		if spec, ok := object["spec"].(map[string]any); ok && kind == "Pod" {
			delete(spec, "resources") // of resources that pods as a whole cannot have
		}
		if _, err := p.object(s.roots[at], object); err != nil && s.roots[at].shown() {
			fmt.Fprintln(os.Stderr, filepath.Base(file), strings.TrimSpace(err.Error()))
		}
	}
	return nil
}
