// Command learn asks a running kube-apiserver which values it fills into objects, and writes them as a table.
//
//	learn -schema ../../schema -server URL -data DATA_DIR -out ../../schema/defaults.tsv
//	learn -schema ../../schema -server URL -data DATA_DIR -check URL_OF_OURS [-objects DIR]
//
//	learn -schema ../../schema -server URL -data DATA_DIR -record ../../server/apiserver/builtin/defaults_cases.txt
//	learn -schema ../../schema -server URL -data DATA_DIR -required valid_objects.txt -out ../../schema/required.tsv
//	learn -schema ../../schema -server URL -data DATA_DIR -values valid_objects.txt -out ../../schema/values.tsv
//
// The second form asks the same of the embedded server as well, and says what it answers differently. The
// third writes into a file of cases what the real server makes of each. The fourth takes valid objects apart, member by member,
// and writes what the server then misses. The fifth puts other values into them, and writes which the server refuses. With
// -check these two compare instead.
//
// The server shows an object to mutating webhooks after it has decoded it and filled in defaults, and before it validates
// it. So learn is such a webhook: it sends objects that have next to nothing in them, sees what became of them, and refuses
// them all. Objects of admissionregistration are shown to no webhook; for them valid ones are sent as a dry run.
//
// It needs only the standard library, and a server of its own (README.md in schema/ says how to start it).
package main

import (
	"flag"
	"fmt"
	"os"
	"sort"
)

func main() {
	schemaDir := flag.String("schema", "", "the folder of the tables of types")
	server := flag.String("server", "", "URL of the server")
	data := flag.String("data", "", "the data directory of realapi: admin's certificate and the CA's")
	out := flag.String("out", "", "the table to write; default: standard output")
	check := flag.String("check", "", "URL of an embedded server: compare, and write no table")
	objects := flag.String("objects", "", "with -check: compare the objects of the JSON files in this folder, too")
	required := flag.String("required", "", "a file of valid objects: write the table of what is required instead")
	values := flag.String("values", "", "a file of valid objects: write the table of what values may be instead")
	cases := flag.String("record", "", "a file of cases to complete")
	flag.Parse()
	if err := run(*schemaDir, *server, *data, *out, *check, *objects, *required, *values, *cases); err != nil {
		fmt.Fprintln(os.Stderr, "learn:", err)
		os.Exit(1)
	}
}

func run(schemaDir, server, data, out, check, objects, required, values, cases string) error {
	schema, err := readSchema(schemaDir)
	if err != nil {
		return err
	}
	probe, err := newProber(server, data)
	if err != nil {
		return err
	}
	defer probe.close()
	version, err := probe.version()
	if err != nil {
		return err
	}
	if err := probe.readEnums(schema); err != nil {
		return err
	}
	if check != "" {
		probe.check = &checker{server: check, failed: map[string]int{}, examples: map[string]string{}}
	}
	if required != "" || values != "" {
		text, err := learnFrom(schema, probe, required, values, version)
		if err != nil {
			return err
		}
		if check != "" {
			return probe.check.report()
		}
		return write(text, out)
	}
	if cases != "" {
		return record(schema, probe, cases)
	}
	learner := &learner{schema: schema, probe: probe, done: map[string][]*knowledge{}}
	// Pods come after what has pods' templates, so that what holds for pods alone is told from what holds everywhere.
	sort.SliceStable(schema.roots, func(i, j int) bool { return rank(schema.roots[i]) < rank(schema.roots[j]) })
	for _, root := range schema.roots {
		if err := learner.learn(root); err != nil {
			return fmt.Errorf("%s: %w", root.scope(), err)
		}
	}
	if check != "" {
		if objects != "" {
			if err := checkFiles(schema, probe, objects); err != nil {
				return err
			}
		}
		return probe.check.report()
	}
	return write(learner.table(version), out)
}

func learnFrom(schema *schema, probe *prober, required, values, version string) (string, error) {
	if values != "" {
		return learnValues(schema, probe, values, version)
	}
	return learnRequired(schema, probe, required, version)
}

func write(table, file string) error {
	if file == "" {
		_, err := os.Stdout.WriteString(table)
		return err
	}
	return os.WriteFile(file, []byte(table), 0o644)
}

func rank(r *root) int {
	switch r.kind.name {
	case "k8s.io.api.apps.v1.Deployment":
		return 0
	case "k8s.io.api.core.v1.Pod":
		return 1
	case "k8s.io.api.core.v1.PersistentVolumeClaim":
		return 2
	}
	return 3
}
