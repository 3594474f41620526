// What kubectl's reader makes of files: their names come from standard input, one a line; for each
// goes out its name behind an '@', then one line of JSON for each document that is not null, and
// where reading ends early, "error: " and why. ../yaml_documents.cc prints the same of ours.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func main() {
	one := flag.Bool("one", false, "as kube-apiserver reads a body and client-go a kubeconfig")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	names := bufio.NewScanner(os.Stdin)
	for names.Scan() {
		fmt.Fprintf(out, "@%s\n", names.Text())
		data, err := os.ReadFile(names.Text())
		if err == nil {
			if *one {
				err = printOne(out, data)
			} else {
				err = printAll(out, data)
			}
		}
		if err != nil {
			fmt.Fprintf(out, "error: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		}
	}
}

func printOne(out io.Writer, data []byte) error {
	text, err := yaml.YAMLToJSON(data)
	if err != nil {
		return err
	}
	return printCanonical(out, text)
}

func printAll(out io.Writer, data []byte) error {
	decoder := kubeyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := printCanonical(out, raw); err != nil {
			return err
		}
	}
}

// Members sorted; numbers in the digits that they had.
func printCanonical(out io.Writer, text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || value == nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
