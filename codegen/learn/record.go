package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// record writes into a file of cases what the server makes of them: behind each line `> object` a line `< object`.
func record(s *schema, p *prober, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if strings.HasPrefix(line, "<") {
			continue
		}
		out.WriteString(line + "\n")
		sent, isCase := strings.CutPrefix(line, "> ")
		if !isCase {
			continue
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(sent), &object); err != nil {
			return fmt.Errorf("%s: %w", sent, err)
		}
		at := slices.IndexFunc(s.roots, func(r *root) bool { return r.scope() == fmt.Sprint(object["apiVersion"], " ", object["kind"]) })
		if at < 0 {
			return fmt.Errorf("no such kind: %s", sent)
		}
		got, err := p.object(s.roots[at], object)
		if got == nil {
			return fmt.Errorf("%s: %w", sent, err)
		}
		metadata, _ := got["metadata"].(map[string]any)
		kept := map[string]any{"name": "x"}
		if metadata["labels"] != nil {
			kept["labels"] = metadata["labels"]
		}
		got["metadata"] = kept
		out.WriteString("< " + text(got) + "\n")
	}
	return os.WriteFile(file, []byte(out.String()), 0o644)
}
