package main

import (
	"maps"
	"slices"
	"strings"
	"time"
)

func union(a, b map[string]any) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// kindOfPath is a path without what is particular to the sequence: "pods/x/status".
func kindOfPath(path string) string {
	if path == "/api/v1/namespaces" {
		return "namespaces"
	}
	if _, rest, found := strings.Cut(path, "/namespaces/{ns}-"); found {
		return "namespaces/x" + strings.TrimLeft(rest, "abc")
	}
	_, rest, found := strings.Cut(path, "{ns}/")
	if !found {
		return path
	}
	part := strings.Split(rest, "/")
	if len(part) > 1 {
		part[1] = "x"
	}
	return strings.Join(part, "/")
}

// shrink leaves out what the difference does not need, and gives the rest as a script.
func shrink(servers []*server, style *style, seed uint64, sequence []request, wanted difference) string {
	differs := func(shorter []request) (difference, bool) {
		for _, d := range play(servers, style, seed, shorter, true) {
			if d.where == wanted.where {
				return d, true
			}
		}
		return difference{}, false
	}
	end := slices.IndexFunc(sequence, func(r request) bool { return r.id == wanted.at })
	best := slices.Clone(sequence[:end+1])
	last := wanted
	// Definitions take seconds to be served: of their sequences only a few are tried.
	deadline := time.Now().Add(style.patience)
	for size := max(1, len(best)/2); size >= 1 && time.Now().Before(deadline); size /= 2 {
		for at := len(best) - 1 - size; at >= 0 && time.Now().Before(deadline); at -= size {
			shorter := slices.Delete(slices.Clone(best), at, min(at+size, len(best)-1))
			if d, still := differs(shorter); still {
				best, last = shorter, d
				at = min(at, len(best)-1)
			}
		}
	}
	var out strings.Builder
	for _, r := range best {
		out.WriteString("  " + r.String() + "\n")
	}
	out.WriteString("    " + last.detail)
	return out.String()
}
