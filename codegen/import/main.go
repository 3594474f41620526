// import writes the schema tables in schema/: what the published Kubernetes API types say about messages, fields and
// kinds, and what a real API server's discovery says about resources.
//
//	go run . -out ../../schema
//	go run . -out ../../schema -kubeconfig all.kubeconfig -default-kubeconfig default.kubeconfig
//
// The first form reads only the Go modules named in go.mod and gives the same bytes every time. The second also asks
// two servers, one that serves every group-version and one with default settings, and rewrites resources.tsv.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "the folder for the tables")
	kubeconfig := flag.String("kubeconfig", "", "a server with all APIs switched on; its discovery gives resources.tsv")
	defaults := flag.String("default-kubeconfig", "", "a server with default settings; what it serves is marked `default`")
	flag.Parse()
	if *out == "" {
		log.Fatal("import: -out is needed")
	}
	tables, err := importTypes()
	if err != nil {
		log.Fatalf("import: %v", err)
	}
	for _, t := range tables {
		if err := writeTable(filepath.Join(*out, t.alias+".tsv"), t.lines); err != nil {
			log.Fatalf("import: %v", err)
		}
	}
	if *kubeconfig == "" {
		return
	}
	lines, err := importResources(*kubeconfig, *defaults)
	if err != nil {
		log.Fatalf("import: %v", err)
	}
	if err := writeTable(filepath.Join(*out, "resources.tsv"), lines); err != nil {
		log.Fatalf("import: %v", err)
	}
}

func writeTable(path string, lines [][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, l := range lines {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(l, "\t"), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
