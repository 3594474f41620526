package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
)

// commentIndex holds the marker comments ("+listType=map") of types and fields, which reflection does not see.
type commentIndex struct {
	types  map[string][]string // by "path.Type"
	fields map[string][]string // by "path.Type.Field"
}

func readComments() (*commentIndex, error) {
	index := &commentIndex{types: map[string][]string{}, fields: map[string][]string{}}
	args := []string{"list", "-f", "{{.ImportPath}} {{.Dir}}"}
	for _, p := range packages {
		args = append(args, p.path)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, dir, _ := strings.Cut(line, " ")
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			base := filepath.Base(name)
			if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "zz_") || strings.HasPrefix(base, "generated") {
				continue
			}
			if err := index.readFile(path, name); err != nil {
				return nil, err
			}
		}
	}
	return index, nil
}

func (index *commentIndex) readFile(path, name string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			ts := spec.(*ast.TypeSpec)
			// Markers may stand in a block of their own above the documentation.
			start := set.Position(gen.Pos()).Line
			var text []string
			for i := len(file.Comments) - 1; i >= 0; i-- {
				group := file.Comments[i]
				last := set.Position(group.End()).Line
				if group.End() < gen.Pos() && start-last <= 2 {
					text = append(text, markers(group)...)
					start = set.Position(group.Pos()).Line
				}
			}
			index.types[path+"."+ts.Name.Name] = text
			st, ok := ts.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, f := range st.Fields.List {
				for _, n := range f.Names {
					index.fields[path+"."+ts.Name.Name+"."+n.Name] = markers(f.Doc)
				}
			}
		}
	}
	return nil
}

func markers(group *ast.CommentGroup) []string {
	if group == nil {
		return nil
	}
	var out []string
	for _, c := range group.List {
		text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
		if strings.HasPrefix(text, "+") {
			out = append(out, strings.TrimPrefix(text, "+"))
		}
	}
	return out
}

// clientFlags tells of a kind whether clients are generated for it, and whether it lives outside namespaces.
func (index *commentIndex) clientFlags(t reflect.Type) []string {
	var flags []string
	for _, m := range index.types[t.PkgPath()+"."+t.Name()] {
		switch m {
		case "genclient":
			flags = append(flags, "client")
		case "genclient:nonNamespaced":
			flags = append(flags, "nonNamespaced")
		}
	}
	return flags
}

// fieldFlags gives a list's type and keys.
func (index *commentIndex) fieldFlags(t reflect.Type, field string) []string {
	var flags []string
	for _, m := range index.fields[t.PkgPath()+"."+t.Name()+"."+field] {
		key, value, _ := strings.Cut(m, "=")
		if key == "listType" || key == "listMapKey" || key == "mapType" || key == "structType" {
			flags = append(flags, key+"="+strings.TrimSpace(value))
		}
	}
	return flags
}
