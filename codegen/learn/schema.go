package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// field is a member of a message in JSON; those of inlined messages stand in the message that has them.
type field struct {
	name     string
	kind     string // string, int32, message, quantity ...
	message  *message
	repeated bool
	isMap    bool
	pointer  bool
	enum     []string // filled in from the server's OpenAPI
}

// plain: absent and zero are the same, and a message is always there.
func (f *field) plain() bool { return !f.repeated && !f.isMap && !f.pointer }

type message struct {
	name   string // k8s.io.api.core.v1.PodSpec
	fields []*field
	raw    []rawField
}

// short is the name without its package.
func (m *message) short() string { return m.name[strings.LastIndex(m.name, ".")+1:] }

func (m *message) field(name string) *field {
	for _, f := range m.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

type rawField struct {
	field       field
	messageName string
	inline      bool
}

// root is a resource that can be created.
type root struct {
	group, version, plural string
	kindName               string
	kind                   *message
	namespaced             bool
}

func (r *root) apiVersion() string {
	if r.group == "" {
		return r.version
	}
	return r.group + "/" + r.version
}

func (r *root) scope() string { return r.apiVersion() + " " + r.kindName }

func (r *root) path() string {
	path := "/apis/" + r.apiVersion()
	if r.group == "" {
		path = "/api/" + r.version
	}
	if r.namespaced {
		path += "/namespaces/default"
	}
	return path + "/" + r.plural
}

type schema struct {
	messages map[string]*message
	roots    []*root
}

func readSchema(dir string) (*schema, error) {
	s := &schema{messages: map[string]*message{}}
	kinds := map[string]*message{} // group/version/kind
	files, err := filepath.Glob(filepath.Join(dir, "*.tsv"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no tables in %q", dir)
	}
	for _, file := range files {
		if base := filepath.Base(file); base == "resources.tsv" || base == "defaults.tsv" || base == "required.tsv" || base == "values.tsv" {
			continue
		}
		if err := s.readPackage(file, kinds); err != nil {
			return nil, err
		}
	}
	for _, m := range s.messages {
		m.fields = s.flatten(m)
	}
	return s, s.readResources(filepath.Join(dir, "resources.tsv"), kinds)
}

func readLines(file string, each func(part []string)) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line != "" && line[0] != '#' {
			each(strings.Split(line, "\t"))
		}
	}
	return nil
}

func (s *schema) readPackage(file string, kinds map[string]*message) error {
	var pkg, group, version string
	var m *message
	return readLines(file, func(part []string) {
		switch part[0] {
		case "package":
			pkg, group, version = part[1], part[2], part[3]
		case "message":
			m = &message{name: pkg + "." + part[1]}
			s.messages[m.name] = m
			kinds[group+"/"+version+"/"+part[1]] = m
		case "field":
			var flags []string
			if len(part) > 5 {
				flags = strings.Split(part[5], ",")
			}
			m.raw = append(m.raw, rawField{
				field: field{name: part[2], kind: part[3], repeated: slices.Contains(flags, "repeated"),
					isMap: slices.Contains(flags, "map"), pointer: slices.Contains(flags, "pointer")},
				messageName: part[4], inline: slices.Contains(flags, "inline")})
		}
	})
}

func (s *schema) flatten(m *message) []*field {
	var out []*field
	for _, raw := range m.raw {
		f := raw.field
		if f.kind == "message" {
			f.message = s.messages[raw.messageName]
		}
		if raw.inline {
			out = append(out, s.flatten(f.message)...)
			continue
		}
		out = append(out, &f)
	}
	return out
}

func (s *schema) readResources(file string, kinds map[string]*message) error {
	return readLines(file, func(part []string) {
		if part[0] != "resource" {
			return
		}
		if !slices.ContainsFunc(part, func(p string) bool {
			verbs := strings.Split(p, ",")
			return slices.Contains(verbs, "create") && slices.Contains(verbs, "get")
		}) {
			return
		}
		r := &root{group: part[1], version: part[2], plural: part[3], namespaced: part[5] == "Namespaced"}
		gvk := strings.Split(part[4], "/")
		r.kindName = gvk[2]
		group, version := gvk[0], gvk[1]
		if version == "" {
			group, version = r.group, r.version
		}
		if r.kind = kinds[group+"/"+version+"/"+r.kindName]; r.kind != nil {
			s.roots = append(s.roots, r)
		}
	})
}
